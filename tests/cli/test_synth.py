# SPDX-License-Identifier: Apache-2.0
"""synth: the effect of its options on the file. Statistical bounds are five standard deviations: one false alarm
in a million seeds, and the seeds are fixed."""

import numpy as np
import pytest
from harness import EPSILON


@pytest.fixture
def synth(run, tmp_path):
    def make(*options, dimension=20, samples=2000):
        run("synth", "--dimension", dimension, "--samples", samples, *options, "--output", "y.npy", "--truth", "d.npy")
        return np.load(tmp_path / "y.npy"), np.load(tmp_path / "d.npy")

    return make


def nonzero(codes):
    """Coefficients that were drawn, not computed back as rounding errors: |N(0, 1)| < 1e-9 has probability 1e-9."""
    return np.abs(codes) > 1e-9


def test_coefficients_are_bernoulli_gaussian(synth):
    y, d = synth("--theta", 0.2, "--seed", 4)
    np.testing.assert_allclose(d @ d.T, np.eye(20), rtol=0, atol=10 * 20 * EPSILON)
    codes = y @ d.T
    share = np.mean(nonzero(codes))
    assert share == pytest.approx(0.2, abs=5 * np.sqrt(0.2 * 0.8 / codes.size))
    values = codes[nonzero(codes)]
    assert np.mean(values) == pytest.approx(0, abs=5 / np.sqrt(values.size))
    assert np.mean(values**2) == pytest.approx(1, abs=5 * np.sqrt(2 / values.size))
    assert np.mean(values**4) == pytest.approx(3, abs=5 * np.sqrt(96 / values.size))  # Var z^4 = 105 - 9


def test_theta_one_is_gaussian(synth):
    y, d = synth("--theta", 1)
    assert np.all(nonzero(y @ d.T))


def test_condition(synth):
    y, d = synth("--condition", 50, "--theta", 0.3)
    values = np.linalg.svd(d, compute_uv=False)
    np.testing.assert_allclose(values, np.geomspace(1, 1 / 50, 20), rtol=50 * 20 * 10 * EPSILON)
    codes = np.linalg.solve(d.T, y.T).T
    assert np.mean(nonzero(codes)) == pytest.approx(0.3, abs=5 * np.sqrt(0.3 * 0.7 / codes.size))


def test_noise_is_added_to_the_same_samples(synth):
    clean, d = synth("--seed", 9)
    noisy, same = synth("--seed", 9, "--noise", 0.25)
    np.testing.assert_array_equal(d, same)
    noise = noisy - clean
    assert np.std(noise) == pytest.approx(0.25, rel=5 * np.sqrt(0.5 / noise.size))
    assert np.mean(noise) == pytest.approx(0, abs=5 * 0.25 / np.sqrt(noise.size))


def test_outliers_replace_samples(synth):
    clean, _ = synth("--seed", 9)
    mixed, _ = synth("--seed", 9, "--outliers", 0.2)
    replaced = np.any(mixed != clean, axis=1)
    assert np.mean(replaced) == pytest.approx(0.2, abs=5 * np.sqrt(0.2 * 0.8 / len(clean)))
    entries = mixed[replaced]
    assert np.mean(entries**2) == pytest.approx(1, abs=5 * np.sqrt(2 / entries.size))
    assert np.all(synth("--seed", 9, "--outliers", 1)[0] != clean)


def test_corruption_adds_one_either_way(synth):
    clean, _ = synth("--seed", 9)
    corrupt, _ = synth("--seed", 9, "--corruption", 0.1)
    change = corrupt - clean
    hit = change != 0
    np.testing.assert_allclose(np.abs(change[hit]), 1, rtol=0, atol=8 * EPSILON)  # entries are below 8
    assert np.mean(hit) == pytest.approx(0.1, abs=5 * np.sqrt(0.1 * 0.9 / hit.size))
    assert np.mean(change[hit] > 0) == pytest.approx(0.5, abs=5 * 0.5 / np.sqrt(np.sum(hit)))


def test_dictionary_from_a_file(run, synth, tmp_path):
    given = np.random.default_rng(1).standard_normal((20, 20))
    np.save(tmp_path / "given.npy", given)
    y, d = synth("--dictionary-from", "given.npy", "--seed", 3)
    np.testing.assert_array_equal(d, given)
    codes = np.linalg.solve(given.T, y.T).T
    assert np.mean(nonzero(codes)) == pytest.approx(0.3, abs=5 * np.sqrt(0.3 * 0.7 / codes.size))
    plain, own = synth("--seed", 3)
    np.testing.assert_array_equal(nonzero(plain @ own.T), nonzero(codes))  # the coefficients depend on the seed alone


def test_single_precision_is_the_same_data_rounded(run, synth, tmp_path):
    y, _ = synth("--seed", 6)
    run("synth", "--dimension", 20, "--samples", 2000, "--seed", 6, "--precision", "f32", "--output", "f32.npy")
    single = np.load(tmp_path / "f32.npy")
    assert single.dtype == np.float32
    np.testing.assert_array_equal(single, y.astype(np.float32))


@pytest.mark.parametrize("suffix, delimiter", [("csv", ","), ("tsv", "\t")])
def test_text_files_hold_the_same_numbers(run, tmp_path, suffix, delimiter):
    options = "synth --dimension 5 --samples 40 --seed 2".split()
    run(*options, "--output", "y.npy", "--truth", "d.npy")
    run(*options, "--output", f"y.{suffix}", "--truth", f"d.{suffix}")
    for name in ("y", "d"):
        text = np.loadtxt(tmp_path / f"{name}.{suffix}", delimiter=delimiter)
        np.testing.assert_array_equal(text, np.load(tmp_path / f"{name}.npy"))


def test_one_feature_one_sample(synth):
    y, d = synth(dimension=1, samples=1)
    assert y.shape == (1, 1) and np.abs(d) == 1
