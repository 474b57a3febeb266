# SPDX-License-Identifier: Apache-2.0
"""More atoms than dimensions, from made-up data to codes and a report."""

import numpy as np
import pytest


@pytest.fixture
def problem(run, tmp_path):
    run("synth", "--dimension", 20, "--samples", 1500, "--atoms", 50, "--nonzeros", 3, "--seed", 1,
        "--output", "y.npy", "--truth", "d.npy")  # fmt: skip
    return np.load(tmp_path / "y.npy"), np.load(tmp_path / "d.npy")


def test_all_atoms_are_found(run, problem, tmp_path):
    y, truth = problem
    assert truth.shape == (50, 20)
    found = run("fit", "y.npy", "--dictionary", "overcomplete", "--truth", "d.npy", "--output", "m.npz", "--json").json
    assert (found["atoms"], found["established"], found["dictionary"]) == (50, 50, "overcomplete")
    assert found["noise"] == 0 and found["theta"] == pytest.approx(0.06, abs=0.003)
    assert len(found["usage"]) == 50 and found["worst_cosine"] > 1 - 1e-10
    with np.load(tmp_path / "m.npz") as model:
        assert "analysis" not in model and str(model["coder"]) == "omp"
        np.testing.assert_array_equal(model["confidence"], np.ones(50))
    result = run("eval", "m.npz", "--truth", "d.npy", "--json").json
    assert (result["hits"], result["true_atoms"]) == (50, 50) and result["error"] < 1e-10
    assert "50 atoms in 20 dimensions" in run("info", "m.npz").text

    run("encode", "m.npz", "y.npy", "--output", "z.npy")
    run("decode", "m.npz", "z.npy", "--output", "back.npy")
    # All but the few samples whose code a greedy choice misses.
    exact = np.abs(np.load(tmp_path / "back.npy") - y).max(axis=1) < 1e-8
    assert exact.mean() > 0.95
    run("report", "m.npz", "--data", "y.npy", "--output", "report.html")
    assert (tmp_path / "report.html").stat().st_size > 10000


def test_atoms_beyond_the_features_imply_it(run, problem):
    found = run("fit", "y.npy", "--atoms", 50, "--truth", "d.npy", "--json").json
    assert found["dictionary"] == "overcomplete" and found["atoms"] == 50


def test_a_truth_with_fewer_or_more_atoms(run, problem, tmp_path):
    _, truth = problem
    run("fit", "y.npy", "--dictionary", "overcomplete", "--output", "m.npz")
    np.save(tmp_path / "few.npy", truth[:30])
    np.save(tmp_path / "many.npy", np.vstack([truth, np.eye(20)]))
    few = run("eval", "m.npz", "--truth", "few.npy", "--json").json
    assert few["hits"] == 30 and few["worst_cosine"] > 1 - 1e-10 and len(few["matches"]) == 50
    many = run("eval", "m.npz", "--truth", "many.npy").text
    assert "50 of 70 true atoms found" in many


def test_a_truth_with_fewer_atoms_than_are_learned(run, tmp_path):
    """A complete dictionary may come out, of which the truth has a part; models without atoms aren't observed."""
    run("synth", "--dimension", 10, "--samples", 2000, "--theta", 0.4, "--output", "y.npy", "--truth", "d.npy")
    np.save(tmp_path / "few.npy", np.load(tmp_path / "d.npy")[:6])
    found = run("fit", "y.npy", "--dictionary", "overcomplete", "--truth", "few.npy", "--trace", "t.csv", "--json").json
    assert found["dictionary"] == "complete" and found["worst_cosine"] > 1 - 1e-8
    np.save(tmp_path / "g.npy", np.random.default_rng(1).standard_normal((10, 10)))
    run("fit", "g.npy", "--dictionary", "overcomplete", "--truth", "few.npy", "--trace", "t.csv", expect=4)


def test_nothing_to_find(run, tmp_path):
    np.save(tmp_path / "g.npy", np.random.default_rng(1).standard_normal((2000, 12)))
    found = run("fit", "g.npy", "--dictionary", "overcomplete", "--json", expect=4).json
    assert found["termination"] == "not_established" and found["established"] == 0


def test_synthetic_codes(run, tmp_path):
    """So many nonzeros in each code, atoms as often as asked for, and signs if asked for."""
    np.save(tmp_path / "eye.npy", np.eye(40))
    made = ["synth", "--dimension", 40, "--dictionary-from", "eye.npy", "--samples", 4000, "--nonzeros", 4]
    run(*made, "--frequencies", 1, "--signs", "--output", "x.npy")
    x = np.load(tmp_path / "x.npy")
    assert np.all(np.count_nonzero(x, axis=1) == 4)
    assert set(np.unique(x)) == {-1, 0, 1}
    uses = np.count_nonzero(x, axis=0)
    # Drawn without replacement, the first atom is in most codes; further down frequencies follow 1/i.
    assert uses[0] > 0.6 * 4000
    assert uses[9] / uses[39] == pytest.approx(4, rel=0.3)
    run(*made, "--output", "normal.npy")
    uses = np.count_nonzero(np.load(tmp_path / "normal.npy"), axis=0)
    assert np.all(np.abs(uses - 400) < 5 * np.sqrt(400))
