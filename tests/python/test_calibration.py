# SPDX-License-Identifier: Apache-2.0
"""experiments/calibration: generated data, a score of 1 for the truth, limits that can fail, and a small run."""

import importlib
import json
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pandas
import pytest
from support import REPOSITORY, TIMEOUT_SECONDS

FOLDER = REPOSITORY / "experiments" / "calibration"
MODULES = ("signals", "classes", "measure", "judge", "peers")


@pytest.fixture(scope="module")
def calibration():
    """The experiment's modules. Other experiments have some of the same names, so they are forgotten afterwards."""
    sys.path.insert(0, str(FOLDER))
    before = {name: sys.modules.pop(name, None) for name in MODULES}
    yield SimpleNamespace(**{name: importlib.import_module(name) for name in MODULES})
    sys.path.remove(str(FOLDER))
    for name, module in before.items():
        del sys.modules[name]
        if module:
            sys.modules[name] = module


# Data.


def test_classes_are_many_and_few_of_them_clean(calibration):
    kinds = [data_class.kind for data_class in calibration.classes.CLASSES.values()]
    assert set(kinds) == {"null", "clean", "other"} and len(kinds) >= 34
    assert kinds.count("clean") <= (len(kinds) - kinds.count("null")) / 3


def test_seeds_see_all_sizes(calibration):
    sizes = calibration.classes.sizes
    assert len({sizes(seed) for seed in range(16)}) == 16
    assert all(len({sizes(seed)[part] for seed in range(4)}) == 4 for part in (0, 1))


def test_shapes_and_truth_of_every_class(calibration):
    for name, data_class in calibration.classes.CLASSES.items():
        made, again = (calibration.classes.problem(name, 0) for _ in range(2))
        n, p = data_class.size(0)
        assert made.samples.shape == (p, n) and np.isfinite(made.samples).all(), name
        assert np.array_equal(made.samples, again.samples), name
        if data_class.kind == "null":
            assert made.dictionary is None and made.sources is None, name
        else:
            assert made.dictionary.shape == (n, n) and made.sources.shape == (p, n), name
            assert made.identifiable.shape == (n,) and made.identifiable.any(), name
        if data_class.kind == "clean":
            assert np.allclose(made.samples, made.sources @ made.dictionary), name
            assert 0.05 < np.mean(made.sources == 0) < 0.95, name


def test_signals_have_unit_variance(calibration):
    """The largest fourth moment of these is 6/0.2: the standard error of a mean square over 400000 is below 0.01."""
    s = calibration.signals
    for draw in (s.gaussian, s.laplace, s.uniform, s.exponential, s.signs, s.sparse(0.2), s.sparse(0.2, s.laplace)):
        values = draw(np.random.default_rng(0), 4, 100000)
        centred = values if draw is not s.exponential else values - 1
        assert abs(np.mean(centred**2) - 1) < 0.05, draw
    noise = calibration.classes.white(0.1)(np.random.default_rng(0), np.full((10000, 4), 3.0)) - 3
    assert abs(noise.std() / 0.3 - 1) < 0.05


def test_samples_that_depend_on_each_other(calibration):
    s = calibration.signals
    rng = np.random.default_rng(0)
    rows = s.repeated(s.laplace)(rng, 3, 1000).reshape(200, s.REPEATS, 3)
    assert np.ptp(rows, axis=1).max() == 0 and len(np.unique(rows[:, 0, 0])) == 200
    shuffled = s.repeated(s.laplace, shuffled=True)(rng, 3, 1000)
    assert set(np.unique(shuffled[:, 0], return_counts=True)[1]) == {s.REPEATS}
    assert np.mean(np.diff(shuffled[:, 0]) == 0) < 0.1
    fine = s.upsampled(s.laplace)(rng, 3, 1000).reshape(250, s.UPSAMPLING, 3)
    assert np.allclose(np.diff(fine, 2, axis=1), 0)
    for memory in (0.9, 0.99):
        # A correlation from 4 columns of 100000 samples with memory errs by about sqrt((1 - memory^2) / 400000).
        signal = s.autoregressive(memory)(rng, 4, 100000)
        assert abs(np.mean(signal[1:] * signal[:-1]) / np.mean(signal**2) - memory) < 0.01
    spoiled = calibration.classes.problem("outliers-3-of-100", 0)
    far = np.linalg.norm(spoiled.samples - spoiled.sources @ spoiled.dictionary, axis=1) > 1e-9
    assert far.sum() == 3


# Scores.


def test_the_truth_scores_one_and_a_turned_pair_a_half(calibration):
    for name in ("sparse-condition-1000", "laplace-scales-100", "half-gaussian"):
        made = calibration.classes.problem(name, 1)
        order = np.random.default_rng(0).permutation(len(made.dictionary))
        atoms = -3 * made.dictionary[order]
        cos2, identifiable = calibration.measure.score(atoms, np.linalg.inv(atoms).T, made)
        assert np.allclose(cos2, 1) and np.array_equal(identifiable, made.identifiable[order]), name
    made = calibration.classes.problem("sparse-0.3-orthogonal", 0)
    atoms = made.dictionary.copy()
    atoms[:2] = np.array([[1, 1], [1, -1]]) / np.sqrt(2) @ atoms[:2]
    cos2, _ = calibration.measure.score(atoms, atoms, made)
    assert np.allclose(cos2, [0.5, 0.5] + [1] * 6)


