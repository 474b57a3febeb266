# SPDX-License-Identifier: Apache-2.0
"""The scikit-learn estimator: compliance with scikit-learn, and equality with fit()."""

import inspect
import pickle
import unittest
import warnings

from support import (
    EPSILON,
    EPSILON_F32,
    exact,
    gaussian_data,
    product_rounding,
    same_bits,
    same_model,
    sparse_data,
    unwarned,
)

import joblib
import numpy as np
import pytest
import sklearn.datasets
from sklearn.base import clone
from sklearn.decomposition import PCA, SparseCoder
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.estimator_checks import parametrize_with_checks

import orthodict
from orthodict import DictionaryLearner

# Warnings are errors unless a test expects them.
pytestmark = pytest.mark.filterwarnings("error")


# scikit-learn's own checks, on blobs, which aren't sparse. It expects estimators to refuse complex samples; this one
# learns from them.


@parametrize_with_checks([
    DictionaryLearner(),
    DictionaryLearner(1, method="msp", whiten=True, transform_algorithm="top"),
], expected_failed_checks=lambda _: {"check_complex_data": "complex samples are legal"})
def test_scikit_learn(estimator, check):
    try:
        with unwarned():
            check(estimator)
    except unittest.SkipTest as skipped:
        pytest.fail(f"every check should run: {skipped}")


# Parameters.


def test_parameters_are_those_of_the_constructor_and_documented():
    names = list(inspect.signature(DictionaryLearner).parameters)
    assert sorted(DictionaryLearner().get_params()) == sorted(names)
    documented = inspect.getdoc(DictionaryLearner).split("Attributes\n")[0].splitlines()
    assert [line.split(" : ")[0] for line in documented if " : " in line and not line.startswith(" ")] == names


def test_clone_and_set_params():
    x, _ = sparse_data()
    learner = DictionaryLearner(4, method="msp", stretch="l3", tol=1e-5, random_state=3).fit(x)
    copy = clone(learner)
    assert copy.get_params() == learner.get_params()
    assert not hasattr(copy, "model_")
    copy.set_params(n_components=5, random_state=3)
    assert copy.fit(x).components_.shape == (5, 10)
    with pytest.raises(ValueError, match="atoms"):
        copy.set_params(atoms=5)


def test_representation_shows_what_differs_from_the_defaults():
    assert repr(DictionaryLearner(4, method="msp")) == "DictionaryLearner(method='msp', n_components=4)"


@pytest.mark.parametrize("name, value", [
    ("n_components", 0), ("n_components", -1), ("n_components", 2.0), ("n_components", 1.0), ("n_components", 0.0),
    ("n_components", "all"),
    ("method", None), ("method", 3), ("stretch", 4), ("whiten", "svd"), ("whiten", None), ("center", "yes"),
    ("center", None), ("precision", "f16"), ("precision", None), ("max_iter", -1), ("max_iter", 1.5), ("tol", -1e-3),
    ("tol", "small"), ("transform_algorithm", "lars"), ("transform_n_nonzero_coefs", 0), ("transform_n_nonzero_coefs", 2.5),
    ("transform_alpha", 0), ("transform_alpha", "x"), ("transform_k", 0), ("transform_k", 1.5),
    ("transform_threshold", -1.0), ("transform_threshold", "x"), ("transform_threshold", "k2:x"),
    ("transform_threshold", "k2:-1"), ("random_state", -1), ("random_state", "seed"),
    ("random_state", 1.5), ("n_jobs", 1.5), ("callback", 3), ("verbose", -1), ("verbose", "yes"),
])  # fmt: skip
def test_invalid_parameters(name, value):
    learner = DictionaryLearner(**{name: value})
    for method in (learner.fit, learner.partial_fit):
        with pytest.raises(InvalidParameterError, match=f"The '{name}' parameter"):
            method(sparse_data().samples)
    assert not hasattr(learner, "model_")


@pytest.mark.parametrize("parameters, message", [
    ({"n_components": 11, "whiten": True}, "n_components = 11: must be 1 … 10"),
    ({"method": "foo"}, "method = foo: must be auto, msp"),
    ({"method": "msp:foo"}, "method = msp:foo: must be msp: followed by a stretch"),
    ({"method": "subgradient_oracle"}, "subgradient_oracle"),
    ({"stretch": "l5"}, "stretch = l5: must be l4, l3"),
    ({"method": "ksvd", "whiten": True}, "whiten = zca: must be left out with method ksvd"),
    ({"method": "pca", "stretch": "l4"}, "stretch = l4: must be left out with method pca"),
    ({"tol": np.nan}, "tol"),
    ({"max_iter": 2**31}, "max_iter"),
    ({"n_jobs": 0}, "n_jobs == 0"),
    ({"n_jobs": 5000}, "5000"),
])  # fmt: skip
def test_parameters_that_the_library_refuses(parameters, message):
    with pytest.raises(ValueError, match=message):
        DictionaryLearner(**parameters).fit(sparse_data().samples)


# The model is that of fit().


