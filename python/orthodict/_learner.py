# SPDX-License-Identifier: Apache-2.0
"""The scikit-learn estimator."""

from __future__ import annotations

import contextlib
import numbers
import warnings
from typing import TYPE_CHECKING, Any, Callable

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, InvalidParameterError, RealNotInt, StrOptions
from sklearn.utils.validation import assert_all_finite, check_is_fitted, validate_data

from . import _core
from ._arrays import as_samples, cores, count_threads
from ._fit import fit as fit_samples
from ._metrics import recovery
from ._model import Model
from ._ranks import agreed
from ._reservoir import Reservoir

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._fit import Iterate

# Types that the library reads directly; others are converted to float64.
_DTYPES = [np.float64, np.float32, np.float16, np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64,
           np.int64]
_BLOCK = 4096  # samples per block: enough for estimates, few enough to hold twice
# Texts without numbers, so that Python shows each warning once.
_WARNINGS = {
    "max_iterations": "The atoms were still moving after the maximum number of iterations: raise max_iter, or tol.",
    "not_established": "Samples that weren't used confirm no atom (see confidence_). The model can be used as a transform, "
                       "but its atoms may come out differently from other samples. Try more samples, or a smaller "
                       "n_components.",
}
_STAGES_ENDED = ("Some atoms were still moving when method \"auto\" ended: they aren't determined by these samples (see "
                 "confidence_). A smaller n_components may help.")
_ORDER = " Neighbouring samples depend on each other: try them in random order if their order has no meaning."
# The library's names of options, and those of scikit-learn.
_NAMES = {"atoms": "n_components", "threshold": "transform_threshold", "max_iterations": "max_iter", "tolerance": "tol", "threads": "n_jobs",
          "runs": "n_runs"}


