# SPDX-License-Identifier: Apache-2.0
"""A learned model: atoms, and how to compute their coefficients."""

from __future__ import annotations

import functools
import json
import os
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _core
from ._arrays import (
    as_integer,
    as_matrix,
    as_real,
    as_samples,
    as_vector,
    count_threads,
    dense,
    feature_names,
    interleaved,
    is_sparse,
    like_table,
    native,
)
from ._files import existing, writing
from ._html import table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._files import Path
    from ._types import Samples

_BLOCK = 4096  # samples: a multiple of the 256 whose codes don't depend on what is beside them
_REPETITION = ("stability", "found", "resampled_stability", "resampled_found")


class Model:
    """Atoms in rows, of unit norm, in the order of their energy and with their largest entry positive.

    A sample ``x`` has the code ``z = analysis @ (x - mean)``, and ``x = mean + z @ dictionary`` if there are as many
    atoms as features, or if ``x - mean`` is in the span of the atoms. Of complex samples all of these are complex, without
    conjugates in the formulas; the largest entry of an atom is real then, and an orthogonal dictionary has its conjugate
    as analysis. With more atoms than features there may be no
    analysis; codes are then found by ``coder``. Models are immutable: their arrays are read-only.

    Parameters
    ----------
    dictionary : array-like of shape (n_atoms, n_features)
    analysis : array-like of shape (n_atoms, n_features), or None
        None only with more atoms than features.
    mean : array-like of shape (n_features,)
    confidence : array-like of shape (n_atoms,), optional
    metadata : str, optional
        JSON.
    stability, found, resampled_stability, resampled_found : array-like of shape (n_atoms,), optional
        How well the atoms come again in several runs; see the properties of these names.
    coder : str, optional
        How :meth:`encode` finds codes unless it is told, such as "omp:5".
    """

    __slots__ = ("_encoder", "_native")

    def __init__(self, dictionary: ArrayLike, analysis: ArrayLike | None, mean: ArrayLike,
                 confidence: ArrayLike | None = None, metadata: str = "{}", *, stability: ArrayLike | None = None,
                 found: ArrayLike | None = None, resampled_stability: ArrayLike | None = None,
                 resampled_found: ArrayLike | None = None, coder: str = ""):
        repetition = {"stability": stability, "found": found, "resampled_stability": resampled_stability,
                      "resampled_found": resampled_found}
        arrays = [as_matrix(dictionary, "dictionary"),
                  np.empty((0, 0)) if analysis is None else as_matrix(analysis, "analysis"), as_vector(mean, "mean")]
        is_complex = any(array.dtype.kind == "c" for array in arrays)
        self._native = _core.Model(
            *(interleaved(array, is_complex) for array in arrays), _of_atoms(confidence, "confidence"), metadata,
            **{name: _of_atoms(values, name) for name, values in repetition.items()}, coder=coder,
            is_complex=is_complex)
        self._encoder = None

    @classmethod
    def _of(cls, native):
        model = object.__new__(cls)
        model._native, model._encoder = native, None
        return model

    @property
    def dictionary(self) -> np.ndarray:
        """The atoms in rows, shape (n_atoms, n_features)."""
        return self._numbers(self._native.dictionary)

    @property
    def analysis(self) -> np.ndarray | None:
        """The matrix that computes coefficients, shape (n_atoms, n_features); equal to ``dictionary`` if that is
        orthogonal. None if there are more atoms than features and codes are found otherwise."""
        analysis = self._numbers(self._native.analysis)
        return analysis if analysis.size else None

    @property
    def mean(self) -> np.ndarray:
        """The mean that is subtracted before encoding, shape (n_features,)."""
        return self._numbers(self._native.mean)

    @property
    def confidence(self) -> np.ndarray | None:
        """Estimated squared cosine between each atom and the true one, shape (n_atoms,).

        An atom near 1 is established, one below 1/2 is not. None if the method doesn't estimate it.
        """
        return _given(self._native.confidence)

    @property
    def stability(self) -> np.ndarray | None:
        """How alike an atom's versions in runs from several starts are, shape (n_atoms,).

        Icasso's index: the mean similarity of the versions with each other, less that with all other atoms. None after
        a single run, as are the following.
        """
        return _given(self._native.stability)

    @property
    def found(self) -> np.ndarray | None:
        """The share of the runs that have the atom, shape (n_atoms,)."""
        return _given(self._native.found)

    @property
    def resampled_stability(self) -> np.ndarray | None:
        """How alike an atom and its versions in runs on parts of the samples are, shape (n_atoms,)."""
        return _given(self._native.resampled_stability)

    @property
    def resampled_found(self) -> np.ndarray | None:
        """The share of the runs on parts of the samples that have the atom, shape (n_atoms,)."""
        return _given(self._native.resampled_found)

    @property
    def stable(self) -> np.ndarray | None:
        """Whether each atom is stable: stability of at least 0.8 and found in at least half of the runs, from other
        starts and, where there were such runs, on parts of the samples. Boolean, shape (n_atoms,)."""
        return None if self.stability is None else np.array(self._native.stable(), dtype=bool)

    @property
    def metadata(self) -> str:
        """Options, summary and version as JSON text, as in the file; ``details`` is the same as a dict."""
        return self._native.metadata

    @property
    def feature_names(self) -> list[str]:
        """The names of the columns of the DataFrame or text file that the model learned from; empty if it had none."""
        return _core.feature_names(self._native)

    @property
    def coder(self) -> str:
        """How :meth:`encode` finds codes unless it is told; empty for the products with ``analysis``."""
        return self._native.coder

    def _numbers(self, values):
        return values.view(np.complex128) if self._native.is_complex and values.size else values

    def __reduce__(self):
        named = {name: getattr(self, name) for name in _REPETITION}
        return functools.partial(Model, **named, coder=self.coder), (self.dictionary, self.analysis, self.mean,
                                                                     self.confidence, self.metadata)

    def __eq__(self, other):
        if not isinstance(other, Model):
            return NotImplemented
        arrays = ("dictionary", "analysis", "mean", "confidence", *_REPETITION)
        same = all(np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays)
        return same and self.metadata == other.metadata and self.coder == other.coder

    def __repr__(self):
        atoms, features = self.dictionary.shape
        kind = "complex features" if self._native.is_complex else "features"
        return f"Model of {atoms} atoms with {features} {kind}"

    def _repr_html_(self):
        summary = self.details.get("summary", {})
        atoms = len(self.dictionary)

        def share(values, least):
            return None if values is None else f"{np.count_nonzero(values >= least)} of {atoms}"

        return table(repr(self), [
            ("learned by", self.details.get("options", {}).get("method")), ("from samples", summary.get("samples")),
            ("outcome", summary.get("message")), ("confidence of at least 1/2", share(self.confidence, 0.5)),
            ("stable", share(self.stable, 1)), ("nonzero share (theta)", summary.get("theta")),
            ("noise", summary.get("noise")), ("coder", self.coder)])

    @property
    def details(self) -> dict[str, Any]:
        """The metadata as a dict: version, options and summary."""
        return json.loads(self.metadata or "{}")

    def encode(self, X: Samples, *, coder: str | None = None, top: int | None = None,
               threshold: float | str | None = None, refit: bool = False, nonzeros: int | None = None,
               error: float | None = None, penalty: float | None = None, scale: float | None = None,
               precision: Literal["f32", "f64"] | None = None, unit_variance: bool = False, sparse: bool = False,
               threads: int | None = None) -> Any:
        """Codes of samples in rows, shape (n_samples, n_atoms); float32 for float32 samples, complex for complex models.

        The codes of a pandas DataFrame are a DataFrame with the same index and columns atom0, atom1 ... Its columns must
        have the names that the model learned from, in the same order, if these are known.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        coder : str, optional
            "dense": the products with ``analysis``; without analysis, the codes of least norm. "top:K", "threshold:T":
            the largest of these. "omp:K": orthogonal matching pursuit of K atoms; "omp" ends it when what is left of
            a sample is like noise. "lasso:L": a penalty of L times the l1 norm. "auto", the default: what the other
            options imply, else the model's ``coder``, else "dense", or "omp" without analysis.
        top : int, optional
            Number of coefficients to keep in each code, largest absolute values first; the others are set to zero.
        threshold : float or str, optional
            Keep only coefficients of at least this absolute value. "k2", "k2:CUTOFF" or "mixture": of each atom those
            that stand out among these samples, as :meth:`thresholds` says.
        refit : bool
            Compute the coefficients that ``top`` and ``threshold`` keep anew, by least squares. Without analysis they
            always are.
        nonzeros : int, optional
            For "omp": the number of atoms.
        error : float, optional
            For "omp": take atoms until the root mean square of what is left is at most ``error * scale``.
        penalty : float, optional
            For "lasso": minimize ``0.5 * ||x - mean - z @ dictionary||^2 + penalty * scale * ||z||_1``.
        scale : float, optional
            The unit of ``error`` and ``penalty``; by default the root mean square of ``X - mean``.
        precision : {"f32", "f64"}, optional
            Arithmetic of "omp" and "lasso"; double precision by default.
        unit_variance : bool
            Divide the coefficients of each atom by their standard deviation over these samples.
        sparse : bool
            Return a ``scipy.sparse.csr_matrix`` instead of an array.
        threads : int, optional
            Number of threads; by default OMP_NUM_THREADS if it is set, otherwise all cores. The result doesn't depend
            on it.
        """
        table, X = X, self._like_model(as_samples(X))
        self._require_features(X, table)
        atoms = self._native.shape[0]
        thresholds = None
        if isinstance(threshold, str):
            if coder is not None or top is not None or refit:
                raise ValueError(f"threshold = {threshold}: must be a number with coder, top or refit")
            thresholds = _core.thresholds(self._native, native(X), "threshold", threshold, count_threads(threads))
            coder, threshold = "dense", None
        given = {name: value for name, value in {
            "coder": coder, "top": None if top is None else as_integer("top", top, 1, atoms),
            "threshold": _real("threshold", threshold), "refit": bool(refit),
            "nonzeros": None if nonzeros is None else as_integer("nonzeros", nonzeros, 1, atoms),
            "error": _real("error", error), "penalty": _real("penalty", penalty), "scale": _real("scale", scale),
            "precision": precision, "threads": count_threads(threads)}.items() if value is not None}
        if thresholds is not None or not sparse:
            codes = self._encode_blocks(X, given, thresholds) if sparse else self._encode_all(X, given)
        else:
            values, columns, begin = self._encoder_for(X, given).encode_sparse(native(X))
            codes = _csr_matrix((values.astype(_precision(X), copy=False), columns, begin), shape=(X.shape[0], atoms))
        if thresholds is not None and not sparse:
            codes[np.abs(codes) < thresholds] = 0
        if unit_variance:
            _, deviations = _core.statistics_of_codes(self._native, native(X), given)
            divide(codes, np.where(deviations > 0, deviations, 1))
        return codes if sparse else like_table(codes, table, "atom")

    def _encoder_for(self, X, given):
        """That of the call before, if it had the same options: many calls are for one row."""
        options, encoder = self._encoder or (None, None)
        if options != given:
            encoder = _core.Encoder(self._native, native(X), given)
            if not encoder.depends_on_samples:
                self._encoder = given, encoder
        return encoder

    def _encode_all(self, X, given):
        codes = _like(X, self._native.shape[0])
        self._encoder_for(X, given).encode(native(X), _parts(codes))
        return codes

    def _encode_blocks(self, X, given, thresholds):
        """Compressed rows of codes above thresholds, of which one block at a time is in memory with all its codes."""
        from scipy.sparse import vstack

        pieces = []
        for first in range(0, max(1, X.shape[0]), _BLOCK):
            codes = self._encode_all(X[first:first + _BLOCK], given)
            codes[np.abs(codes) < thresholds] = 0
            pieces.append(_csr_matrix(codes))
        return vstack(pieces, format="csr")

    def thresholds(self, X: Samples, rule: str = "k2", *, threads: int | None = None) -> np.ndarray:
        """For each atom the absolute value from which its coefficients stand out, shape (n_atoms,).

        Infinite if none does. Coefficients are the products with ``analysis``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            At least 20 samples.
        rule : str
            "k2": the largest coefficients are taken away until D'Agostino's K² of the others is below 550, and what
            was taken away stands out. "k2:CUTOFF": the same with another cutoff. "mixture": the coefficients that a
            mixture of two normal distributions ascribes to the wider one.
        threads : int, optional
        """
        table, X = X, as_samples(X)
        self._require_features(X, table)
        if not isinstance(rule, str):
            raise TypeError(f"rule must be a string, not {rule!r}")
        return _core.thresholds(self._native, native(X), "rule", rule, count_threads(threads))

    def decode(self, codes: Samples, *, threads: int | None = None) -> Any:
        """Decoded samples, shape (n_samples, n_features); float32 for float32 codes.

        Those of a pandas DataFrame are a DataFrame with the same index, and the names of the features that the model
        learned from, or columns feature0, feature1 ...
        """
        table, codes = codes, self._like_model(as_samples(codes, "codes"))
        self._require_columns(codes, len(self.dictionary), "atoms", "codes")
        samples = _like(codes, self.dictionary.shape[1])
        _core.decode(self._native, native(codes), _parts(samples), count_threads(threads))
        return like_table(samples, table, "feature", self.feature_names)

    def save(self, path: Path) -> None:
        """Write the ``.npz`` file that the command reads and ``numpy.load`` opens."""
        save(path, self)

    def _like_model(self, x):
        """Real samples and codes are complex ones without imaginary parts."""
        if self._native.is_complex and is_sparse(x):
            x = dense(x)
        if not self._native.is_complex or x.dtype.kind == "c":
            return x
        return x.astype(np.complex64 if x.dtype == np.float32 else np.complex128)

    def _require_features(self, x, table):
        self._require_columns(x, self._native.shape[1], "features")
        if names := feature_names(table):
            _core.require_feature_names(self._native, names, "X")

    @staticmethod
    def _require_columns(x, expected, what, name="X"):
        if x.shape[1] != expected:
            raise ValueError(f"{name} has {x.shape[1]} columns, but the model has {expected} {what}")


