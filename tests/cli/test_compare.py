# SPDX-License-Identifier: Apache-2.0
"""compare, and fit with the methods that orthodict is compared with."""

import harness
import numpy as np
import pytest
from harness import Model, scale_free_error

USAGE, DATA, NOT_CONVERGED = 2, 3, 4
BASELINES = ["ksvd", "online", "subgradient", "subgradient_oracle", "fastica", "fastica_deflation", "pca"]
# Methods that recover the dictionary of the small data set, and their errors: the statistical floor of FastICA and ℓ4 at
# p = 400 n is a third of a per cent; ℓ1 methods are below it.
RECOVERS = {"auto": 1e-10, "msp": 0.01, "msp:l3": 0.01, "ksvd": 0.01, "online": 0.001, "subgradient": 0.001,
            "subgradient_oracle": 0.01, "fastica": 0.01, "fastica_deflation": 0.01}  # fmt: skip


def rows_of(answer):
    return {row["method"]: row for row in answer.json["methods"]}


@pytest.fixture(scope="module")
def table(small, tmp_path_factory):
    """The whole table of the small data set."""
    methods = ",".join([*RECOVERS, "pca"])
    return rows_of(harness.run_command("compare", small.samples, "--truth", small.truth, "--methods", methods, "--json",
                                       cwd=tmp_path_factory.mktemp("compare")))  # fmt: skip


@pytest.mark.parametrize("method", RECOVERS)
def test_each_method_recovers_the_dictionary(table, method):
    assert table[method]["error"] <= RECOVERS[method]
    assert table[method]["worst_cosine"] > 0.98
    assert table[method]["seconds"] > 0


def test_pca_finds_no_dictionary(table):
    assert table["pca"]["error"] > 0.3


def test_sparsity_is_that_of_the_codes(run, small, table, tmp_path):
    run("fit", small.samples, "--method", "pca", "--output", "m.npz")
    z = Model(tmp_path / "m.npz").codes(small.x)
    second = np.mean(z**2, axis=0)
    np.testing.assert_allclose(table["pca"]["kurtosis"], np.mean(np.mean(z**4, axis=0) / second**2), rtol=1e-10)
    np.testing.assert_allclose(table["pca"]["l1"], np.mean(np.mean(np.abs(z), axis=0) / np.sqrt(second)), rtol=1e-10)
    # θ = .3: kurtosis 3/θ, mean |z|/rms = √(2θ/π).
    assert table["auto"]["kurtosis"] == pytest.approx(10, rel=0.1)
    assert table["auto"]["l1"] == pytest.approx(np.sqrt(2 * 0.3 / np.pi), rel=0.05)


def test_table_for_people(run, small):
    lines = run("compare", small.samples, "--methods", "pca,auto").text.splitlines()
    assert lines[0].split()[:2] == ["method", "error"]
    assert [line.split()[:2] for line in lines[1:]] == [["pca", "-"], ["auto", "-"]]


def test_a_method_that_fails_does_not_keep_the_others_from_the_table(run, tmp_path):
    """K-SVD refuses ten nonzeros of six atoms; equal samples have no variance for PCA."""
    np.save(tmp_path / "y.npy", np.random.default_rng(0).standard_normal((100, 6)))
    answer = run("compare", "y.npy", "--methods", "pca,ksvd", "--sparsity", 10, "--json", expect=USAGE)
    rows = rows_of(answer)
    assert "sparsity" in rows["ksvd"]["failure"] and "10" in rows["ksvd"]["failure"]
    assert rows["pca"]["termination"] == "converged"
    np.save(tmp_path / "y.npy", np.ones((100, 6)))
    rows = rows_of(run("compare", "y.npy", "--methods", "pca,ksvd", "--json", expect=DATA))
    assert "y.npy" in rows["pca"]["failure"]
    assert rows["ksvd"]["error" if "error" in rows["ksvd"] else "kurtosis"] == pytest.approx(1)


@pytest.mark.parametrize("scale", [1e-150, 1e100])
def test_sparsity_does_not_depend_on_scale(run, small, table, tmp_path, scale):
    dead = np.column_stack([scale * small.x, np.zeros(len(small.x))])
    np.save(tmp_path / "y.npy", dead)
    rows = rows_of(run("compare", "y.npy", "--methods", "pca", "--json"))
    for name in ("kurtosis", "l1"):
        assert rows["pca"][name] == pytest.approx(table["pca"][name], rel=1e-9)


def test_complete_dictionaries(run, skewed):
    """Condition 4: for msp and subgradient samples have to be whitened, which K-SVD and PCA don't know of."""
    answer = run("compare", skewed.samples, "--truth", skewed.truth, "--dictionary", "complete", "--methods",
                 "auto,msp,subgradient,ksvd,pca", "--json")  # fmt: skip
    rows = rows_of(answer)
    assert rows["auto"]["error"] < 1e-10
    assert rows["msp"]["error"] < 0.02 and rows["subgradient"]["error"] < 0.02


def test_samples_may_come_last(run, small):
    assert set(rows_of(run("compare", "--methods", "pca,auto", small.samples, "--json"))) == {"pca", "auto"}


