# SPDX-License-Identifier: Apache-2.0
"""scan: which number of atoms."""

import xml.etree.ElementTree

import numpy as np
import pytest

USAGE, NOT_CONVERGED = 2, 4


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """Eight sparse sources in twenty dimensions, with white noise."""
    rng = np.random.default_rng(5)
    sources = rng.standard_normal((3000, 8)) * (rng.random((3000, 8)) < 0.1)
    path = tmp_path_factory.mktemp("scan") / "x.npy"
    np.save(path, sources @ rng.standard_normal((8, 20)) + 0.1 * rng.standard_normal((3000, 20)))
    return path


def test_recommends_the_number_of_sources(run, samples, tmp_path):
    answer = run("scan", samples, "--atoms", "4:16:6", "--runs", "4", "--picture", tmp_path / "s.svg", "--json").json
    assert 7 <= answer["recommended"] <= 9
    tried = [row["atoms"] for row in answer["numbers"]]
    assert {4, 10, 16} < set(tried)
    assert tried == sorted(tried)
    assert answer["numbers"][-1]["stable"] == 8
    likelihoods = {row["atoms"]: row["held_out"] for row in answer["numbers"]}
    assert likelihoods[10] > likelihoods[4]
    assert xml.etree.ElementTree.parse(tmp_path / "s.svg").getroot().tag.endswith("svg")


def test_table_has_a_line_for_each_number(run, samples):
    text = run("scan", samples, "--atoms", "8,12", "--runs", "2", "--refinements", "0").text
    lines = text.splitlines()
    assert lines[0].split() == ["atoms", "stable", "robust", "singles", "conserved", "held-out", "seconds"]
    assert [line.split()[0] for line in lines[1:3]] == ["8", "12"]
    assert lines[3].startswith("recommended: 8 atoms, the least number of atoms with 8 stable ones")
    assert lines[4].startswith("by OptICA's rule: ")


def test_nothing_is_recommended_where_nothing_is_stable(run, tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(1).standard_normal((600, 20)))
    asked = ["scan", tmp_path / "x.npy", "--atoms", "1,14", "--runs", "6"]
    drawn = run(*asked, "--picture", tmp_path / "s.svg", "--json", expect=NOT_CONVERGED)
    assert drawn.json["recommended"] is None
    assert drawn.json["optica"] is None
    assert xml.etree.ElementTree.parse(tmp_path / "s.svg").getroot().tag.endswith("svg")
    text = run(*asked, expect=NOT_CONVERGED).text
    assert "recommended: no number, because no number of atoms gives a stable one" in text
    assert "by OptICA's rule: no number, because no number of atoms gives a robust one" in text


def test_a_step_beyond_all_numbers_leaves_one(run, samples):
    asked = ["--atoms", f"3:4:{2**63 - 1}", "--runs", "2", "--refinements", "0", "--resample", "none", "--json"]
    assert [row["atoms"] for row in run("scan", samples, *asked).json["numbers"]] == [3]


def test_a_range_ends_at_the_rank(run, samples):
    asked = ["scan", samples, "--atoms", "8:40:16", "--runs", "2", "--refinements", "0", "--resample", "none"]
    answer = run(*asked, "--json").json
    assert [row["atoms"] for row in answer["numbers"]] == [8, 20]
    assert answer["reason"].endswith("; 20 is the rank of the samples, and larger numbers weren't tried")
    assert "the rank" not in run("scan", samples, "--atoms", "8,20", *asked[4:], "--json").json["reason"]


@pytest.mark.parametrize("asked, complaint", [
    (["--atoms", "5:3:1"], "--atoms = 5:3:1: must be FIRST:LAST:STEP"),
    (["--atoms", "0,3"], "--atoms = 0,3"),
    (["--atoms", "3:x:1"], "--atoms = 3:x:1"),
    (["--atoms", "1:5000:1"], "at most 1000"),
    (["--atoms", "3", "--runs", "1"], "runs = 1: must be at least 2 for a scan"),
    (["--atoms", "3", "--picture", "s.png"], "--picture = s.png: must be an .svg file"),
    (["--atoms", "3", "--whiten", "none"], "whiten = none: must be zca or pca for a scan"),
    (["--atoms", "3", "--max-iterations", "5"], "max_iterations = 5: must be enough for the first run of 3 atoms"),
])  # fmt: skip
def test_what_is_not_possible_is_refused(run, samples, asked, complaint):
    assert complaint in run("scan", samples, *asked, expect=USAGE).stderr
