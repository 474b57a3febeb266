# SPDX-License-Identifier: Apache-2.0
"""What the estimators share: scikit-learn's validation and wording, seeds, threads, and the state of a fit."""

from __future__ import annotations

import contextlib
import numbers
import warnings
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import assert_all_finite, validate_data

from ._arrays import cores, count_threads, has_complex
from ._caller import caller

if TYPE_CHECKING:
    from ._fit import Summary
    from ._model import Model

# Types that the library reads directly; others are converted to float64.
DTYPES = [np.float64, np.float32, np.float16, np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64,
          np.int64]
BLOCK = 4096  # samples per block: enough for estimates, few enough to hold twice
# Texts without numbers, so that Python shows each warning once.
_WARNINGS = {
    "max_iterations": "The atoms were still moving after the maximum number of iterations: raise max_iter, or tol.",
    "time_limit": "The atoms were still moving at the time limit: raise time_limit, or tol.",
    "not_established": "Samples that weren't used confirm no atom (see confidence_). The model can be used as a transform, "
                       "but its atoms may come out differently from other samples. Try more samples, or a smaller "
                       "n_components.",
}
_STAGES_ENDED = ("Some atoms were still moving when method \"auto\" ended: they aren't determined by these samples (see "
                 "confidence_). A smaller n_components may help.")
_ORDER = " Neighbouring samples depend on each other: try them in random order if their order has no meaning."
# The library's names of options, and those of scikit-learn.
_NAMES = {"atoms": "n_components", "threshold": "transform_threshold", "max_iterations": "max_iter", "tolerance": "tol",
          "threads": "n_jobs", "runs": "n_runs", "init": "dict_init",
          "initial_dictionary": "dict_init"}


class Estimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base of the estimators, which have parameters random_state and n_jobs, and a model_ and summary_ after fit."""

    model_: Model
    summary_: Summary
    _names_of_options = _NAMES
    _takes_complex = False

    @property
    def n_components_(self) -> int:
        return len(self.model_.dictionary)

    @property
    def n_iter_(self) -> int:
        return self.summary_.iterations

    @property
    def stable_(self) -> np.ndarray | None:
        return self.model_.stable

    @property
    def stability_(self) -> np.ndarray | None:
        return self.model_.stability

    @property
    def found_(self) -> np.ndarray | None:
        return self.model_.found

    @property
    def resampled_stability_(self) -> np.ndarray | None:
        return self.model_.resampled_stability

    @property
    def resampled_found_(self) -> np.ndarray | None:
        return self.model_.resampled_found

    @property
    def _n_features_out(self):
        return self.n_components_

    def __sklearn_is_fitted__(self):
        return hasattr(self, "model_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _validate(self, X, reset, ensure_all_finite=False, ensure_min_samples=None):
        # The library checks for non-finite values while it reads, so no extra pass is needed. scikit-learn refuses complex
        # numbers: it sees the real parts, which have the same shape.
        given_complex = self._takes_complex and has_complex(X)
        if given_complex:
            X = np.asarray(X)
            if ensure_all_finite and not np.isfinite(X).all():
                raise ValueError("Input X contains NaN or infinity.")
        least = (2 if reset else 1) if ensure_min_samples is None else ensure_min_samples
        checked = validate_data(self, X.real if given_complex else X, accept_sparse="csr", reset=reset, dtype=DTYPES,
                                ensure_all_finite=ensure_all_finite, ensure_min_samples=least)
        return X if given_complex else checked

    @contextlib.contextmanager
    def _refusing_in_words_of_sklearn(self, X):
        """Translates the library's errors: non-finite values get scikit-learn's message, and options its names."""
        try:
            yield
        except ValueError as error:
            assert_all_finite(X.real if has_complex(X) else X, estimator_name=type(self).__name__, input_name="X")
            option, equals, rest = str(error).partition(" = ")
            if option in self._names_of_options:
                raise type(error)(self._names_of_options[option] + equals + rest) from None
            raise

    @contextlib.contextmanager
    def _unchanged_on_failure(self):
        """Restores the previous model and features if the body raises or is interrupted."""
        before = dict(vars(self))
        try:
            yield
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    def _seed(self):
        state = self.random_state
        if isinstance(state, numbers.Integral):
            return int(state)
        if hasattr(state, "integers"):
            return int(state.integers(2**64, dtype=np.uint64))
        return int(check_random_state(state).randint(2**32, dtype=np.uint64))

    def _threads(self):
        if self.n_jobs is None:
            return count_threads(None)
        if self.n_jobs == 0:
            raise ValueError(f"n_jobs == 0 in {type(self).__name__} has no meaning")
        return self.n_jobs if self.n_jobs > 0 else max(1, cores() + 1 + self.n_jobs)

    def _warn(self):
        summary = self.summary_
        text = _WARNINGS.get(summary.termination)
        allowed = self.max_iter is None or summary.iterations < self.max_iter
        if summary.termination == "max_iterations" and summary.method == "auto" and allowed:
            text = _STAGES_ENDED
        if summary.termination == "not_established" and summary.dependence > 1:
            text += _ORDER
        if text:
            warnings.warn(text, ConvergenceWarning, stacklevel=caller())
