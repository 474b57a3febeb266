# SPDX-License-Identifier: Apache-2.0
"""fit with several runs."""

import json

import numpy as np
import pytest

USAGE, NOT_CONVERGED = 2, 4
OF_ATOMS = ("stability", "found", "resampled_stability", "resampled_found")


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """Five Laplace-distributed sources and nine Gaussian ones, mixed."""
    rng = np.random.default_rng(7)
    sources = rng.standard_normal((3000, 14))
    sources[:, :5] = rng.laplace(size=(3000, 5))
    path = tmp_path_factory.mktemp("consensus") / "x.npy"
    np.save(path, sources @ rng.standard_normal((14, 14)))
    return path


def test_one_run_gives_the_bytes_of_a_plain_fit(run, samples, tmp_path):
    for name, asked in (("plain", ()), ("one", ("--runs", "1"))):
        run("fit", samples, *asked, "--output", tmp_path / f"{name}.npz")
    assert (tmp_path / "plain.npz").read_bytes() == (tmp_path / "one.npz").read_bytes()


def test_json_and_model_have_how_well_each_atom_comes_again(run, samples, tmp_path):
    answer = run("fit", samples, "--runs", "4", "--output", tmp_path / "m.npz", "--json").json
    assert (answer["runs"], answer["resampled_runs"], answer["stable"]) == (4, 4, 5)
    assert answer["stable_atoms"].count(True) == 5
    model = np.load(tmp_path / "m.npz")
    for name in OF_ATOMS:
        assert answer[name] == model[name].tolist()
    metadata = json.loads(str(model["metadata"]))
    assert metadata["options"]["runs"] == 4
    assert metadata["summary"]["stable"] == 5
    by_hand = np.all([model["stability"] >= 0.8, model["found"] >= 0.5, model["resampled_stability"] >= 0.8,
                      model["resampled_found"] >= 0.5], axis=0)  # fmt: skip
    assert by_hand.tolist() == answer["stable_atoms"]


def test_a_single_run_has_none_of_that(run, samples):
    answer = run("fit", samples, "--json").json
    assert answer["runs"] == 1
    assert not {"resampled_runs", "stable", "stable_atoms", *OF_ATOMS} & set(answer)


def test_bytes_depend_on_the_seed_and_not_on_threads(run, samples, tmp_path):
    def model_of(*asked):
        run("fit", samples, "--runs", "3", *asked, "--output", tmp_path / "m.npz")
        return (tmp_path / "m.npz").read_bytes()

    one = model_of("--threads", "1")
    assert one == model_of("--threads", "2") == model_of("--threads", "7")
    assert one != model_of("--seed", "1")


def test_stable_atoms_alone(run, samples, tmp_path):
    answer = run("fit", samples, "--runs", "4", "--stable-only", "--output", tmp_path / "m.npz", "--json").json
    assert answer["atoms"] == answer["stable"] == 5
    assert np.load(tmp_path / "m.npz")["dictionary"].shape == (5, 14)


def test_a_fit_that_is_cut_short_says_that_it_has_no_consensus(run, samples):
    asked = ["--runs", "4", "--stable-only", "--max-iterations", "2"]
    answer = run("fit", samples, *asked, expect=NOT_CONVERGED)
    assert "no consensus, because the fit ended before its 4 runs were complete" in answer.text
    assert "no atom is known to be stable without a consensus" in answer.stderr


@pytest.mark.parametrize("asked, complaint", [
    (["--runs", "0"], "runs = 0: must be an integer from 1 to 10000"),
    (["--resample", "halves"], "resample = halves: must be left out with a single run"),
    (["--runs", "2", "--resample", "thirds"], "resample = thirds: must be halves, bootstrap or none"),
    (["--runs", "2", "--resample", "halves", "--no-resample"], "--no-resample excludes --resample"),
    (["--runs", "2", "--no-resample", "--resample", "halves"], "--no-resample excludes --resample"),
    (["--runs", "2", "--method", "ksvd"], "runs = 2: must be left out with method ksvd"),
])  # fmt: skip
def test_what_is_not_possible_is_refused(run, samples, asked, complaint):
    assert complaint in run("fit", samples, *asked, expect=USAGE).stderr
