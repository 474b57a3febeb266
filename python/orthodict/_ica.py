# SPDX-License-Identifier: Apache-2.0
"""Independent component analysis, with the parameters and attributes of scikit-learn's FastICA."""

from __future__ import annotations

import numbers
import warnings
from typing import TYPE_CHECKING, Any, Callable, Literal

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions
from sklearn.utils.validation import check_array, check_is_fitted

from . import _core
from ._arrays import as_samples, dense, native
from ._caller import caller
from ._estimator import BLOCK, Estimator
from ._fit import fit as fit_samples

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._fit import Iterate
    from ._types import Samples

_STRETCHES = {"logcosh": "logcosh", "cube": "l4"}


class ICA(Estimator):
    """Independent component analysis as by scikit-learn's FastICA: the same model, parameters and attributes.

    Samples are centred and whitened by their principal components, and symmetric fixed-point iterations find the
    rotation to independent sources, super-Gaussian or sub-Gaussian. Nothing is copied, sparse matrices stay sparse, and
    the result doesn't depend on the number of threads. Components are in the order of the variance that they explain,
    and the largest entry of each column of ``mixing_`` is positive.

    Use :class:`DictionaryLearner` instead where sources are sparse: it recovers them exactly, and says which components
    the samples confirm.

    Parameters
    ----------
    n_components : int or float, default=None
        Number of components; a float between 0 and 1 is the share of the variance to keep, as for PCA. None means the
        rank of the samples.

    algorithm : {"parallel", "deflation"}, default="parallel"
        All components at once, or one after the other ("logcosh" only).

    whiten : {"unit-variance", "arbitrary-variance"} or False, default="unit-variance"
        "unit-variance" gives sources a variance of 1, and "arbitrary-variance" sums of squares of 1, as in FastICA.
        False means that samples are white already: they aren't centred either.

    fun : {"logcosh", "cube"}, default="logcosh"
        The contrast. "logcosh" is robust; "cube" is the kurtosis.

    fun_args : dict, default=None
        As in FastICA, of which only ``{"alpha": 1.0}`` is legal.

    max_iter : int, default=1000
        Maximum number of iterations.

    tol : float, default=1e-5
        The fit has converged when the mean of ``1 - |cosine|`` between the rows of the rotation before and after an
        iteration is at most this. FastICA's is the largest instead, and 1e-4 by default.

    w_init : array-like of shape (n_components, n_components), default=None
        The rotation to start from, in the coordinates of ``whitening_``, scaled to unit
        variance.

    random_state : int, RandomState, Generator or None, default=None
        An int is the seed. None draws one from NumPy's global state.

    accelerate : bool, default=False
        Climb by second order instead of fixed-point iterations, which takes fewer of them where those creep: the same
        components as Picard finds. ``tol`` is then of the angle by which a fixed-point iteration would turn one component
        towards another (algorithm "parallel", with whitening).

    n_runs : int, default=1
        Learn from this many starts, and from as many halves of the samples; components are then the centres of those
        that come again, and ``stability_`` and ``stable_`` say how well they do (algorithm "parallel" only).

    orient : bool, default=False
        Give components the sign that makes the skewness of their sources positive.

    time_limit : float, default=None
        Stop after this many seconds, with the components found so far.

    n_jobs : int, default=None
        Number of threads. None means OMP_NUM_THREADS if it is set, otherwise all cores; -1 means all cores.

    callback : callable, default=None
        Called with an :class:`orthodict.Iterate` after each iteration; the fit stops when it returns True.

    verbose : int, default=0
        1 shows progress, with tqdm if it is installed.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The unmixing matrix: sources are ``(X - mean_) @ components_.T``.
    mixing_ : ndarray of shape (n_features, n_components)
        Its pseudo-inverse: ``X - mean_`` is ``sources @ mixing_.T``.
    mean_ : ndarray of shape (n_features,)
        Zero if ``whiten`` is False.
    whitening_ : ndarray of shape (n_components, n_features)
        The principal components, scaled so that each has a sum of squares of 1 over the samples, as in FastICA. Only
        set if ``whiten`` isn't False.
    n_components_ : int
    n_iter_ : int
    explained_variance_ratio_ : ndarray of shape (n_components,)
        The share of the samples' variance that each component explains.
    stable_, stability_, found_, resampled_stability_, resampled_found_ : ndarray of shape (n_components,) or None
        With several runs, how well components come again, as in :class:`orthodict.Model`.
    model_ : orthodict.Model
        The same components as atoms of unit norm.
    summary_ : orthodict.Summary
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined if ``X`` has feature names that are all strings.

    See Also
    --------
    DictionaryLearner : Recovers sparse sources exactly.

    Examples
    --------
    >>> import numpy as np, orthodict
    >>> rng = np.random.default_rng(0)
    >>> sources = np.column_stack([rng.laplace(size=5000), rng.uniform(size=5000)])  # super- and sub-Gaussian
    >>> ica = orthodict.ICA(random_state=0).fit(sources @ [[1.0, 0.5], [-0.3, 2.0]])
    >>> found = ica.transform(sources @ [[1.0, 0.5], [-0.3, 2.0]])
    >>> np.round(np.abs(np.corrcoef(found.T, sources.T)[2:, :2]), 1)
    array([[1., 0.],
           [0., 1.]])
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(numbers.Integral, 1, None, closed="left"),
                         Interval(RealNotInt, 0, 1, closed="neither"), None],
        "algorithm": [StrOptions({"parallel", "deflation"})],
        "whiten": [StrOptions({"unit-variance", "arbitrary-variance"}), "boolean"],
        "fun": [StrOptions(set(_STRETCHES))],
        "fun_args": [dict, None],
        "max_iter": [Interval(numbers.Integral, 1, None, closed="left")],
        "tol": [Interval(numbers.Real, 0, None, closed="left")],
        "w_init": ["array-like", None],
        "random_state": ["random_state", HasMethods("integers")],
        "accelerate": ["boolean"],
        "n_runs": [Interval(numbers.Integral, 1, None, closed="left")],
        "orient": ["boolean"],
        "time_limit": [Interval(numbers.Real, 0, None, closed="neither"), None],
        "n_jobs": [numbers.Integral, None],
        "callback": [callable, None],
        "verbose": ["verbose"],
    }
    _names_of_options = {**Estimator._names_of_options, "init": "w_init", "initial_dictionary": "w_init"}

    def __init__(self, n_components: int | float | None = None, *,
                 algorithm: Literal["parallel", "deflation"] = "parallel",
                 whiten: Literal["unit-variance", "arbitrary-variance"] | bool = "unit-variance",
                 fun: Literal["logcosh", "cube"] = "logcosh", fun_args: dict[str, float] | None = None,
                 max_iter: int = 1000, tol: float = 1e-5, w_init: ArrayLike | None = None, random_state: Any = None,
                 accelerate: bool = False, n_runs: int = 1, orient: bool = False, time_limit: float | None = None,
                 n_jobs: int | None = None, callback: Callable[[Iterate], Any] | None = None, verbose: int = 0) -> None:
        self.n_components = n_components
        self.algorithm = algorithm
        self.whiten = whiten
        self.fun = fun
        self.fun_args = fun_args
        self.max_iter = max_iter
        self.tol = tol
        self.w_init = w_init
        self.random_state = random_state
        self.accelerate = accelerate
        self.n_runs = n_runs
        self.orient = orient
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.callback = callback
        self.verbose = verbose

    def fit(self, X: Samples, y: Any = None) -> ICA:
        """Find the components.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        self : object
        """
        self._validate_params()
        self._check_parameters()
        with self._unchanged_on_failure():
            X = self._validate(X, reset=True)
            with self._refusing_in_words_of_sklearn(X):
                result = fit_samples(X, **self._options(X), seed=self._seed())
                deviations = _deviations(result.model, X, self._threads())
            self.model_, self.summary_ = result.model, result.summary
            _core.name_features(self.model_._native, list(getattr(self, "feature_names_in_", ())))
            self._set_components(deviations, X.shape[0])
            self.explained_variance_ratio_ = deviations**2 / _variance(X)
        self._warn()
        return self

    def transform(self, X: Samples) -> Any:
        """The sources of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components)
            float32 for float32 samples.
        """
        check_is_fitted(self)
        X = self._validate(X, reset=False)
        with self._refusing_in_words_of_sklearn(X):
            codes = self.model_.encode(X, threads=self._threads())
        return codes / self._scales.astype(codes.dtype)

    def inverse_transform(self, X: Samples) -> Any:
        """The samples of sources.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
            float32 for float32 sources.
        """
        check_is_fitted(self)
        X = check_array(X, dtype=[np.float64, np.float32], ensure_all_finite=False, estimator=self)
        with self._refusing_in_words_of_sklearn(X):
            return self.model_.decode(X * self._scales.astype(X.dtype), threads=self._threads())

    @property
    def mean_(self) -> np.ndarray:
        return self.model_.mean

    def _check_parameters(self):
        if self.whiten is True:
            raise ValueError("whiten = True: must be 'unit-variance', 'arbitrary-variance' or False")
        if self.fun_args and self.fun_args != {"alpha": 1.0}:
            raise ValueError(f"fun_args = {self.fun_args}: must be None or {{'alpha': 1.0}}")
        if self.algorithm == "deflation" and (self.fun != "logcosh" or self.n_runs > 1):
            raise ValueError("algorithm = 'deflation': must be 'parallel' unless fun is 'logcosh' and n_runs is 1")
        if self.accelerate and (self.algorithm == "deflation" or self.whiten is False):
            raise ValueError("accelerate = True: must be False with algorithm 'deflation' and without whitening")

    def _options(self, X):
        how = {"method": "fastica_deflation"}
        if self.algorithm == "parallel":
            how = {"method": "msp", "stretch": _STRETCHES[self.fun], "remove_bias": True, "precision": "f64",
                   "runs": self.n_runs, "accelerate": True if self.accelerate else None}
        if self.w_init is not None:
            how["init"] = self._start(X)
        return {**how, "whiten": "none" if self.whiten is False else "pca", "center": self.whiten is not False,
                "atoms": self._atoms(X), "max_iterations": self.max_iter, "tolerance": np.sqrt(2 * self.tol),
                "time_limit": self.time_limit, "orient": True if self.orient else None, "threads": self._threads(),
                "callback": self.callback, "verbose": self.verbose}

    def _atoms(self, X):
        if isinstance(self.n_components, numbers.Integral) and self.n_components > min(X.shape):
            warnings.warn("n_components is larger than the number of samples or features: as many components as these "
                          "allow are learned", UserWarning, stacklevel=caller())
            return None
        return self.n_components

    def _start(self, X):
        """The atoms that w_init stands for, in the coordinates of the data."""
        rotation = check_array(self.w_init, dtype=np.float64, input_name="w_init", estimator=self)
        if self.whiten is False:
            return rotation
        k = len(rotation)
        if rotation.shape != (k, k) or k > X.shape[1]:
            raise ValueError(f"w_init has shape {rotation.shape}: must be square, with n_components rows")
        mean, doubles = _mean(X), X.astype(np.float64)
        variances, directions = np.linalg.eigh(dense(doubles.T @ doubles) / X.shape[0] - np.outer(mean, mean))
        variances, directions = variances[::-1][:k], directions[:, ::-1][:, :k]
        return rotation @ (np.sqrt(np.maximum(variances, 0))[:, None] * _with_signs(directions.T))

    def _set_components(self, deviations, samples):
        """From the deviations of the codes of unit-norm atoms."""
        root = np.sqrt(samples)
        unit = {"unit-variance": 1.0, "arbitrary-variance": root}.get(self.whiten)
        self._scales = np.ones_like(deviations) if unit is None else unit * np.where(deviations > 0, deviations, 1.0)
        self.components_ = self.model_.analysis / self._scales[:, None]
        self.mixing_ = (self.model_.dictionary * self._scales[:, None]).T
        vars(self).pop("whitening_", None)
        if unit is not None:
            # components_ = R·V·Uᵀ, with a rotation R and a diagonal V, is its own singular value decomposition.
            _, sizes, directions = np.linalg.svd(self.components_, full_matrices=False)
            self.whitening_ = unit / root * sizes[::-1, None] * _with_signs(directions[::-1])


def _with_signs(directions):
    """The signs that scikit-learn gives principal components in rows: the first entry is positive."""
    return directions * np.where(directions[:, :1] < 0, -1.0, 1.0)


def _deviations(model, X, threads):
    _, deviations = _core.statistics_of_codes(model._native, native(as_samples(X)), {"threads": threads})
    return deviations


def _mean(X):
    return np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()


def _variance(X):
    """The sum of the variances of the features."""
    mean = _mean(X)
    squares = sum(np.square(dense(X[first:first + BLOCK]) - mean).sum() for first in range(0, X.shape[0], BLOCK))
    return squares / X.shape[0]