@pytest.mark.parametrize("parameters, options", [
    ({}, {}),
    ({"n_components": 4}, {"atoms": 4}),
    ({"n_components": np.int64(4)}, {"atoms": 4}),
    ({"n_components": 0.5}, {"atoms": 0.5}),
    ({"n_components": np.float64(0.5), "whiten": "none"}, {"atoms": 0.5, "whiten": "none"}),
    ({"method": "msp"}, {"method": "msp"}),
    ({"method": "msp:l3"}, {"method": "msp:l3"}),
    ({"stretch": "soft"}, {"stretch": "soft"}),
    ({"whiten": "none"}, {"whiten": "none"}),
    ({"whiten": False}, {"whiten": "none"}),
    ({"whiten": np.False_}, {"whiten": "none"}),
    ({"whiten": "zca"}, {"whiten": "zca"}),
    ({"whiten": True}, {"whiten": "zca"}),
    ({"whiten": "pca"}, {"whiten": "pca"}),
    ({"whiten": "pca", "n_components": 4}, {"whiten": "pca", "atoms": 4}),
    ({"method": "msp", "center": True}, {"method": "msp", "center": True}),
    ({"center": True}, {"center": True}),
    ({"center": False}, {"center": False}),
    ({"method": "msp", "precision": "f64"}, {"method": "msp", "precision": "f64"}),
    ({"method": "msp", "precision": "f32"}, {"method": "msp", "precision": "f32"}),
    ({"method": "msp", "tol": 1e-2}, {"method": "msp", "tolerance": 1e-2}),
    ({"method": "pca"}, {"method": "pca", "precision": None}),
    ({"method": "fastica"}, {"method": "fastica", "precision": None}),
    ({"method": "fastica_deflation"}, {"method": "fastica_deflation", "precision": None}),
    ({"method": "online"}, {"method": "online", "precision": None}),
    ({"method": "ksvd"}, {"method": "ksvd", "precision": None}),
    ({"method": "subgradient"}, {"method": "subgradient", "precision": None}),
])  # fmt: skip
def test_same_as_the_function(parameters, options):
    """Model.__eq__ compares the options in the metadata, too."""
    x, _ = sparse_data(condition=3.0)
    with unwarned():
        learner = DictionaryLearner(random_state=7, **parameters).fit(x)
    assert learner.model_ == orthodict.fit(x, seed=7, **{"precision": "mixed", **options}).model


def test_stretch_of_mixed_precision_by_default():
    x, _ = sparse_data()
    assert DictionaryLearner(stretch="l3").fit(x).summary_.precision == "mixed"


def test_attributes():
    x, _ = sparse_data()
    learner = DictionaryLearner(random_state=0).fit(x)
    model, summary = learner.model_, learner.summary_
    assert same_bits(learner.components_, model.dictionary)
    assert same_bits(learner.analysis_, model.analysis)
    assert same_bits(learner.mean_, model.mean)
    assert same_bits(learner.confidence_, model.confidence)
    assert same_bits(learner.mixing_, model.dictionary.T)
    assert learner.n_iter_ == summary.iterations > 0
    assert np.array_equal(learner.objective_history_, summary.history["objective"])
    assert learner.noise_ == 0.0, "the samples are exactly sparse"
    # theta is a share of 40000 coefficients: five standard deviations.
    assert abs(learner.theta_ - 0.3) <= 5 * np.sqrt(0.3 * 0.7 / x.size)
    assert learner.n_samples_seen_ == len(x)
    assert learner.n_features_in_ == 10
    assert not hasattr(learner, "feature_names_in_")


def test_energies():
    """Exactly those of the codes where samples are few; of an orthogonal dictionary they add up to the samples'."""
    x, _ = sparse_data()
    learner = DictionaryLearner(random_state=0).fit(x)
    codes = learner.transform(x)
    np.testing.assert_allclose(learner.energy_, np.mean(codes**2, axis=0), rtol=1e-12)
    np.testing.assert_allclose(learner.explained_variance_ratio_, codes.var(axis=0) / x.var(axis=0).sum(), rtol=1e-10)
    assert learner.explained_variance_ratio_.sum() == pytest.approx(1)
    with unwarned():
        some = DictionaryLearner(0.7, random_state=0).fit(x)
    assert 0.7 <= some.explained_variance_ratio_.sum() < 1


def test_methods_that_estimate_nothing():
    learner = DictionaryLearner(method="msp", random_state=0).fit(sparse_data().samples)
    assert learner.theta_ is None
    assert learner.noise_ is None
    assert learner.confidence_ is None


@pytest.mark.parametrize("condition", [1.0, 10.0])
@pytest.mark.parametrize("offset", [0.0, 3.0])
def test_recovers_mixed_sources(condition, offset):
    x, d = sparse_data(20, 6000, condition=condition)
    learner = DictionaryLearner(random_state=0).fit(x + offset)
    # An offset costs the digits that it is larger than the samples' entries, sqrt(theta / n) and less.
    lost = 1 + offset / np.sqrt(np.mean(x**2))
    assert orthodict.recovery_error(learner, d) <= exact(20, condition) * lost
    assert learner.summary_.termination == "converged"