def divide(codes, divisors):
    """Divides the columns in place, be they dense or sparse."""
    if is_sparse(codes):
        codes.data /= divisors.astype(codes.dtype)[codes.indices]
    else:
        codes /= divisors.astype(codes.dtype)


def _real(name, value):
    return None if value is None else as_real(name, value)


def _csr_matrix(*contents, **options):
    from scipy.sparse import csr_matrix  # SciPy is needed only here

    return csr_matrix(*contents, **options)


def _precision(x):
    if x.dtype.kind == "c":
        return np.complex64 if x.dtype == np.complex64 else np.complex128
    return np.float32 if x.dtype == np.float32 else np.float64


def _parts(x):
    """A view of the real and imaginary parts, in neighbouring columns."""
    return x.view(np.float32 if x.dtype == np.complex64 else np.float64) if x.dtype.kind == "c" else x


def _of_atoms(values, name):
    values = as_vector([] if values is None else values, name)
    if values.dtype.kind == "c":
        raise ValueError(f"{name} has complex numbers: real ones are needed")
    return values


def _given(values):
    return values if values.size else None


def _like(x, columns):
    """An empty array for results: in single precision for input in single precision."""
    return np.empty((x.shape[0], columns), dtype=_precision(x))


def as_model(source):
    """The model of a Model, a Result, a fitted estimator or a dictionary with atoms in rows."""
    if isinstance(source, Model):
        return source
    for name in ("model", "model_"):
        if isinstance(getattr(source, name, None), Model):
            return getattr(source, name)
    if type(source).__name__ in ("DictionaryLearner", "ICA"):
        raise ValueError(f"this {type(source).__name__} has no model yet: call fit first")
    if hasattr(source, "get_params"):
        raise TypeError(f"a {type(source).__name__} is not a model: pass its atoms, in rows")
    dictionary = as_matrix(source, "dictionary")
    return Model(dictionary, np.linalg.pinv(dictionary).T, np.zeros(dictionary.shape[1]))


def load(path: Path) -> Model:
    """Read a Model from the ``.npz`` file that the command or ``save`` wrote."""
    return Model._of(_core.load_model(existing(path)))


def save(path: Path, model: Any) -> None:
    """Write a model to an ``.npz`` file that the command, ``load`` and ``numpy.load`` read.

    ``model`` is a Model, a Result or a fitted estimator. Equal models give equal bytes. The file is written
    atomically: it appears under its name when it is complete.
    """
    path = os.fspath(path)
    model = as_model(model)
    if not path.endswith(".npz"):
        raise ValueError(f"path = {path!r}: must be an .npz file")
    with writing(path) as text:
        _core.save_model(text, model._native)
