# SPDX-License-Identifier: Apache-2.0
"""ICA: what FastICA's users expect of its parameters, attributes and scales."""

import inspect
import pickle
import unittest
import warnings

from support import EPSILON, EPSILON_F32, same_bits

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import PCA, FastICA
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.estimator_checks import parametrize_with_checks

import orthodict
from orthodict import ICA

pytestmark = pytest.mark.filterwarnings("error")


@parametrize_with_checks([ICA(), ICA(1, algorithm="deflation", whiten="arbitrary-variance")])
def test_scikit_learn(estimator, check):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # blobs aren't independent, and some are fewer than the features
            check(estimator)
    except unittest.SkipTest as skipped:
        pytest.fail(f"every check should run: {skipped}")


def test_parameters_are_those_of_the_constructor_and_documented():
    names = list(inspect.signature(ICA).parameters)
    assert sorted(ICA().get_params()) == sorted(names)
    documented = inspect.getdoc(ICA).split("Attributes\n")[0].splitlines()
    assert [line.split(" : ")[0] for line in documented if " : " in line and not line.startswith(" ")] == names


@pytest.fixture(scope="module")
def mixed():
    """Sources with long tails, with short ones and with two values, mixed into more features, and off centre."""
    rng = np.random.default_rng(0)
    n = 4000
    sources = np.column_stack([rng.laplace(size=n), rng.uniform(-1, 1, size=n), rng.standard_t(5, size=n),
                               np.sign(rng.standard_normal(n)), rng.exponential(size=n)])  # fmt: skip
    return sources @ rng.standard_normal((5, 8)) + 3.0, sources


def matched(found, other):
    """The places of the columns of `other` in `found`, and the cosines there."""
    cosines = np.corrcoef(found.T, other.T)[:found.shape[1], found.shape[1]:]
    places = np.abs(cosines).argmax(axis=0)
    return places, cosines[places, np.arange(other.shape[1])]


@pytest.mark.parametrize("whiten", ["unit-variance", "arbitrary-variance"])
@pytest.mark.parametrize("fun", ["logcosh", "cube"])
def test_same_as_scikit_learn(mixed, fun, whiten):
    """Where both have converged: the same sources, scales, whitening and mixing, up to order and signs."""
    x, sources = mixed
    ours = ICA(5, fun=fun, whiten=whiten, tol=1e-16, random_state=0).fit(x)
    theirs = FastICA(5, fun=fun, whiten=whiten, tol=1e-14, max_iter=2000, random_state=0).fit(x)
    codes = ours.transform(x)
    places, cosines = matched(codes, theirs.transform(x))
    assert sorted(places) == list(range(5))
    np.testing.assert_allclose(np.abs(cosines), 1, atol=1e-9)
    signs = np.sign(cosines)[:, None]
    close = {"rtol": 0, "atol": 1e-5}
    scale = np.abs(theirs.components_).max()
    np.testing.assert_allclose(ours.components_[places] / scale, signs * theirs.components_ / scale, **close)
    np.testing.assert_allclose(ours.mixing_.T[places] * scale, signs * theirs.mixing_.T * scale, **close)
    np.testing.assert_allclose(ours.whitening_, theirs.whitening_, rtol=0, atol=1e-9 * np.abs(theirs.whitening_).max())
    np.testing.assert_allclose(ours.mean_, theirs.mean_, rtol=1e-12)
    places, cosines = matched(codes, sources)
    assert sorted(places) == list(range(5)) and np.all(np.abs(cosines) > 0.99)


