# SPDX-License-Identifier: Apache-2.0
"""Data with a known dictionary, and how close to it an answer is."""

import numpy as np
import pytest
from support import EPSILON, exact, product_rounding, same_bits, sparse_data

import orthodict
from orthodict import recovery, recovery_error, synthetic

# Synthetic samples.


def test_samples_are_sparse_in_their_dictionary():
    x, d = synthetic(20, 5000, theta=0.2, seed=3)
    assert x.shape == (5000, 20)
    assert d.shape == (20, 20)
    codes = x @ d.T
    # Codes that should be zero are what rounding of twenty terms leaves, twice.
    zero = abs(codes) <= 2 * product_rounding(abs(codes) @ abs(d), d.T)
    # Shares and moments of independent coefficients: five standard deviations.
    assert abs(np.mean(~zero) - 0.2) <= 5 * np.sqrt(0.2 * 0.8 / codes.size)
    values = codes[~zero]
    assert abs(np.mean(values)) <= 5 / np.sqrt(values.size)
    assert abs(np.mean(values**2) - 1) <= 5 * np.sqrt(2 / values.size)


def test_dictionaries_have_the_condition_asked_for():
    for condition in (1.0, 10.0, 1000.0):
        _, d = synthetic(12, 10, condition=condition)
        # Singular values are right to n roundings of the largest, the smallest is 1/condition of it.
        assert abs(np.linalg.cond(d) - condition) <= 4 * 12 * EPSILON * condition**2


def test_noise_outliers_and_corruption():
    """Each is added to the same samples."""
    clean = synthetic(10, 2000, seed=1).samples
    noise = synthetic(10, 2000, seed=1, noise=0.1).samples - clean
    assert abs(np.std(noise) - 0.1) <= 5 * 0.1 / np.sqrt(2 * noise.size)
    replaced = np.any(synthetic(10, 2000, seed=1, outliers=0.25).samples != clean, axis=1)
    assert abs(np.mean(replaced) - 0.25) <= 5 * np.sqrt(0.25 * 0.75 / 2000)
    added = synthetic(10, 2000, seed=1, corruption=0.1).samples - clean
    changed = added != 0
    assert abs(np.mean(changed) - 0.1) <= 5 * np.sqrt(0.1 * 0.9 / clean.size)
    # Entries are below 8, so that sum and difference are off by a rounding of 8 each.
    assert np.max(abs(abs(added[changed]) - 1)) <= 8 * EPSILON


def test_a_dictionary_of_ones_own():
    d = np.random.default_rng(0).standard_normal((6, 6))
    made = synthetic(6, 100, dictionary=d, seed=5)
    assert same_bits(made.dictionary, d)
    assert same_bits(synthetic(6, 100, dictionary=np.asfortranarray(d), seed=5).samples, made.samples)
    codes = synthetic(6, 100, dictionary=np.eye(6), seed=5).samples
    assert np.all(abs(made.samples - codes @ d) <= product_rounding(codes, d))


def test_results_have_names():
    made = synthetic(3, 4)
    samples, dictionary = made
    assert samples is made.samples and dictionary is made.dictionary
    assert samples.flags.writeable and samples.flags.c_contiguous


def test_seeds():
    assert same_bits(synthetic(5, 50, seed=2**64 - 1).samples, synthetic(5, 50, seed=2**64 - 1).samples)
    assert not same_bits(synthetic(5, 50, seed=0).samples, synthetic(5, 50, seed=1).samples)