class DictionaryLearner(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Complete dictionary learning: finds all atoms at once, exactly if the data are sparse.

    Finds atoms, at most as many as features, such that samples are sparse combinations of them. The mixture may be any
    invertible matrix. Use it instead of FastICA if sources are sparse, and instead of DictionaryLearning: with more
    components than features it learns an overcomplete dictionary.

    Parameters
    ----------
    n_components : int or float, default=None
        Number of atoms, at most the rank of the data; all when None. More than features: at most so many atoms of an
        overcomplete dictionary (method "auto" only). A float between 0 and 1 is the share of the variance to keep, as
        for PCA. Whitened samples are reduced to that many leading principal components, as in FastICA. Atoms are in the
        order of their energy.

    method : str, default="auto"
        "auto" needs no parameters: it explores a random part of the samples, refines on all of them, and continues to
        the last digit if the samples are exactly sparse. "msp" is the paper's match, stretch, project. The others are
        baselines for comparison: "ksvd", "online", "subgradient", "fastica", "fastica_deflation", "pca".

    stretch : str, default=None
        For "msp": "l4" (the paper's), "l3", "power:Q", "soft", "hard", "logcosh" ... Naming one selects the method
        "msp".

    whiten : {"auto", "none", "zca", "pca"} or bool, default="auto"
        "auto" whitens unless the covariance is a multiple of the identity; for "msp" it doesn't whiten, as in the
        paper. "none" or False learns an orthonormal basis for the original samples. True means "zca".

    center : "auto" or bool, default="auto"
        Subtract the mean. "auto" does so if it matters, but not for "msp" or with whiten="none".

    normalize : {"none", "samples", "auto"}, default="none"
        "samples" scales (whitened) samples to equal length before learning, for samples that differ in contrast, such
        as patches of images. "auto", for method "auto" only, learns from both and keeps the result whose atoms have
        more confidence. Only learning is affected, not :meth:`transform` and :meth:`score`.

    precision : {"mixed", "f64", "f32"}, default="mixed"
        With "mixed", method "auto" explores in single precision and ends in double; "msp" passes over the data in
        single precision and sums in double.

    max_iter : int, default=None
        Maximum number of iterations. None means 500 for "msp"; "auto" has limits per stage.

    tol : float, default=None
        The fit has converged when the root mean square change of an atom is at most this. None means 1e-4 for "auto"
        and 1e-6 for the others.

    n_runs : int, default=1
        Learn from this many starts, and from as many halves of the samples, and match the atoms of all runs with each
        other: ``components_`` are then their centres, and ``stable_`` says which come again. For methods auto and msp.

    stable_only : bool, default=False
        With several runs: keep only the components that are stable, unless none is.

    orient : bool, default=False
        Give components the sign that makes the skewness of their codes positive. Otherwise their largest entry is.

    transform_algorithm : {"dense", "top", "threshold", "omp", "lasso_cd"}, default="dense"
        How :meth:`transform` finds codes. "dense", "top" and "threshold" take the products with ``analysis_``: all, the
        ``transform_k`` largest of each sample, or those with an absolute value of at least ``transform_threshold``
        (scikit-learn's "threshold" also shrinks coefficients; ours doesn't). "omp" and "lasso_cd" are orthogonal
        matching pursuit and the lasso, as in scikit-learn. An overcomplete dictionary has no
        ``analysis_``: "dense" then is matching pursuit until the rest is like noise.

    transform_k : int, default=None
        For "top". None means a tenth of the components, at least 1.

    transform_threshold : float or str, default=None
        For "threshold". "k2", "k2:CUTOFF" or "mixture" find a threshold for each component from the samples that are
        learned from, as :meth:`orthodict.Model.thresholds` does. None means three times ``noise_``; without noise, or
        if the method doesn't estimate it, the level of rounding errors.

    transform_n_nonzero_coefs : int, default=None
        For "omp": the number of nonzero coefficients. None means a tenth of the features, at least 1.

    transform_alpha : float, default=None
        For "lasso_cd": the penalty of the l1 norm, in the units of the data. None means 1, as in scikit-learn.

    transform_unit_variance : bool, default=False
        Divide the codes of each component by their standard deviation over the samples that are learned from, as
        :meth:`orthodict.Model.encode` does: before the thresholds of a rule are applied.

    random_state : int, RandomState, Generator or None, default=None
        An int is the same seed as on the command line, and gives the same bits. None draws a seed from NumPy's global
        state.

    n_jobs : int, default=None
        Number of threads. None means OMP_NUM_THREADS if it is set, otherwise all cores; -1 means all cores. The result
        doesn't depend on it.

    callback : callable, default=None
        Called with an :class:`orthodict.Iterate` after each iteration; the fit stops when it returns True.

    verbose : int, default=0
        1 shows progress, with tqdm if it is installed.

    comm : mpi4py communicator, default=None
        Processes that learn together, each with its own samples. All of them call ``fit``, and all get the model that
        one process would learn from all samples, in the order of ranks.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The atoms, of unit norm, in float64.
    analysis_ : ndarray of shape (n_components, n_features) or None
        None for an overcomplete dictionary. With "dense", codes are ``(X - mean_) @ analysis_.T``. Equal to ``components_`` if these are orthogonal.
    mixing_ : ndarray of shape (n_features, n_components)
        The atoms in columns, as in FastICA.
    mean_ : ndarray of shape (n_features,)
        Zero if the samples weren't centred.
    n_iter_ : int
    objective_history_ : ndarray of shape (n_records,)
        The objective at each iteration, with the stretch of its stage.
    theta_ : float or None
        The share of coefficients that carry signal, if the method estimates it.
    noise_ : float or None
        The standard deviation of the other coefficients; 0 if the samples are exactly sparse.
    confidence_ : ndarray of shape (n_components,) or None
        Estimated squared cosine between each atom and the true one. An atom below 1/2 is not established.
    stable_ : ndarray of bool of shape (n_components,) or None
        With several runs, which components are stable.
    thresholds_ : ndarray of shape (n_components,) or None
        The thresholds, if ``transform_threshold`` is a rule; infinite where no code stands out.
    deviations_ : ndarray of shape (n_components,) or None
        With ``transform_unit_variance``, the standard deviations of the codes.
    stability_, found_, resampled_stability_, resampled_found_ : ndarray of shape (n_components,) or None
        With several runs, how well components come again, as in :class:`orthodict.Model`.
    model_ : orthodict.Model
    summary_ : orthodict.Summary
    n_samples_seen_ : int
        Number of samples seen by ``fit``, or by all calls of ``partial_fit``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined if ``X`` has feature names that are all strings.

    See Also
    --------
    orthodict.fit : The same as a function, with more options.

    Examples
    --------
    >>> import orthodict
    >>> X, D = orthodict.synthetic(dimension=20, samples=5000, theta=0.2, seed=1)
    >>> learner = orthodict.DictionaryLearner(random_state=0).fit(X)
    >>> orthodict.recovery_error(learner, D) < 1e-10
    True
    >>> codes = learner.transform(X)
    >>> round(float((abs(codes) > 1e-9).mean()), 1)
    0.2
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(numbers.Integral, 1, None, closed="left"),
                         Interval(RealNotInt, 0, 1, closed="neither"), None],
        "method": [str],
        "stretch": [str, None],
        "whiten": [StrOptions({"auto", "none", "zca", "pca"}), "boolean"],
        "center": [StrOptions({"auto"}), "boolean"],
        "normalize": [StrOptions({"none", "samples", "auto"})],
        "precision": [StrOptions({"mixed", "f64", "f32"})],
        "max_iter": [Interval(numbers.Integral, 0, None, closed="left"), None],
        "tol": [Interval(numbers.Real, 0, None, closed="left"), None],
        "n_runs": [Interval(numbers.Integral, 1, None, closed="left")],
        "stable_only": ["boolean"],
        "orient": ["boolean"],
        "transform_unit_variance": ["boolean"],
        "transform_algorithm": [StrOptions({"dense", "top", "threshold", "omp", "lasso_cd"})],
        "transform_k": [Interval(numbers.Integral, 1, None, closed="left"), None],
        "transform_threshold": [Interval(numbers.Real, 0, None, closed="left"), str, None],
        "transform_n_nonzero_coefs": [Interval(numbers.Integral, 1, None, closed="left"), None],
        "transform_alpha": [Interval(numbers.Real, 0, None, closed="neither"), None],
        "random_state": ["random_state", HasMethods("integers")],
        "n_jobs": [numbers.Integral, None],
        "callback": [callable, None],
        "verbose": ["verbose"],
        "comm": [HasMethods("Dup"), None],
    }

    def __init__(self, n_components: int | None = None, *, method: str = "auto", stretch: str | None = None,
                 whiten: str | bool = "auto", center: str | bool = "auto", normalize: str = "none",
                 precision: str = "mixed", max_iter: int | None = None, tol: float | None = None, n_runs: int = 1,
                 stable_only: bool = False, orient: bool = False, transform_algorithm: str = "dense",
                 transform_k: int | None = None, transform_threshold: float | str | None = None,
                 transform_n_nonzero_coefs: int | None = None, transform_alpha: float | None = None,
                 transform_unit_variance: bool = False, random_state: Any = None, n_jobs: int | None = None,
                 callback: Callable[[Iterate], Any] | None = None, verbose: int = 0, comm: Any = None) -> None:
        self.n_components = n_components
        self.method = method
        self.stretch = stretch
        self.whiten = whiten
        self.center = center
        self.normalize = normalize
        self.precision = precision
        self.max_iter = max_iter
        self.tol = tol
        self.n_runs = n_runs
        self.stable_only = stable_only
        self.orient = orient
        self.transform_algorithm = transform_algorithm
        self.transform_k = transform_k
        self.transform_threshold = transform_threshold
        self.transform_n_nonzero_coefs = transform_n_nonzero_coefs
        self.transform_alpha = transform_alpha
        self.transform_unit_variance = transform_unit_variance
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback
        self.verbose = verbose
        self.comm = comm

    def fit(self, X: ArrayLike, y: Any = None) -> DictionaryLearner:
        """Learn the atoms.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, which may be complex: unlike scikit-learn's own estimators, this one learns from complex arrays, and
            then has complex components and codes. Contiguous float32, float64 and integer arrays, including read-only arrays and ``numpy.memmap``,
            are read in place; other layouts are read block by block.
        y : Ignored

        Returns
        -------
        self : object
        """
        with self._unchanged_on_failure():
            with agreed(self.comm):
                self._check_parameters()
                if self.comm is not None and self._rule() is not None:
                    raise ValueError(f"transform_threshold = {self.transform_threshold}: must be a number with comm")
                X = self._validate(X, reset=True)
                seed = self._seed()
            self._learn(X, seed if self.comm is None else self.comm.bcast(seed))
            self._measure_codes(X)
            self._stream = None
            self.n_samples_seen_ = self.summary_.samples
        self._warn()
        return self

    def partial_fit(self, X: ArrayLike, y: Any = None) -> DictionaryLearner:
        """Learn from another batch of a stream.

        The first call starts a stream and discards the result of ``fit``. The estimator keeps a uniform random subset
        of all samples seen so far: 400 per feature, at least 10000, at most 2**25 numbers but at least 20 samples per
        feature. Whenever a twentieth of the subset has changed, the atoms are learned again from it, starting from the
        current ones. Atoms keep their places and signs between calls.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        self : object
        """
        self._check_parameters()
        if self.comm is not None:
            raise ValueError("partial_fit learns in one process: comm must be None")
        if self.n_runs > 1:
            raise ValueError(f"partial_fit learns in one run: n_runs = {self.n_runs} must be 1")
        first = getattr(self, "_stream", None) is None
        if isinstance(self.n_components, numbers.Integral) and np.ndim(X) == 2 and self.n_components > np.shape(X)[1]:
            raise ValueError(f"n_components = {self.n_components}: must be at most the number of features for partial_fit")
        with self._unchanged_on_failure():
            # Checked first, so that a rejected batch leaves no trace in the reservoir.
            X = self._validate(X, reset=first, ensure_all_finite=True)
            stream = Reservoir(X.shape[1], self._seed()) if first else self._stream
            with stream.adding(X):
                is_stale = stream.is_stale()
                if is_stale:
                    self._refine(stream, None if first else self.model_)
            self._stream = stream
            self.n_samples_seen_ = stream.seen
        if is_stale:
            self._warn()
        return self

    def transform(self, X: ArrayLike) -> np.ndarray:
        """Encode samples, keeping the coefficients that ``transform_algorithm`` selects.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components)
            The codes; float32 for float32 samples.
        """
        check_is_fitted(self)
        self._validate_params()
        X = self._validate(X, reset=False)
        with self._refusing_in_words_of_sklearn(X):
            codes = self._codes(X)
        return codes / self._divisors(codes.dtype) if self.transform_unit_variance else codes

    def inverse_transform(self, X: ArrayLike) -> np.ndarray:
        """Decode codes to samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
            The samples; float32 for float32 codes.
        """
        check_is_fitted(self)
        if _is_complex(X):
            X = np.asarray(X)
            check_array(X.real, dtype=_DTYPES, ensure_all_finite=False, estimator=self)
        else:
            X = check_array(X, dtype=_DTYPES, ensure_all_finite=False, estimator=self)
        if self.transform_unit_variance:
            X = X * self._divisors(np.float32 if X.dtype in (np.float32, np.complex64) else np.float64)
        with self._refusing_in_words_of_sklearn(X):
            return self.model_.decode(X, threads=self._threads())

    def score(self, X: ArrayLike, y: Any = None) -> float:
        """The share of the samples' variance that their codes retain, given ``transform_algorithm``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        score : float
            At most 1, the value for a complete dictionary and "dense" codes. Negative if so few coefficients are kept,
            without centring, that the mean alone would be closer.
        """
        check_is_fitted(self)
        self._validate_params()
        X = self._validate(X, reset=False)
        dtype = np.complex128 if X.dtype.kind == "c" else np.float64
        mean = X.mean(axis=0, dtype=dtype)
        lost = total = energy = 0.0
        for first in range(0, len(X), _BLOCK):
            block = np.asarray(X[first:first + _BLOCK], dtype=dtype)
            with self._refusing_in_words_of_sklearn(block):
                codes = self._codes(block)
            lost += (_sizes(block - self.model_.decode(codes, threads=self._threads())) ** 2).sum()
            total += (_sizes(block - mean) ** 2).sum()
            energy += (_sizes(block) ** 2).sum()
        rounding = (len(X) * np.finfo(np.float64).eps) ** 2 * energy  # of the mean
        return float(1 - lost / total if total > rounding else lost <= rounding)

    @property
    def components_(self):
        return self.model_.dictionary

    @property
    def analysis_(self):
        return self.model_.analysis

    @property
    def mixing_(self):
        return self.components_.T

    @property
    def mean_(self):
        return self.model_.mean

    @property
    def confidence_(self):
        return self.model_.confidence

    @property
    def stable_(self):
        return self.model_.stable

    @property
    def stability_(self):
        return self.model_.stability

    @property
    def found_(self):
        return self.model_.found

    @property
    def resampled_stability_(self):
        return self.model_.resampled_stability

    @property
    def resampled_found_(self):
        return self.model_.resampled_found

    @property
    def n_iter_(self):
        return self.summary_.iterations

    @property
    def objective_history_(self):
        return self.summary_.history["objective"]

    @property
    def theta_(self):
        return self.summary_.theta

    @property
    def noise_(self):
        return self.summary_.noise

    @property
    def _n_features_out(self):
        return len(self.components_)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "model_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    # Called explicitly instead of by scikit-learn's wrapper of fit(), because ranks must agree on the outcome.
    def _check_parameters(self):
        if get_config()["skip_parameter_validation"]:
            return
        self._validate_params()
        rule = self.transform_threshold
        if isinstance(rule, str):
            try:
                _core.check_rule("transform_threshold", rule)
            except ValueError:
                raise InvalidParameterError(
                    f"The 'transform_threshold' parameter of DictionaryLearner must be a float in the range [0.0, inf), "
                    f"'k2', 'k2:CUTOFF' with a CUTOFF > 0, 'mixture' or None. Got {rule!r} instead.") from None

    def _validate(self, X, reset, ensure_all_finite=False):
        # The library checks for non-finite values while it reads, so no extra pass is needed. scikit-learn refuses complex
        # numbers: it sees the real parts, which have the same shape.
        is_complex = _is_complex(X)
        if is_complex:
            X = np.asarray(X)
            if ensure_all_finite and not np.isfinite(X).all():
                raise ValueError("Input X contains NaN or infinity.")
        checked = validate_data(self, X.real if is_complex else X, reset=reset, dtype=_DTYPES,
                                ensure_all_finite=ensure_all_finite,
                                ensure_min_samples=(2 if reset else 1) if self.comm is None else 0)
        return X if is_complex else checked

    @contextlib.contextmanager
    def _refusing_in_words_of_sklearn(self, X):
        """Translates the library's errors: non-finite values get scikit-learn's message, and options its names."""
        try:
            yield
        except ValueError as error:
            assert_all_finite(X.real if _is_complex(X) else X, estimator_name=type(self).__name__, input_name="X")
            option, equals, rest = str(error).partition(" = ")
            if option in _NAMES:
                raise ValueError(_NAMES[option] + equals + rest) from None
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

    def _learn(self, X, seed, **start):
        with self._refusing_in_words_of_sklearn(X):
            result = fit_samples(X, **self._options(), seed=seed, **start)
        self.model_, self.summary_ = result.model, result.summary
        _core.name_features(self.model_._native, list(getattr(self, "feature_names_in_", ())))
        codes = self.model_.encode(X[::max(1, len(X) // _BLOCK)], threads=1)
        sums = np.array([np.sum(np.square(_sizes(codes), dtype=np.float64)), codes.size, not _is_double(X.dtype)])
        if self.comm is not None:
            sums = sum(self.comm.allgather(sums))
        self._rms = float(np.sqrt(sums[0] / sums[1]))
        self._is_double = not sums[2]

    def _measure_codes(self, X):
        """What transform() needs to know of the codes of the samples that were learned from."""
        self.thresholds_ = self.deviations_ = self._measured_rule = None
        with self._refusing_in_words_of_sklearn(X):
            if self._rule() is not None:
                self.thresholds_ = self.model_.thresholds(X, self._rule(), threads=self._threads())
                self._measured_rule = self._rule()
            if self.transform_unit_variance:
                self.deviations_ = self._deviations_of_codes(X)

    def _deviations_of_codes(self, X):
        """As Model.encode() has them: before a rule's thresholds are applied."""
        options = {**self._cut(X.dtype), "threads": self._threads()}
        mean, deviation = _core.statistics_of_codes(self.model_._native, as_samples(X), options) if len(X) else (0, 0)
        if self.comm is None:
            return deviation
        counts, means, deviations = zip(*self.comm.allgather((len(X), mean, deviation)))
        shares = [count / sum(counts) for count in counts]
        centre = sum(share * one for share, one in zip(shares, means))
        return np.sqrt(sum(share * (own**2 + (one - centre) ** 2) for share, one, own in zip(shares, means, deviations)))

    def _rule(self):
        """The rule that finds the thresholds of codes, if that is what transform_threshold is."""
        is_rule = self.transform_algorithm == "threshold" and isinstance(self.transform_threshold, str)
        return self.transform_threshold if is_rule else None

    def _divisors(self, dtype):
        if self.deviations_ is None:
            raise ValueError("transform_unit_variance was set after fit: call fit again")
        return np.where(self.deviations_ > 0, self.deviations_, 1).astype(dtype)

    def _codes(self, X):
        """Codes of samples, of which the coefficients are kept that transform_algorithm selects."""
        codes = self.model_.encode(X, **self._cut(X.dtype), threads=self._threads())
        if self._rule() is not None:
            if self._measured_rule != self._rule():
                raise ValueError("transform_threshold was set after fit: call fit again")
            codes[np.abs(codes) < self.thresholds_] = 0
        return codes

    def _refine(self, stream, before):
        samples = stream.samples()
        atoms = samples.shape[1] if self.n_components is None else self.n_components
        is_start = before is not None and len(before.dictionary) == atoms  # with a share, the number isn't known yet
        self._learn(samples, stream.seed, **({"init": before.dictionary} if is_start else {}))
        stream.refreshed()
        if before is not None and before.dictionary.shape == self.model_.dictionary.shape:
            self.model_ = _in_places_of(self.model_, before)
        self._measure_codes(samples)

    def _options(self):
        is_baseline = self.method.partition(":")[0] not in ("auto", "msp")  # baselines have one precision or choose it
        whiten = {"auto": None, True: "zca", False: "none"}.get(self.whiten, self.whiten)
        return {
            "atoms": self.n_components,
            "method": self.method,
            "stretch": self.stretch,
            "whiten": whiten,
            "center": None if isinstance(self.center, str) else bool(self.center),
            "normalize": self.normalize,
            "precision": None if is_baseline and self.precision == "mixed" else self.precision,
            "max_iterations": self.max_iter,
            "tolerance": self.tol,
            "runs": self.n_runs,
            "stable_only": True if self.stable_only else None,
            "orient": True if self.orient else None,
            "threads": None if self.comm is not None and self.n_jobs is None else self._threads(),
            "callback": self.callback,
            "verbose": self.verbose,
            "comm": self.comm,
        }

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
            raise ValueError("n_jobs == 0 in DictionaryLearner has no meaning")
        return self.n_jobs if self.n_jobs > 0 else max(1, cores() + 1 + self.n_jobs)

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
            rounding = self._rms * (1e-9 if self._is_double and _is_double(dtype) else 1e-4)
            return {"threshold": max(3 * (self.noise_ or 0.0), rounding)}
        return {}

    def _at_most_components(self, name, of):
        """The parameter of that name, by default a tenth of `of`."""
        components, count = len(self.components_), getattr(self, name)
        if count is None:
            return min(max(1, of // 10), components)
        if count > components:
            raise InvalidParameterError(f"{name} = {count} must be at most the number of components, {components}.")
        return count

    def _warn(self):
        summary = self.summary_
        text = _WARNINGS.get(summary.termination)
        allowed = self.max_iter is None or summary.iterations < self.max_iter
        if summary.termination == "max_iterations" and summary.method == "auto" and allowed:
            text = _STAGES_ENDED
        if summary.termination == "not_established" and summary.dependence > 1:
            text += _ORDER
        if text:
            warnings.warn(text, ConvergenceWarning, stacklevel=3)  # attributed to the caller of fit()


def _is_double(dtype):
    """Whether values of this type are presumably exact in double precision."""
    return dtype in (np.float64, np.complex128) or dtype.kind in "iu"


def _is_complex(x):
    if hasattr(x, "dtypes"):  # a table
        return any(getattr(dtype, "kind", None) == "c" for dtype in np.atleast_1d(x.dtypes))
    dtype = x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype
    return getattr(dtype, "kind", None) == "c"


def _sizes(x):
    return np.abs(x) if x.dtype.kind == "c" else x


def _in_places_of(model, before):
    """Reorders and flips the model's atoms so that each has the place and sign of the closest one of `before`."""
    found = recovery(model, before.dictionary)
    order = np.argsort(found.matches)
    turns = (found.phases if found.phases.size else found.signs)[order, None]
    confidence = None if model.confidence is None else model.confidence[order]
    return Model(turns * model.dictionary[order], turns.conj() * model.analysis[order], model.mean, confidence,
                 model.metadata)