def test_fewer_components_are_the_first_of_all():
    """Of an orthogonal dictionary."""
    x, _ = sparse_data()
    every = DictionaryLearner(random_state=0).fit(x)
    some = DictionaryLearner(4, random_state=0).fit(x)
    assert same_bits(some.components_, every.components_[:4])
    assert some.transform(x).shape == (len(x), 4)


def test_principal_components_first():
    """Samples in a subspace of four dimensions, with noise everywhere: the atoms span the subspace."""
    x, d = sparse_data(4, 4000)
    basis = np.linalg.qr(np.random.default_rng(0).standard_normal((10, 10)))[0][:4]
    noise = 1e-3 * np.random.default_rng(1).standard_normal((4000, 10))
    learner = DictionaryLearner(4, whiten="pca", random_state=0).fit(x @ basis + noise)
    found = orthodict.recovery(learner, d @ basis)
    # Noise to signal of a coefficient is r = 1e-3/sqrt(0.3), and an atom's error is below r.
    assert found.worst_cosine >= 1 - (1e-3 / np.sqrt(0.3)) ** 2


def test_mixing_has_atoms_in_columns():
    learner = DictionaryLearner(random_state=0).fit(sparse_data().samples)
    assert same_bits(learner.mixing_, learner.components_.T)


# Random states.


def seed_of(learner):
    return learner.model_.details["options"]["seed"]


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, np.int32(5), np.uint32(2**32 - 1)])
def test_an_integer_is_the_seed(seed):
    x, _ = sparse_data()
    learner = DictionaryLearner(method="msp", random_state=seed)
    assert seed_of(learner.fit(x)) == int(seed)
    first = learner.model_
    assert learner.fit(x).model_ == first


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng], ids=["RandomState", "Generator"])
def test_states_are_drawn_from(make):
    x, _ = sparse_data()
    learner = DictionaryLearner(method="msp", random_state=make(3))
    seeds = [seed_of(learner.fit(x)) for _ in range(3)]
    assert len(set(seeds)) == 3
    learner.set_params(random_state=make(3))
    assert [seed_of(learner.fit(x)) for _ in range(3)] == seeds


def test_none_is_numpys_global_state():
    x, _ = sparse_data()
    before = np.random.get_state()
    try:
        seeds = []
        for _ in range(2):
            np.random.seed(3)
            seeds.append([seed_of(DictionaryLearner(method="msp").fit(x)) for _ in range(3)])
    finally:
        np.random.set_state(before)
    assert seeds[0] == seeds[1]
    assert len(set(seeds[0])) == 3


# Threads.


@pytest.mark.parametrize("n_jobs", [1, 2, 3, 64, -1, -2, -100, None])
def test_threads(n_jobs):
    x, _ = sparse_data()
    learner = DictionaryLearner(random_state=0, n_jobs=n_jobs).fit(x)
    cores = joblib.cpu_count()
    expected = {-1: cores, -2: max(1, cores - 1), -100: 1}.get(n_jobs, n_jobs)
    if n_jobs is not None:
        assert learner.summary_.threads == expected
    assert same_model(learner, DictionaryLearner(random_state=0, n_jobs=1).fit(x))
    assert same_bits(learner.transform(x), learner.set_params(n_jobs=1).transform(x))