@pytest.mark.parametrize("options, error, words", [
    ({"dimension": 0}, ValueError, "dimension = 0: must be an integer from 1"),
    ({"dimension": 2.0}, TypeError, "dimension must be an integer"),
    ({"samples": 0}, ValueError, "samples = 0: must be an integer from 1"),
    ({"samples": 2**62}, ValueError, "samples"),
    ({"theta": 0.0}, ValueError, r"theta = 0: must be .*\(0, 1\]"),
    ({"theta": 1.5}, ValueError, "theta = 1.5"),
    ({"theta": np.nan}, ValueError, "theta = nan"),
    ({"theta": "x"}, TypeError, "theta must be a number"),
    ({"condition": 0.5}, ValueError, "condition = 0.5"),
    ({"noise": -1.0}, ValueError, "noise = -1"),
    ({"outliers": 1.5}, ValueError, "outliers = 1.5"),
    ({"corruption": -0.1}, ValueError, "corruption = -0.1"),
    ({"seed": -1}, ValueError, "seed = -1: must be an integer from 0 to 18446744073709551615"),
    ({"seed": 1.5}, TypeError, "seed must be an integer"),
    ({"dictionary": np.eye(3)}, ValueError, "dictionary = 3×3"),
    ({"dictionary": np.full((50, 50), np.nan)}, ValueError, "dictionary = NaN"),
    ({"dictionary": np.ones(50)}, ValueError, "dictionary has 1 dimensions"),
    ({"dictionary": np.eye(50), "condition": 2.0}, ValueError, "condition"),
])  # fmt: skip
def test_values_that_are_not_legal(options, error, words):
    with pytest.raises(error, match=words):
        synthetic(**options)


# Recovery.


def test_order_and_signs_do_not_matter():
    _, d = sparse_data()
    order = np.random.default_rng(0).permutation(10)
    signs = np.where(np.arange(10) % 2, 1, -1)
    found = recovery(signs[:, None] * d[order], d)
    assert found.error <= exact(10)
    assert found.matches.tolist() == order.tolist()
    assert found.signs.tolist() == signs.tolist()
    assert found.worst_cosine >= 1 - exact(10)
    assert found.mean_cosine >= found.worst_cosine
    assert found.cosines.shape == (10,)
    assert recovery_error(d[order], d) == recovery(d[order], d).error


def test_the_error_is_the_paper_s():
    rng = np.random.default_rng(0)
    learned, truth = (np.linalg.qr(rng.standard_normal((8, 8)))[0] for _ in range(2))
    expected = abs(1 - np.sum((learned @ truth.T) ** 4) / 8)
    assert abs(recovery_error(learned, truth) - expected) <= exact(8)
    assert expected > 0.1


def test_cosines_by_hand():
    """One atom is turned by an angle towards another."""
    turned = np.eye(3)
    turned[0] = [0.8, 0.6, 0.0]
    found = recovery(turned, np.eye(3))
    assert found.matches.tolist() == [0, 1, 2]
    assert np.max(abs(found.cosines - [0.8, 1.0, 1.0])) <= 4 * EPSILON
    assert abs(found.worst_cosine - 0.8) <= 4 * EPSILON
    assert abs(found.mean_cosine - 2.8 / 3) <= 4 * EPSILON


def test_whatever_has_atoms():
    x, d = sparse_data()
    result = orthodict.fit(x, seed=7, precision="mixed")
    learner = orthodict.DictionaryLearner(random_state=7).fit(x)
    errors = {recovery_error(each, d) for each in (result, result.model, learner)}
    assert len(errors) == 1
    assert recovery_error(result.model.dictionary.tolist(), d.tolist()) <= exact(10)


def test_fewer_atoms_than_there_are():
    _, d = sparse_data()
    found = recovery(d[[4, 2]], d)
    assert found.matches.tolist() == [4, 2]
    assert found.error <= exact(10)


@pytest.mark.parametrize("learned, truth, words", [
    (np.eye(3), np.eye(4), "truth: is 4×4"),
    (np.eye(3), np.empty((0, 3)), "truth: is 0×3"),
    (np.eye(3), np.diag([1.0, 1.0, 0.0]), "truth: atom 2 is zero"),
    (np.eye(3), np.full((3, 3), np.nan), "truth: atom 0"),
    (np.eye(3), np.ones(3), "truth has 1 dimensions"),
    (np.eye(3), np.eye(3) + 1j, "truth.*complex"),
    (np.ones(3), np.eye(3), "dictionary has 1 dimensions"),
    (orthodict.DictionaryLearner(), np.eye(3), "call fit first"),
])  # fmt: skip
def test_what_cannot_be_compared(learned, truth, words):
    with pytest.raises(ValueError, match=words):
        recovery(learned, truth)


def test_estimators_of_others_are_no_models():
    from sklearn.decomposition import PCA

    x, d = sparse_data()
    with pytest.raises(TypeError, match="PCA is not a model: pass its atoms"):
        recovery(PCA().fit(x), d)
    with pytest.raises(ValueError, match="call fit first"):
        recovery(orthodict.DictionaryLearner(), d)