@pytest.mark.parametrize("methods, named", [
    ("auto,nonsense", "nonsense"),
    ("msp:l1", "l1"),
    ("subgradient_oracle", "--truth"),
    ("", "methods"),
    ("pca --threads 0", "threads"),
    ("pca --max-iterations -1", "max_iterations"),
    ("pca --time-limit 0", "time_limit"),
])  # fmt: skip
def test_methods_that_are_refused(run, small, methods, named):
    options = methods.split(" ")
    assert named in run("compare", small.samples, "--methods", *options, expect=USAGE).stderr


@pytest.mark.parametrize("method", BASELINES)
def test_fit_by_a_baseline(run, small, tmp_path, method):
    report = run("fit", small.samples, "--method", method, "--truth", small.truth, "--trace", "t.csv", "--output",
                 "m.npz", "--json").json  # fmt: skip
    model = Model(tmp_path / "m.npz")
    assert report["method"] == method == model.metadata["options"]["method"]
    assert report["termination"] == "converged"
    assert report["error"] == pytest.approx(scale_free_error(model.analysis, small.d), abs=1e-12)
    np.testing.assert_allclose(np.linalg.norm(model.dictionary, axis=1), 1, rtol=1e-12)
    # A complete dictionary and its code are inverse to each other.
    np.testing.assert_allclose(model.analysis @ model.dictionary.T, np.eye(10), atol=1e-9)
    assert len((tmp_path / "t.csv").read_text().splitlines()) == len(set((tmp_path / "t.csv").read_text().splitlines()))


def test_parameters_are_kept(run, small, tmp_path):
    """What K-SVD allows its codes for an error isn't the error of the dictionary."""
    report = run("fit", small.samples, "--method", "ksvd", "--output", "m.npz", "--json").json
    assert "error" not in report
    assert set(report["parameters"]) == {"sparsity", "code_error"}
    assert Model(tmp_path / "m.npz").metadata["options"]["parameters"] == report["parameters"]
    assert "sparsity" in run("fit", small.samples, "--method", "ksvd", "--verbose").text


@pytest.mark.parametrize("method", BASELINES)
def test_baselines_give_the_same_bits_for_any_number_of_threads(run, small, tmp_path, method):
    for threads in (1, 3):
        run("fit", small.samples, "--method", method, "--truth", small.truth, "--threads", threads, "--output",
            f"{threads}.npz")  # fmt: skip
    assert (tmp_path / "1.npz").read_bytes() == (tmp_path / "3.npz").read_bytes()


@pytest.mark.parametrize("method", [name for name in BASELINES if name != "subgradient_oracle"])
@pytest.mark.parametrize("options", [
    ("--stretch", "l3"),
    ("--theta", 0.3),
    ("--step", 1),
    ("--remove-bias",),
    ("--precision", "f32"),
    ("--atoms", 0),
    ("--max-iterations", -1),
    ("--threads", 0),
])  # fmt: skip
def test_options_that_a_baseline_does_not_have(run, small, method, options):
    name = options[0].removeprefix("--").replace("-", "_")
    answer = run("fit", small.samples, "--method", method, *options, expect=USAGE)
    assert name in answer.stderr.replace("-", "_")


@pytest.mark.parametrize("method, options, named", [
    ("ksvd", ("--sparsity", 0), "sparsity"),
    ("ksvd", ("--sparsity", 11), "sparsity"),
    ("online", ("--penalty", 0), "penalty"),
    ("online", ("--penalty", "nan"), "penalty"),
    ("ksvd", ("--whiten", "zca"), "whiten"),
    ("subgradient", ("--atoms", 11), "atoms"),
    ("fastica", ("--atoms", 11), "atoms"),
    ("subgradient_oracle", (), "truth"),
    ("auto", ("--sparsity", 3), "sparsity"),
    ("online", ("--sparsity", 3), "sparsity"),
    ("ksvd", ("--penalty", 0.1), "penalty"),
    ("msp:l3", ("--stretch", "l4"), "stretch"),
])  # fmt: skip
def test_parameters_that_are_refused(run, small, method, options, named):
    assert named in run("fit", small.samples, "--method", method, *options, expect=USAGE).stderr


@pytest.mark.parametrize("method", [*BASELINES, "auto", "msp"])
def test_odd_data(run, tmp_path, method):
    """Duplicates, a constant feature, fewer samples than features: a model, or a clear error; never a crash."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((30, 6)) * (rng.random((30, 6)) < 0.4)
    np.save(tmp_path / "d.npy", np.eye(6))
    for name, data in {
        "duplicates": np.repeat(x[:3], 10, axis=0),
        "constant": np.column_stack([x[:, :5], np.full(30, 2.0)]),
        "few": x[:4],
        "one": x[:1],
        "zero": 0 * x,
        "small": 1e-150 * x,
    }.items():
        np.save(tmp_path / "y.npy", data)
        done = harness.subprocess.run([str(harness.BINARY), "fit", "y.npy", "--method", method, "--truth", "d.npy",
                                       "--max-iterations", "20", "--output", f"{name}.npz"],
                                      cwd=tmp_path, capture_output=True, timeout=harness.TIMEOUT_SECONDS)  # fmt: skip
        harness.check_alive(done.returncode, done.stderr, tmp_path)
        assert done.returncode in (0, DATA, NOT_CONVERGED), (name, done)
        if done.returncode == DATA:
            assert b"y.npy" in done.stderr or b"d.npy" in done.stderr, (name, done)
        else:
            assert np.all(np.isfinite(Model(tmp_path / f"{name}.npz").dictionary)), name
