# SPDX-License-Identifier: Apache-2.0
"""The scikit-learn estimator."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any, Callable, Literal

import numpy as np
from sklearn import get_config
from sklearn.utils._param_validation import HasMethods, Interval, InvalidParameterError, RealNotInt, StrOptions

from . import _core
from ._fit import fit as fit_samples
from ._metrics import recovery
from ._model import Model
from ._ranks import agreed
from ._reservoir import Reservoir
from ._transforms import Transforms

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._fit import Iterate
    from ._types import Normalize, Precision, Samples, TransformAlgorithm, Whitening


class DictionaryLearner(Transforms):
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

    time_limit : float, default=None
        Stop after this many seconds, with the best atoms so far.

    dict_init : array-like of shape (n_components, n_features), default=None
        Atoms to start from, in rows. None means a random start.

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
        For "top". None means a tenth of the components, at least 1. More than the components means all, with a warning.

    transform_threshold : float or str, default=None
        For "threshold". "k2", "k2:CUTOFF" or "mixture" find a threshold for each component from the samples that are
        learned from, as :meth:`orthodict.Model.thresholds` does. None means three times ``noise_``; without noise, or
        if the method doesn't estimate it, the level of rounding errors.

    transform_n_nonzero_coefs : int, default=None
        For "omp": the number of nonzero coefficients. None means a tenth of the features, at least 1.

    transform_alpha : float, default=None
        For "lasso_cd": the penalty of the l1 norm, in the units of the data. None means 1, as in scikit-learn.

    sparse_output : bool, default=False
        Whether :meth:`transform` gives a ``scipy.sparse.csr_matrix`` instead of an array.

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
    n_components_ : int
        The number of atoms.
    energy_ : ndarray of shape (n_components,)
        The mean square of the codes of each atom. Of many samples, 4096 to 8191 evenly spaced ones count, here and for
        the next.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        The variance of the codes of each atom, in terms of that of the samples. The sum is the share that components
        explain together if their codes aren't correlated, as those of whitened samples.
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

    _takes_complex = True
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
        "time_limit": [Interval(numbers.Real, 0, None, closed="neither"), None],
        "dict_init": ["array-like", None],
        "n_runs": [Interval(numbers.Integral, 1, None, closed="left")],
        "stable_only": ["boolean"],
        "orient": ["boolean"],
        "transform_unit_variance": ["boolean"],
        "sparse_output": ["boolean"],
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

    def __init__(self, n_components: int | float | None = None, *, method: str = "auto", stretch: str | None = None,
                 whiten: Whitening | Literal["auto"] | bool = "auto", center: Literal["auto"] | bool = "auto", normalize: Normalize = "none",
                 precision: Precision = "mixed", max_iter: int | None = None, tol: float | None = None,
                 time_limit: float | None = None, dict_init: ArrayLike | None = None, n_runs: int = 1,
                 stable_only: bool = False, orient: bool = False, transform_algorithm: TransformAlgorithm = "dense",
                 transform_k: int | None = None, transform_threshold: float | str | None = None,
                 transform_n_nonzero_coefs: int | None = None, transform_alpha: float | None = None,
                 sparse_output: bool = False, transform_unit_variance: bool = False, random_state: Any = None,
                 n_jobs: int | None = None, callback: Callable[[Iterate], Any] | None = None, verbose: int = 0,
                 comm: Any = None) -> None:
        self.n_components = n_components
        self.method = method
        self.stretch = stretch
        self.whiten = whiten
        self.center = center
        self.normalize = normalize
        self.precision = precision
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.dict_init = dict_init
        self.n_runs = n_runs
        self.stable_only = stable_only
        self.orient = orient
        self.transform_algorithm = transform_algorithm
        self.transform_k = transform_k
        self.transform_threshold = transform_threshold
        self.transform_n_nonzero_coefs = transform_n_nonzero_coefs
        self.transform_alpha = transform_alpha
        self.sparse_output = sparse_output
        self.transform_unit_variance = transform_unit_variance
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback
        self.verbose = verbose
        self.comm = comm

    def fit(self, X: Samples, y: Any = None) -> DictionaryLearner:
        """Learn the atoms.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
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
                X = self._validate(X, reset=True, ensure_min_samples=None if self.comm is None else 0)
                seed = self._seed()
            self._learn(X, seed if self.comm is None else self.comm.bcast(seed))
            self._measure_codes(X)
            self._stream = None
            self.n_samples_seen_ = self.summary_.samples
        self._warn()
        return self

    def partial_fit(self, X: Samples, y: Any = None) -> DictionaryLearner:
        """Learn from another batch of a stream.

        The first call starts a stream and discards the result of ``fit``. The estimator keeps a uniform random subset
        of all samples seen so far: 400 per feature, at least 10000, at most 2**25 numbers but at least 20 samples per
        feature. Whenever a twentieth of the subset has changed, the atoms are learned again from it, starting from the
        current ones. Atoms keep their places and signs between calls.

        Batches may be small: while fewer samples were seen than ``n_components`` needs, as many atoms are learned as
        they allow, and none from a single sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
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
            X = self._validate(X, reset=first, ensure_all_finite=True, ensure_min_samples=1)
            if first:
                self._forget()
            stream = getattr(self, "_stream", None) or Reservoir(X.shape[1], self._seed())
            with stream.adding(X):
                learns = stream.is_stale() and stream.seen > 1
                if learns:
                    self._refine(stream, getattr(self, "model_", None))
            self._stream = stream
            self.n_samples_seen_ = stream.seen
        if learns:
            self._warn()
        return self

    @property
    def components_(self) -> np.ndarray:
        return self.model_.dictionary

    @property
    def analysis_(self) -> np.ndarray | None:
        return self.model_.analysis

    @property
    def mixing_(self) -> np.ndarray:
        return self.components_.T

    @property
    def mean_(self) -> np.ndarray:
        return self.model_.mean

    @property
    def confidence_(self) -> np.ndarray | None:
        return self.model_.confidence

    @property
    def objective_history_(self) -> np.ndarray:
        return self.summary_.history["objective"]

    @property
    def theta_(self) -> float | None:
        return self.summary_.theta

    @property
    def noise_(self) -> float | None:
        return self.summary_.noise

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

    def _learn(self, X, seed, **start):
        with self._refusing_in_words_of_sklearn(X):
            result = fit_samples(X, **{**self._options(), **start}, seed=seed)
        self.model_, self.summary_ = result.model, result.summary
        _core.name_features(self.model_._native, list(getattr(self, "feature_names_in_", ())))


    def _refine(self, stream, before):
        samples = stream.samples()
        start = {}
        if isinstance(self.n_components, numbers.Integral) and self.n_components >= len(samples):
            start["atoms"] = len(samples) - 1  # no more than samples have directions about their mean
        atoms = start.get("atoms", samples.shape[1] if self.n_components is None else self.n_components)
        if before is not None:
            start["init"] = "random"
            if len(before.dictionary) == atoms:  # with a share, the number isn't known yet
                start["init"] = before.dictionary
        elif self.dict_init is not None and len(np.asarray(self.dict_init)) != atoms:
            start["init"] = "random"
        self._learn(samples, stream.seed, **start)
        stream.refreshed()
        if before is not None and before.dictionary.shape == self.model_.dictionary.shape:
            self.model_ = _in_places_of(self.model_, before)
        self._measure_codes(samples)

    def _forget(self):
        """Discards the result of fit()."""
        for name in ("model_", "summary_"):
            vars(self).pop(name, None)

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
            "time_limit": self.time_limit,
            "init": "random" if self.dict_init is None else self.dict_init,
            "runs": self.n_runs,
            "stable_only": True if self.stable_only else None,
            "orient": True if self.orient else None,
            "threads": None if self.comm is not None and self.n_jobs is None else self._threads(),
            "callback": self.callback,
            "verbose": self.verbose,
            "comm": self.comm,
        }


def _in_places_of(model, before):
    """Reorders and flips the model's atoms so that each has the place and sign of the closest one of `before`."""
    found = recovery(model, before.dictionary)
    order = np.argsort(found.matches)
    turns = (found.phases if found.phases.size else found.signs)[order, None]
    confidence = None if model.confidence is None else model.confidence[order]
    return Model(turns * model.dictionary[order], turns.conj() * model.analysis[order], model.mean, confidence,
                 model.metadata)