def test_scales_and_identities(mixed):
    x, _ = mixed
    ica = ICA(5, random_state=0).fit(x)
    codes = ica.transform(x)
    np.testing.assert_allclose(codes.std(axis=0), 1, rtol=1e-10)
    np.testing.assert_allclose(codes, (x - ica.mean_) @ ica.components_.T, atol=1e-10)
    np.testing.assert_allclose(ica.mixing_, np.linalg.pinv(ica.components_), atol=1e-10)
    np.testing.assert_allclose(ica.inverse_transform(codes), x, atol=1e-10)
    np.testing.assert_allclose((x @ ica.whitening_.T).std(axis=0) * np.sqrt(len(x)), 1, rtol=1e-10)
    assert ica.n_components_ == 5 and ica.n_features_in_ == 8
    assert list(ica.get_feature_names_out()) == [f"ica{i}" for i in range(5)]
    leading = np.abs(ica.mixing_).argmax(axis=0)
    assert np.all(ica.mixing_[leading, np.arange(5)] > 0)
    assert np.all(np.diff(ica.explained_variance_ratio_) <= 0)
    explained = (ica.mixing_**2).sum(axis=0) / x.var(axis=0).sum()
    np.testing.assert_allclose(ica.explained_variance_ratio_, explained, rtol=1e-10)
    assert explained.sum() == pytest.approx(1)


def test_single_precision(mixed):
    x, _ = mixed
    ica = ICA(5, random_state=0).fit(x.astype(np.float32))
    codes = ica.transform(x.astype(np.float32))
    assert codes.dtype == np.float32
    back = ica.inverse_transform(codes)
    assert back.dtype == np.float32
    np.testing.assert_allclose(back, x, atol=100 * EPSILON_F32 * np.abs(x).max())


def test_numbers_of_components(mixed):
    x, _ = mixed
    assert ICA(random_state=0).fit(x).n_components_ == 5, "the rank"
    share = ICA(0.9, random_state=0).fit(x)
    assert share.n_components_ == PCA(0.9).fit(x).n_components_ < 5
    with pytest.warns(UserWarning, match="n_components is larger") as caught:
        assert ICA(20, random_state=0).fit(x).n_components_ == 5
    assert caught[0].filename == __file__


def test_samples_that_are_white_already(mixed):
    """As MNE has them."""
    x, sources = mixed
    white = PCA(5, whiten=True).fit_transform(x)
    ica = ICA(whiten=False, tol=1e-16, random_state=0).fit(white)
    np.testing.assert_allclose(ica.components_ @ ica.components_.T, np.eye(5), atol=100 * EPSILON)
    assert not np.any(ica.mean_) and not hasattr(ica, "whitening_")
    places, cosines = matched(ica.transform(white), sources)
    assert sorted(places) == list(range(5)) and np.all(np.abs(cosines) > 0.99)


def test_deflation(mixed):
    x, sources = mixed
    places, cosines = matched(ICA(algorithm="deflation", random_state=0).fit_transform(x), sources)
    assert sorted(places) == list(range(5)) and np.all(np.abs(cosines) > 0.99)


@pytest.mark.parametrize("whiten", ["unit-variance", False])
def test_a_start_that_is_given(mixed, whiten):
    """A solution as the start is where it ends, after an iteration."""
    x, _ = mixed
    x = x if whiten else PCA(5, whiten=True).fit_transform(x)
    first = ICA(5, whiten=whiten, tol=1e-16, random_state=0).fit(x)
    rotation = first.components_
    if whiten:
        rotation = first.components_ @ np.linalg.pinv(first.whitening_) / np.sqrt(len(x))
    again = ICA(5, whiten=whiten, w_init=rotation, random_state=1).fit(x)
    assert again.n_iter_ <= 2 < first.n_iter_
    np.testing.assert_allclose(again.components_, first.components_, atol=1e-7 * np.abs(first.components_).max())


def test_components_come_again(mixed):
    ica = ICA(5, n_runs=3, random_state=0).fit(mixed[0])
    assert ica.stable_.all() and np.all(ica.stability_ > 0.9)


def test_reproducible_whatever_the_threads(mixed):
    x, _ = mixed
    one = ICA(5, random_state=3, n_jobs=1).fit(x)
    assert same_bits(one.components_, ICA(5, random_state=3, n_jobs=2).fit(x).components_)
    assert same_bits(one.components_, pickle.loads(pickle.dumps(one)).components_)


