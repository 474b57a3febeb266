# SPDX-License-Identifier: Apache-2.0
"""How DictionaryLearner encodes and decodes: the algorithm of transform(), thresholds and scales of codes."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._arrays import as_samples, dense, has_complex, is_sparse, native
from ._caller import caller
from ._estimator import BLOCK, DTYPES, Estimator
from ._model import divide

if TYPE_CHECKING:
    from ._types import Samples


class Transforms(Estimator):
    """The methods that use a model. The parameters transform_… and sparse_output say how."""

    def transform(self, X: Samples) -> Any:
        """Encode samples, keeping the coefficients that ``transform_algorithm`` selects.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        X_new : ndarray or csr_matrix of shape (n_samples, n_components)
            The codes, sparse if ``sparse_output`` is set; float32 for float32 samples.
        """
        check_is_fitted(self)
        self._validate_params()
        X = self._validate(X, reset=False, ensure_min_samples=1 if self.comm is None else 0)
        with self._refusing_in_words_of_sklearn(X):
            codes = self._codes(X)
        if self.transform_unit_variance:
            divide(codes, self._divisors())
        return codes

    def inverse_transform(self, X: Samples) -> Any:
        """Decode codes to samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_components)

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
            The samples; float32 for float32 codes.
        """
        check_is_fitted(self)
        if has_complex(X):
            X = np.asarray(X)
            check_array(X.real, dtype=DTYPES, ensure_all_finite=False, estimator=self)
        else:
            X = check_array(X, accept_sparse="csr", dtype=DTYPES, ensure_all_finite=False, estimator=self)
        if self.transform_unit_variance:
            X = X.astype(np.result_type(X.dtype, np.float32 if X.dtype.itemsize <= 4 and X.dtype.kind == "f" else X.dtype))
            divide(X, 1 / self._divisors())
        with self._refusing_in_words_of_sklearn(X):
            return self.model_.decode(X, threads=self._threads())

    def score(self, X: Samples, y: Any = None) -> float:
        """The share of the samples' variance that their codes retain, given ``transform_algorithm``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        score : float
            At most 1, the value for a complete dictionary and "dense" codes. Negative if so few coefficients are kept,
            without centring, that the mean alone would be closer.
        """
        check_is_fitted(self)
        self._validate_params()
        X = self._validate(X, reset=False, ensure_min_samples=1 if self.comm is None else 0)
        dtype = np.complex128 if X.dtype.kind == "c" else np.float64
        mean = np.asarray(X.mean(axis=0, dtype=dtype)).ravel()
        lost = total = energy = 0.0
        for first in range(0, X.shape[0], BLOCK):
            block = np.asarray(dense(X[first:first + BLOCK]), dtype=dtype)
            with self._refusing_in_words_of_sklearn(block):
                codes = self._codes(block)
            lost += (sizes(block - self.model_.decode(codes, threads=self._threads())) ** 2).sum()
            total += (sizes(block - mean) ** 2).sum()
            energy += (sizes(block) ** 2).sum()
        rounding = (X.shape[0] * np.finfo(np.float64).eps) ** 2 * energy  # of the mean
        return float(1 - lost / total if total > rounding else lost <= rounding)

    def _measure_codes(self, X):
        """What transform() needs to know of the codes of the samples that were learned from."""
        self._measure_some(X[::max(1, X.shape[0] // BLOCK)])
        self.thresholds_ = self.deviations_ = self._measured_rule = None
        with self._refusing_in_words_of_sklearn(X):
            if self._rule() is not None:
                self.thresholds_ = self.model_.thresholds(X, self._rule(), threads=self._threads())
                self._measured_rule = self._rule()
            if self.transform_unit_variance:
                self.deviations_ = self._deviations_of_codes(X)

    def _measure_some(self, X):
        """The energies of codes, from some samples of this rank."""
        codes, x = self.model_.encode(X, threads=1), dense(X)
        sums = [np.array([len(x), not is_double(x.dtype)]), *(_sums(part) for part in (codes, x))]
        if self.comm is not None:
            sums = [sum(parts) for parts in zip(*self.comm.allgather(sums))]
        (count, singles), (first, second), (first_of_x, second_of_x) = sums
        self.energy_ = second.real / count
        total = (second_of_x.real / count - sizes(first_of_x / count) ** 2).sum()
        variances = self.energy_ - sizes(first / count) ** 2
        self.explained_variance_ratio_ = np.maximum(variances, 0) / total if total > 0 else np.zeros(len(variances))
        self._rms = float(np.sqrt(self.energy_.mean()))
        self._is_double = not singles

    def _deviations_of_codes(self, X):
        """As Model.encode() has them: before a rule's thresholds are applied."""
        options = {**self._cut(X.dtype), "threads": self._threads()}
        mean, deviation = 0, 0
        if X.shape[0]:
            mean, deviation = _core.statistics_of_codes(self.model_._native, native(as_samples(X)), options)
        if self.comm is None:
            return deviation
        counts, means, deviations = zip(*self.comm.allgather((X.shape[0], mean, deviation)))
        shares = [count / sum(counts) for count in counts]
        centre = sum(share * one for share, one in zip(shares, means))
        return np.sqrt(sum(share * (own**2 + (one - centre) ** 2) for share, one, own in zip(shares, means, deviations)))

    def _rule(self):
        """The rule that finds the thresholds of codes, if that is what transform_threshold is."""
        is_rule = self.transform_algorithm == "threshold" and isinstance(self.transform_threshold, str)
        return self.transform_threshold if is_rule else None

    def _divisors(self):
        if self.deviations_ is None:
            raise ValueError("transform_unit_variance was set after fit: call fit again")
        return np.where(self.deviations_ > 0, self.deviations_, 1)

    def _codes(self, X):
        """Codes of samples, of which the coefficients are kept that transform_algorithm selects."""
        if self._rule() is not None and self._measured_rule != self._rule():
            raise ValueError("transform_threshold was set after fit: call fit again")
        codes = self.model_.encode(X, **self._cut(X.dtype), sparse=self.sparse_output, threads=self._threads())
        if self._rule() is None:
            return codes
        if is_sparse(codes):
            codes.data[np.abs(codes.data) < self.thresholds_[codes.indices]] = 0
            codes.eliminate_zeros()
        else:
            codes[np.abs(codes) < self.thresholds_] = 0
        return codes

    def _cut(self, dtype):
        """The options of Model.encode() with which transform() encodes samples of this type."""
        if self.transform_algorithm == "top":
            return {"top": self._at_most_components("transform_k", len(self.components_))}
        if self.transform_algorithm == "omp":
            return {"nonzeros": self._at_most_components("transform_n_nonzero_coefs", self.n_features_in_)}
        if self.transform_algorithm == "lasso_cd":
            return {"penalty": 1.0 if self.transform_alpha is None else self.transform_alpha, "scale": 1.0}
        if self.transform_algorithm == "threshold" and not isinstance(self.transform_threshold, str):
            if self.transform_threshold is not None:
                return {"threshold": self.transform_threshold}
            # Above the rounding errors of zeros, from these samples or those used for learning.
            rounding = self._rms * (1e-9 if self._is_double and is_double(dtype) else 1e-4)
            return {"threshold": max(3 * (self.noise_ or 0.0), rounding)}
        return {}

    def _at_most_components(self, name, of):
        """The parameter of that name, by default a tenth of `of`."""
        components, count = len(self.components_), getattr(self, name)
        if count is None:
            return min(max(1, of // 10), components)
        if count > components:
            warnings.warn(f"{name} is larger than the number of components: all of them are used", UserWarning,
                          stacklevel=caller())
        return min(count, components)


def is_double(dtype):
    """Whether values of this type are presumably exact in double precision."""
    return dtype in (np.float64, np.complex128) or dtype.kind in "iu"


def sizes(x):
    return np.abs(x) if x.dtype.kind == "c" else x


def _sums(x):
    """The sums of the columns and of their squares."""
    x = x.astype(np.result_type(x, np.float64), copy=False)
    return np.array([x.sum(axis=0), np.square(sizes(x)).sum(axis=0)])