def test_peers_answers_are_kept_until_samples_change(calibration, tmp_path, monkeypatch):
    made = calibration.classes.problem("sparse-0.3-orthogonal", 0)
    peers = calibration.peers
    atoms, seconds = peers.answer("fastica", "a", made.samples, 0, 1, tmp_path)
    cos2, _ = calibration.measure.score(atoms, np.linalg.pinv(atoms).T, made)
    assert cos2.min() > 0.95
    monkeypatch.setattr(peers, "learn", lambda peer, x, seed, threads: (np.zeros((0, x.shape[1])), 0.0))
    kept, kept_seconds = peers.answer("fastica", "a", made.samples, 0, 1, tmp_path)
    assert np.array_equal(kept, atoms) and kept_seconds == seconds
    changed, _ = peers.answer("fastica", "a", made.samples + 1, 0, 1, tmp_path)
    assert len(changed) == 0


# Limits.


def made_up_atoms(kind, confidence, cos2, name="one"):
    """Twenty-five fits of forty atoms that are all alike."""
    rows = [{"class": name, "kind": kind, "n": 40, "p": 1000, "seed": seed, "atom": atom, "confidence": confidence,
             "cos2": cos2, "identifiable": 1} for seed in range(25) for atom in range(40)]
    return pandas.DataFrame(rows)


def broken(judge, atoms, ours, peer):
    fits = atoms.groupby(["class", "kind", "seed"], as_index=False).size()
    fits = fits.assign(seconds=1.0, ours=ours, peer=peer)
    found = judge.checks(judge.class_table(atoms, fits, ["peer"]), judge.bin_table(atoms))
    return [figure["what"] for figure in found if not figure["passed"]]


@pytest.mark.parametrize("kind, confidence, cos2, peer, words", [
    ("other", 0.98, 0.99, 0.99, []),
    ("other", 0.7, 0.72, 0.72, []),
    ("other", 0.98, 0.6, 0.6, ["are wrong", "confident wrong", "in a bin"]),
    ("other", 0.4, 0.99, 0.99, ["are missed", "are confident", ": missed"]),
    ("other", 0.8, 0.99, 0.99, ["are confident"]),
    ("other", 0.8, 0.74, 0.74, ["in a bin"]),
    ("other", 0.7, 0.72, 0.74, ["best peer"]),
    ("other", 0.2, 0.5, 0.69, []),
    ("null", 0.4, np.nan, np.nan, []),
    ("null", 0.6, np.nan, np.nan, ["above 0.5"]),
    ("null", 0.95, np.nan, np.nan, ["above 0.9", "above 0.5"]),
])  # fmt: skip
def test_each_limit_can_be_broken(calibration, kind, confidence, cos2, peer, words):
    found = broken(calibration.judge, made_up_atoms(kind, confidence, cos2), cos2, peer)
    assert len(found) == len(words) and all(word in what for word, what in zip(words, found)), found


def test_a_difference_within_two_standard_errors_is_allowed(calibration):
    noise = np.tile([-0.2, 0.2], 13)[:25]  # the standard error of its mean is 0.04
    assert broken(calibration.judge, made_up_atoms("other", 0.7, 0.72), 0.72 + noise, 0.77) == []
    assert len(broken(calibration.judge, made_up_atoms("other", 0.7, 0.72), 0.72 + noise, 0.87)) == 1


# A complete run.


def test_a_small_run(tmp_path):
    options = [tmp_path, "--seeds", 3, "--classes", "gaussian-few", "sparse-0.1-orthogonal", "--no-peers"]
    done = subprocess.run([sys.executable, str(FOLDER / "run.py"), *map(str, options)], capture_output=True, text=True,
                          check=False, timeout=TIMEOUT_SECONDS)
    assert done.returncode == 0 and done.stderr == "", done.stdout + done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {
        "atoms.csv", "fits.csv", "classes.csv", "summary.json", "reliability.png", "classes.png"}
    atoms = pandas.read_csv(tmp_path / "atoms.csv", keep_default_na=False, na_values=[""])
    assert list(atoms) == ["class", "kind", "n", "p", "seed", "atom", "confidence", "cos2", "identifiable"]
    assert len(atoms) == 2 * (8 + 16 + 32)
    sparse = atoms[atoms["kind"] == "clean"]
    assert sparse["cos2"].min() > 0.999 and sparse["confidence"].min() > 0.9
    assert atoms[atoms["kind"] == "null"]["cos2"].isna().all()
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["passed"] and summary["fits"] == 6 and len(summary["checks"]) == 9


def test_unknown_classes_are_refused(tmp_path):
    done = subprocess.run([sys.executable, str(FOLDER / "run.py"), str(tmp_path), "--classes", "nonsense"],
                          capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS)
    assert done.returncode == 2 and "nonsense" in done.stderr