def test_no_number_of_threads_is_that_of_the_pool(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    x, _ = sparse_data()
    assert DictionaryLearner().fit(x).summary_.threads == 3
    assert DictionaryLearner(n_jobs=2).fit(x).summary_.threads == 2


# Warnings, progress and callbacks. Elsewhere a warning is an error.


def test_time_used_up():
    x, _ = sparse_data()
    with pytest.warns(ConvergenceWarning, match="at the time limit: raise time_limit"):
        learner = DictionaryLearner(method="msp", time_limit=1e-9, random_state=0).fit(x)
    assert learner.summary_.termination == "time_limit"


def test_a_start_that_is_given():
    x, d = sparse_data()
    learner = DictionaryLearner(method="msp", dict_init=d, random_state=0).fit(x)
    other = DictionaryLearner(method="msp", random_state=0).fit(x)
    assert learner.n_iter_ < other.n_iter_
    assert learner.n_components_ == 10
    with pytest.raises(ValueError, match="dict_init"):
        DictionaryLearner(4, method="msp", dict_init=d).fit(x)


def test_iterations_used_up():
    x, _ = sparse_data()
    with pytest.warns(ConvergenceWarning, match="maximum number of iterations: raise max_iter, or tol"):
        learner = DictionaryLearner(max_iter=1, random_state=0).fit(x)
    assert learner.n_iter_ == 1
    assert learner.transform(x).shape == x.shape


def test_nothing_to_find():
    with pytest.warns(ConvergenceWarning, match="confirm no atom"):
        learner = DictionaryLearner(random_state=0).fit(gaussian_data())
    assert learner.summary_.termination == "not_established"
    assert np.all(learner.confidence_ < 0.5)


def test_warnings_point_at_the_caller():
    with pytest.warns(ConvergenceWarning) as caught:
        DictionaryLearner(max_iter=1, random_state=0).fit(sparse_data().samples)
    assert caught[0].filename == __file__


def test_whoever_stops_a_fit_is_not_warned():
    seen = []

    def stop(iterate):
        seen.append(iterate.iteration)
        return len(seen) == 2

    learner = DictionaryLearner(random_state=0, callback=stop).fit(sparse_data().samples)
    assert len(seen) == 2
    assert learner.summary_.termination == "stopped"


def test_progress_is_shown(capfd):
    x, _ = sparse_data()
    DictionaryLearner(random_state=0, verbose=1).fit(x)
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "orthodict" in shown.err
    DictionaryLearner(random_state=0).fit(x)
    assert capfd.readouterr() == ("", "")


# Illegal arguments.


def test_not_fitted():
    x, _ = sparse_data()
    learner = DictionaryLearner()
    for use in (learner.transform, learner.inverse_transform, learner.score):
        with pytest.raises(NotFittedError):
            use(x)
    with pytest.raises(NotFittedError):
        learner.get_feature_names_out()
    for name in ("components_", "analysis_", "mean_", "n_iter_", "theta_", "noise_", "confidence_"):
        assert not hasattr(learner, name)


def test_other_numbers_of_features():
    x, _ = sparse_data()
    learner = DictionaryLearner(6, random_state=0).fit(x)
    for use in (learner.transform, learner.score):
        with pytest.raises(ValueError, match="X has 9 features, but DictionaryLearner is expecting 10 features"):
            use(x[:, :9])
    with pytest.raises(ValueError, match="10 columns, but the model has 6 atoms"):
        learner.inverse_transform(x)
    assert learner.fit(sparse_data(20).samples).n_features_in_ == 20, "a fit starts anew"


@pytest.mark.parametrize("use", ["fit", "partial_fit", "transform", "score", "inverse_transform", "fit_transform"])
@pytest.mark.parametrize("value, words", [(np.nan, "contains NaN"), (np.inf, "contains infinity"),
                                          (-np.inf, "contains infinity")])  # fmt: skip
def test_values_that_are_not_finite(use, value, words):
    x, _ = sparse_data()
    learner = DictionaryLearner(random_state=0).fit(x)
    for dtype in (np.float64, np.float32, np.float16):
        bad = x.astype(dtype)
        bad[1234, 7] = value
        with pytest.raises(ValueError, match=f"Input X {words}"):
            getattr(learner, use)(bad)


@pytest.mark.parametrize("bad, words", [
    (np.zeros(10), "1D array"),
    (np.zeros((2, 3, 4)), "dim 3"),
    (np.zeros((0, 10)), "0 sample"),
    (np.zeros((10, 0)), "0 feature"),
    (np.zeros((1, 10)), "1 sample"),
    ([["a", "b"], ["c", "d"]], "could not convert string to float"),
    (np.zeros((20, 3)), "zero"),
    (np.full((20, 3), 5.0), "equal"),
])  # fmt: skip
def test_bad_samples(bad, words):
    for use in ("fit", "partial_fit"):
        if use == "partial_fit" and words == "1 sample":
            continue  # a batch may have one
        with pytest.raises(ValueError, match=words):
            getattr(DictionaryLearner(), use)(bad)


def test_a_fit_that_fails_changes_nothing():
    x, _ = sparse_data()
    learner = DictionaryLearner(random_state=0).fit(x)
    before = pickle.dumps(learner)
    for raised in (KeyboardInterrupt, ZeroDivisionError):
        def fail(_, raised=raised):
            raise raised
        learner.set_params(callback=fail)
        for method in (learner.fit, learner.partial_fit):
            with pytest.raises(raised):
                method(gaussian_data(30))
        learner.set_params(callback=None)
        assert pickle.dumps(learner) == before


# Transforms.


@pytest.fixture(scope="module")
def mixed():
    """A learner of a dictionary that isn't orthogonal, with a mean that matters, and its samples."""
    x = sparse_data(30, 6000, theta=0.1, condition=3.0).samples + 1.0
    return DictionaryLearner(random_state=0).fit(x), x


def configured(learner, **parameters):
    return pickle.loads(pickle.dumps(learner)).set_params(**parameters)


def test_dense_codes(mixed):
    learner, x = mixed
    codes = learner.transform(x)
    assert codes.flags.c_contiguous and codes.flags.writeable
    expected = (x - learner.mean_) @ learner.analysis_.T
    assert np.all(abs(codes - expected) <= product_rounding(x - learner.mean_, learner.analysis_.T))


@pytest.mark.parametrize("parameters, kept", [({}, 3), ({"transform_k": 1}, 1), ({"transform_k": 30}, 30)])
def test_the_largest_codes(mixed, parameters, kept):
    """A tenth of thirty when left out."""
    learner, x = mixed
    dense = learner.transform(x)
    codes = configured(learner, transform_algorithm="top", **parameters).transform(x)
    least = np.sort(abs(dense), axis=1)[:, -kept, None]
    assert np.array_equal(codes, np.where(abs(dense) >= least, dense, 0))
    assert np.all(np.count_nonzero(codes, axis=1) == kept)


def test_at_least_one_code():
    x, _ = sparse_data(5, 3000)
    codes = DictionaryLearner(random_state=0, transform_algorithm="top").fit_transform(x)
    assert np.all(np.count_nonzero(codes, axis=1) <= 1)
    assert np.any(codes)


def test_more_codes_than_there_are(mixed):
    learner, x = mixed
    larger = configured(learner, transform_algorithm="top", transform_k=31)
    with pytest.warns(UserWarning, match="transform_k is larger than the number of components") as caught:
        codes = larger.transform(x)
    assert caught[0].filename == __file__
    assert same_bits(codes, learner.transform(x))


@pytest.mark.parametrize("threshold", [0, 0.25, 1e9])
def test_codes_above_a_threshold(mixed, threshold):
    learner, x = mixed
    dense = learner.transform(x)
    codes = configured(learner, transform_algorithm="threshold", transform_threshold=threshold).transform(x)
    assert np.array_equal(codes, np.where(abs(dense) >= threshold, dense, 0))


def test_the_threshold_of_exactly_sparse_samples(mixed):
    """When left out it keeps the true support and nothing else. No code of a normal variable that isn't zero is near
    1e-9 of its size here, and what rounding leaves of zeros is below 30 * 31 * eps times a condition of 3."""
    learner, x = mixed
    _, d = sparse_data(30, 6000, theta=0.1, condition=3.0)
    codes = configured(learner, transform_algorithm="threshold").transform(x)
    true_codes = (x - 1.0) @ np.linalg.inv(d)
    support = abs(true_codes) > 1e-8
    assert np.array_equal(codes != 0, support[:, orthodict.recovery(learner, d).matches])


def test_the_threshold_of_noisy_samples():
    x, _ = sparse_data(noise=0.05)
    learner = DictionaryLearner(random_state=0, transform_algorithm="threshold").fit(x)
    dense = configured(learner, transform_algorithm="dense").transform(x)
    assert np.array_equal(learner.transform(x), np.where(abs(dense) >= 3 * learner.noise_, dense, 0))
    # The noise of a code is that of the samples, as atoms are orthonormal: s0 of the mixture is within a tenth of it.
    assert abs(learner.noise_ - 0.05) <= 0.005


def test_there_and_back(mixed):
    learner, x = mixed
    codes = learner.transform(x)
    back = learner.inverse_transform(codes)
    centred = abs(x - learner.mean_)
    bound = product_rounding(centred @ abs(learner.analysis_.T), learner.components_) + 4 * EPSILON * abs(x)
    assert np.all(abs(back - x) <= bound)


@pytest.mark.parametrize("algorithm", ["dense", "top"])
def test_single_precision(mixed, algorithm):
    """Codes are computed in double precision and rounded once."""
    learner, x = mixed
    learner = configured(learner, transform_algorithm=algorithm)
    single = x.astype(np.float32)
    codes = learner.transform(single)
    assert same_bits(codes, learner.transform(single.astype(np.float64)).astype(np.float32))
    back = learner.inverse_transform(codes)
    assert same_bits(back, learner.inverse_transform(codes.astype(np.float64)).astype(np.float32))


@pytest.mark.parametrize("learned", [np.float64, np.float32])
@pytest.mark.parametrize("used", [np.float64, np.float32])
def test_the_threshold_finds_the_zeros(learned, used):
    """A share theta of the coefficients isn't zero, but those below the threshold, 1e-4 at most, that by chance are
    smaller; five standard deviations. The first samples, which are all zero, say nothing of the scale."""
    x = np.vstack([np.zeros((5000, 10)), sparse_data().samples])
    learner = DictionaryLearner(transform_algorithm="threshold", random_state=0).fit(x.astype(learned))
    kept = (learner.transform(x[5000:].astype(used)) != 0).mean()
    assert abs(kept - 0.3) <= 5 * np.sqrt(0.3 * 0.7 / 40000) + 1e-4


def test_single_precision_learns_as_well():
    """Samples are off by eps of f32, and so is no atom by more than sqrt(n) of it; the error is quadratic in that."""
    x, d = sparse_data()
    learner = DictionaryLearner(random_state=0).fit(x.astype(np.float32))
    assert learner.components_.dtype == np.float64
    assert orthodict.recovery_error(learner, d) <= 4 * 10 * EPSILON_F32**2 + exact(10)


@pytest.mark.parametrize("dtype", ["u1", "i2", "i8", "f2", ">f8", "longdouble", "bool"])
def test_other_types_give_doubles(dtype):
    x = np.clip(np.rint(sparse_data().samples * 40), 0, 255).astype(dtype)
    learner = DictionaryLearner(random_state=0, method="msp").fit(x)
    assert learner.model_ == DictionaryLearner(random_state=0, method="msp").fit(x.astype(np.float64)).model_
    assert same_bits(learner.transform(x), learner.transform(x.astype(np.float64)))


def test_fit_transform_is_fit_and_transform():
    x, _ = sparse_data()
    learner = DictionaryLearner(random_state=0)
    codes = learner.fit_transform(x)
    assert same_bits(codes, learner.transform(x))


@pytest.mark.parametrize("algorithm", ["dense", "top", "threshold"])
def test_score_is_the_share_of_the_variance(mixed, algorithm):
    learner, x = mixed
    learner = configured(learner, transform_algorithm=algorithm)
    back = learner.inverse_transform(learner.transform(x))
    variance = np.sum((x - x.mean(axis=0)) ** 2)
    # Sums of positive terms, each off by as many roundings as there are terms; what is lost is in units of variance.
    expected = 1 - np.sum((x - back) ** 2) / variance
    assert abs(learner.score(x) - expected) <= 2 * x.size * EPSILON
    assert expected < 1 - 1e-3 or algorithm != "top", "three of thirty aren't all"


def test_score_of_a_complete_dictionary_is_one(mixed):
    learner, x = mixed
    # Reconstructions are off by 30 * 31 * eps and a condition of 3, and that is squared.
    assert 1 - learner.score(x) <= (3 * 30 * 31 * EPSILON) ** 2 + EPSILON


def test_the_score_of_equal_samples():
    """They have no variance but what rounding of their mean leaves."""
    x, _ = sparse_data()
    learner = DictionaryLearner(random_state=0).fit(x)
    assert learner.score(np.tile(x[:1] / 3, (1000, 1))) == 1.0
    learner.set_params(transform_algorithm="top", transform_k=1)
    assert learner.score(np.tile(x.sum(axis=0) / 3, (1000, 1))) == 0.0


@pytest.mark.parametrize("change", [{"transform_algorithm": "tpo"}, {"transform_k": 0}, {"transform_threshold": -1}])
def test_parameters_of_transform_are_checked_there(change):
    x, _ = sparse_data()
    learner = DictionaryLearner(random_state=0).fit(x).set_params(**change)
    for method in (learner.transform, learner.score):
        with pytest.raises(InvalidParameterError, match=next(iter(change))):
            method(x)


# scikit-learn's tools.


def test_names_of_features(mixed):
    learner, _ = mixed
    names = learner.get_feature_names_out()
    assert list(names) == [f"dictionarylearner{i}" for i in range(30)]


def test_data_frames():
    pandas = pytest.importorskip("pandas")
    x, _ = sparse_data()
    frame = pandas.DataFrame(x, columns=[f"x{i}" for i in range(10)], index=range(100, 4100))
    learner = DictionaryLearner(3, random_state=0).set_output(transform="pandas").fit(frame)
    assert list(learner.feature_names_in_) == list(frame.columns)
    assert same_model(learner, DictionaryLearner(3, random_state=0).fit(x))
    codes = learner.transform(frame)
    assert list(codes.columns) == ["dictionarylearner0", "dictionarylearner1", "dictionarylearner2"]
    assert list(codes.index) == list(frame.index)
    assert np.array_equal(codes.to_numpy(), learner.model_.encode(x))
    with pytest.raises(ValueError, match="feature names should match"):
        learner.transform(frame[frame.columns[::-1]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        learner.transform(x)


def test_frames_of_several_types():
    pandas = pytest.importorskip("pandas")
    x = np.rint(sparse_data().samples * 40)
    frame = pandas.DataFrame({f"x{i}": x[:, i].astype(["f8", "i4", "f4"][i % 3]) for i in range(10)})
    options = {"method": "msp", "random_state": 0}
    assert same_model(DictionaryLearner(**options).fit(frame), DictionaryLearner(**options).fit(x))


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(mixed, protocol):
    learner, x = mixed
    copy = pickle.loads(pickle.dumps(learner, protocol=protocol))
    assert copy.get_params() == learner.get_params()
    assert copy.model_ == learner.model_
    assert same_bits(copy.transform(x), learner.transform(x))
    assert copy.summary_.message == learner.summary_.message


def test_joblib_dumps(mixed, tmp_path):
    learner, x = mixed
    joblib.dump(learner, tmp_path / "learner.joblib")
    assert same_bits(joblib.load(tmp_path / "learner.joblib").transform(x), learner.transform(x))


def test_in_threads_of_joblib():
    x, _ = sparse_data()
    models = joblib.Parallel(n_jobs=4, backend="threading")(
        joblib.delayed(DictionaryLearner(random_state=seed).fit)(x) for seed in (0, 1, 0, 1)
    )
    for seed, model in zip((0, 1, 0, 1), models):
        assert model.model_ == DictionaryLearner(random_state=seed).fit(x).model_


def test_pipelines_and_searches():
    """The score is the share of variance kept, so more components are better."""
    x, _ = sparse_data(condition=3.0)
    learner = DictionaryLearner(random_state=0, transform_algorithm="top")
    search = GridSearchCV(learner, {"transform_k": [1, 2, 3]}, cv=2).fit(x)
    assert search.best_params_ == {"transform_k": 3}
    scaled = make_pipeline(StandardScaler(), DictionaryLearner(random_state=0))
    codes = scaled.fit_transform(x)
    assert np.allclose(scaled.inverse_transform(codes), x, rtol=0, atol=100 * 10 * 11 * EPSILON * np.max(abs(x)))


# n_components, as in FastICA and PCA.


@pytest.mark.parametrize("k", [5, 10, 0.9])
@pytest.mark.parametrize("name", ["digits", "wine", "breast_cancer"])
@pytest.mark.parametrize("method", ["auto", "msp"])
def test_components_keep_the_variance_of_principal_components(method, name, k):
    x = getattr(sklearn.datasets, f"load_{name}")().data
    pca = PCA(k).fit(x)
    learner = DictionaryLearner(k, method=method, whiten="zca" if method == "msp" else "auto", random_state=0,
                                center=True if method == "msp" else "auto")  # fmt: skip
    with unwarned():  # real data needn't be sparse
        learner.fit(x)
    codes = learner.transform(x)
    assert codes.shape == (len(x), pca.n_components_)
    back = learner.inverse_transform(codes)
    kept = 1 - ((x - back) ** 2).sum() / ((x - x.mean(axis=0)) ** 2).sum()
    # The covariances are the same, and their leading directions as far as rounding tells.
    assert kept == pytest.approx(pca.explained_variance_ratio_.sum(), abs=1e-9)
    assert learner.score(x) == pytest.approx(kept, abs=1e-9)


def test_more_features_than_samples():
    """As many as would take 8 GB for their covariance."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((65, 32256)) + 3 * rng.laplace(size=(65, 3)) @ rng.standard_normal((3, 32256))
    with unwarned():
        learner = DictionaryLearner(3, center=True, random_state=0).fit(x)
    pca = PCA(3, svd_solver="full").fit(x)
    assert learner.components_.shape == (3, 32256)
    outside = learner.components_ - learner.components_ @ pca.components_.T @ pca.components_
    assert np.abs(outside).max() < 1e-8


def test_components_that_chance_chooses_are_warned_of():
    x = np.linalg.qr(np.random.default_rng(0).laplace(size=(3000, 6)))[0] * [3, 3, 3, 1, 1, 1]
    arbitrary = pytest.warns(UserWarning, match="the cut between them is arbitrary")
    with pytest.warns(ConvergenceWarning), arbitrary as caught:
        learner = DictionaryLearner(2, random_state=0).fit(x)
    assert [str(w.message) for w in caught if "arbitrary" in str(w.message)] == list(learner.summary_.warnings)
    assert {w.filename for w in caught} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert DictionaryLearner(3, random_state=0).fit(x).summary_.warnings == ()


def test_several_runs_tell_which_components_come_again():
    rng = np.random.default_rng(3)
    sources = rng.standard_normal((4000, 16))  # ten Gaussian directions, since few come near each other by chance
    sources[:, :6] = rng.laplace(size=(4000, 6))
    samples = sources @ rng.standard_normal((16, 16))
    learner = DictionaryLearner(n_runs=4, random_state=0).fit(samples)
    codes = learner.transform(samples)
    nearest = np.abs(np.corrcoef(codes.T, sources.T)[:16, 16:]).argmax(axis=1)
    np.testing.assert_array_equal(learner.stable_, nearest < 6)
    for name in ("stability_", "found_", "resampled_stability_", "resampled_found_"):
        assert getattr(learner, name).shape == (16,)
    stable = DictionaryLearner(n_runs=4, stable_only=True, random_state=0).fit(samples)
    np.testing.assert_array_equal(stable.components_, learner.components_[learner.stable_])
    assert DictionaryLearner(random_state=0).fit(samples).stable_ is None
    with pytest.raises(ValueError, match="n_runs = 4 must be 1"):
        learner.partial_fit(samples)
    again = pickle.loads(pickle.dumps(learner.model_))
    assert again == learner.model_
    np.testing.assert_array_equal(again.stable, learner.stable_)


def test_unit_variance_is_that_of_the_samples_learned_from():
    x, _ = sparse_data(condition=2.0)
    plain = DictionaryLearner(random_state=0).fit(x)
    learner = DictionaryLearner(transform_unit_variance=True, random_state=0).fit(x)
    np.testing.assert_allclose(learner.transform(x).std(axis=0), 1, rtol=1e-9)
    np.testing.assert_allclose(learner.transform(x[:7]), plain.transform(x[:7]) / plain.transform(x).std(axis=0),
                               rtol=1e-9)  # fmt: skip
    np.testing.assert_allclose(learner.inverse_transform(learner.transform(x[:7])), x[:7], atol=1e-9)
    assert learner.score(x) == plain.score(x)
    assert plain.deviations_ is None
    with pytest.raises(ValueError, match="transform_unit_variance was set after fit"):
        plain.set_params(transform_unit_variance=True).transform(x)


@pytest.mark.parametrize("rule", ["k2:50", "mixture"])
def test_thresholds_by_a_rule_are_those_of_the_samples_learned_from(rule):
    x, _ = sparse_data()
    learner = DictionaryLearner(transform_algorithm="threshold", transform_threshold=rule, random_state=0).fit(x)
    np.testing.assert_array_equal(learner.thresholds_, learner.model_.thresholds(x, rule))
    codes = learner.model_.encode(x[:50])
    np.testing.assert_array_equal(learner.transform(x[:50]), np.where(np.abs(codes) < learner.thresholds_, 0, codes))
    learner.set_params(transform_threshold="k2:9")
    with pytest.raises(ValueError, match="transform_threshold was set after fit"):
        learner.transform(x)


def test_unit_variance_is_that_of_codes_before_a_rule_cuts_them():
    x, _ = sparse_data(condition=2.0)
    learner = DictionaryLearner(transform_algorithm="threshold", transform_threshold="k2:50",
                                transform_unit_variance=True, random_state=0).fit(x)  # fmt: skip
    same = learner.model_.encode(x, threshold="k2:50", unit_variance=True)
    np.testing.assert_array_equal(learner.transform(x), same)
    np.testing.assert_allclose(learner.deviations_, learner.model_.encode(x).std(axis=0), rtol=1e-12)


def test_constant_codes_are_left_as_they_are():
    x = np.random.default_rng(3).laplace(size=(2000, 5))
    learner = DictionaryLearner(transform_unit_variance=True, random_state=0).fit(x)
    constant = np.full((50, 5), 3.3)
    codes = learner.model_.encode(constant)
    np.testing.assert_array_equal(learner.model_.encode(constant, unit_variance=True), codes)


def test_orientation_is_that_of_the_long_tail():
    rng = np.random.default_rng(0)
    x = rng.exponential(size=(3000, 6)) * np.array([1, -1, 1, -1, 1, -1]) @ rng.standard_normal((6, 6))
    learner = DictionaryLearner(orient=True, random_state=0).fit(x)
    codes = learner.transform(x)
    assert np.all(np.mean((codes - codes.mean(axis=0)) ** 3, axis=0) > 0)


@pytest.mark.parametrize("algorithm, parameters", [
    ("omp", {}), ("omp", {"transform_n_nonzero_coefs": 3}), ("lasso_cd", {"transform_alpha": 0.3}), ("lasso_cd", {}),
])  # fmt: skip
def test_codes_of_scikit_learns_algorithms(algorithm, parameters):
    """The same parameters give scikit-learn's codes: exactly for the pursuit, and within its tolerance for the lasso."""
    x, _ = sparse_data()
    learner = DictionaryLearner(transform_algorithm=algorithm, random_state=0, **parameters).fit(x)
    coder = SparseCoder(learner.components_, transform_algorithm=algorithm, transform_max_iter=100000,
                        **{"transform_alpha": 1.0, **parameters})
    x = x[:200] + 0.1 * np.random.default_rng(1).standard_normal((200, 10))  # so that no residual is zero
    codes, expected = learner.transform(x), coder.transform(x - learner.mean_)
    if algorithm == "omp":
        np.testing.assert_array_equal(codes != 0, expected != 0)
        np.testing.assert_allclose(codes, expected, atol=1e-10)
    else:
        np.testing.assert_allclose(codes, expected, atol=0.01 * np.abs(expected).max())
    assert learner.score(x) < 1
    learner.set_params(transform_algorithm="omp", transform_n_nonzero_coefs=11)
    with pytest.warns(UserWarning, match="transform_n_nonzero_coefs is larger"):
        np.testing.assert_allclose(learner.inverse_transform(learner.transform(x)), x, atol=1e-9)


def test_more_components_than_features():
    x, truth = orthodict.synthetic(20, 1500, atoms=50, nonzeros=3, seed=1)
    learner = DictionaryLearner(n_components=50, random_state=0).fit(x)
    assert learner.components_.shape == (50, 20) and learner.analysis_ is None
    assert learner.summary_.dictionary == "overcomplete" and learner.noise_ == 0
    np.testing.assert_array_equal(learner.confidence_, np.ones(50))
    assert len(learner.summary_.usage) == 50
    found = orthodict.recovery(learner, truth)
    assert found.hits == 50 and found.worst_cosine > 1 - 1e-10
    codes = learner.transform(x)  # pursuit until the rest is like noise
    assert np.mean(np.abs(codes) > 1e-9) == pytest.approx(0.06, abs=0.005)
    exact = np.abs(learner.inverse_transform(codes) - x).max(axis=1) < 1e-8
    assert exact.mean() > 0.95  # all but the few samples whose code a greedy choice misses
    learner.set_params(transform_algorithm="omp", transform_n_nonzero_coefs=2)
    assert np.all(np.count_nonzero(learner.transform(x), axis=1) == 2)
    with pytest.raises(ValueError, match="n_components = 50"):
        learner.partial_fit(x)