@pytest.mark.parametrize("parameters, words", [
    ({"fun": "exp"}, "The 'fun' parameter"), ({"whiten": True}, "whiten = True"), ({"tol": -1}, "The 'tol' parameter"),
    ({"fun_args": {"alpha": 1.5}}, "fun_args"), ({"algorithm": "deflation", "fun": "cube"}, "algorithm"),
    ({"accelerate": True, "whiten": False}, "accelerate"), ({"w_init": np.eye(3)}, "w_init"), ({"w_init": np.ones((2, 3))}, "w_init"), ({"n_jobs": 0}, "n_jobs"),
])  # fmt: skip
def test_parameters_that_are_refused(mixed, parameters, words):
    with pytest.raises(ValueError, match=words):
        ICA(5, **parameters).fit(mixed[0])
    assert issubclass(InvalidParameterError, ValueError)


def test_bad_samples(mixed):
    x = mixed[0].copy()
    x[17, 3] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        ICA().fit(x)
    with pytest.raises(ValueError, match="Complex data not supported"):
        ICA().fit(mixed[0] * 1j)
    with pytest.raises(NotFittedError):
        ICA().transform(x)


def test_a_fit_that_fails_changes_nothing(mixed):
    x, _ = mixed
    ica = ICA(5, random_state=0).fit(x)
    before = pickle.dumps(ica)
    with pytest.raises(ValueError):
        ica.fit(np.ones((50, 8)))
    assert pickle.dumps(ica) == before
    assert not hasattr(clone(ica), "components_")


@pytest.mark.parametrize("fun", ["logcosh", "cube"])
def test_second_order_ends_at_the_same_components(mixed, fun):
    x, _ = mixed
    plain = ICA(5, fun=fun, tol=1e-16, random_state=0).fit(x)
    climbed = ICA(5, fun=fun, tol=1e-14, accelerate=True, random_state=0).fit(x)
    np.testing.assert_allclose(climbed.components_, plain.components_, atol=1e-6 * np.abs(plain.components_).max())


def test_has_a_model(mixed, tmp_path):
    ica = ICA(5, random_state=0).fit(mixed[0])
    orthodict.save(tmp_path / "model.npz", ica)
    assert orthodict.load(tmp_path / "model.npz") == ica.model_
    with pytest.raises(ValueError, match="this ICA has no model yet"):
        orthodict.save(tmp_path / "other.npz", ICA())


def test_tolerance_is_of_cosines(mixed):
    """The step that ended the fit is the root mean square of changes: sqrt(2 (1 - cosine)) for each row."""
    x, _ = mixed
    steps = ICA(5, tol=1e-16, random_state=0).fit(x).summary_.history["step"]
    fit = ICA(5, tol=1e-6, random_state=0).fit(x)
    assert fit.n_iter_ == np.flatnonzero(steps <= np.sqrt(2e-6))[0]


def test_iterations_used_up(mixed):
    with pytest.warns(ConvergenceWarning, match="maximum number of iterations") as caught:
        assert ICA(5, max_iter=1, random_state=0).fit(mixed[0]).n_iter_ == 1
    assert caught[0].filename == __file__


def test_a_drop_in_on_real_data():
    """In a pipeline with names of features; as much of the variance as principal components keep."""
    frame = load_breast_cancer(as_frame=True).data
    made = make_pipeline(StandardScaler(), ICA(6, random_state=0)).set_output(transform="pandas")
    codes = made.fit_transform(frame)
    assert list(codes.columns) == [f"ica{i}" for i in range(6)] and codes.index.equals(frame.index)
    assert made[-1].model_.feature_names == list(frame.columns)
    scaled = StandardScaler().fit_transform(frame)
    back = made[-1].inverse_transform(codes.to_numpy())
    kept = 1 - ((scaled - back) ** 2).sum() / (scaled**2).sum()
    assert kept == pytest.approx(PCA(6).fit(scaled).explained_variance_ratio_.sum(), abs=1e-9)
