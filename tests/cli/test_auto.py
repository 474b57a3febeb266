# SPDX-License-Identifier: Apache-2.0
"""fit with method auto, the default: what it finds without being told, how sure it says it is, and what it refuses."""

import csv
import itertools

import harness
import numpy as np
import pytest
import scipy.linalg
from harness import EPSILON, Model, polar

USAGE, NOT_CONVERGED = 2, 4

# The error of a run whose last step was below 1e-9 is the square of that, or rounding.
EXACT = 1e-10


@pytest.fixture
def synth(run):
    """synth(*options): ten features of 4000 samples in y.npy, their dictionary in d.npy."""

    def make(*options):
        run("synth", "--dimension", 10, "--samples", 4000, *options, "--output", "y.npy", "--truth", "d.npy")

    return make


@pytest.fixture
def fit(run, tmp_path):
    """fit(*options): the report on y.npy, or on other samples, and the model."""

    def learn(*options, samples="y.npy", expect=0):
        report = run("fit", samples, *options, "--output", "m.npz", "--json", expect=expect).json
        return report, Model(tmp_path / "m.npz")

    return learn


@pytest.fixture
def noisy(synth):
    synth("--theta", 0.2, "--noise", 0.1, "--seed", 1)


@pytest.fixture
def gaussian(synth):
    synth("--theta", 1, "--seed", 1)


def test_exact_recovery(fit, small):
    report, model = fit("--truth", small.truth, samples=small.samples)
    assert report["termination"] == "converged"
    assert report["error"] <= EXACT
    assert report["method"] == "auto"
    assert report["stretch"] is None
    assert report["established"] == 10
    assert min(report["confidence"]) >= 0.5
    np.testing.assert_array_equal(model.confidence, report["confidence"])


def test_share_and_noise_of_the_coefficients(fit, small):
    """Zeros that are exact are counted, and there is no noise."""
    report, _ = fit(samples=small.samples)
    share = np.mean(np.abs(small.x @ small.d.T) > 1e-9)
    assert report["theta"] == pytest.approx(share, rel=4 * EPSILON)
    assert report["noise"] == 0


def test_metadata_tells_what_was_asked_and_what_was_found(fit, small):
    report, model = fit(samples=small.samples)
    options, summary = model.metadata["options"], model.metadata["summary"]
    assert options["method"] == "auto" and options["dictionary"] == "auto"
    left_out = ("stretch", "theta", "whiten", "center", "atoms", "precision", "max_iterations")
    assert all(options[name] is None for name in left_out)
    found = ("dictionary", "center", "theta", "noise", "established", "precision", "iterations", "termination")
    assert {name: summary[name] for name in found} == {name: report[name] for name in found}


def test_noise_is_measured(fit, run, noisy):
    """Better than l4, and not taken for exact zeros. The least coefficients can't be told from noise, nor the largest
    noise from coefficients: the estimates are of a few digits."""
    report, _ = fit("--truth", "d.npy")
    assert report["termination"] == "converged"
    assert report["established"] == 10
    assert report["noise"] == pytest.approx(0.1, rel=0.02)
    assert report["theta"] == pytest.approx(0.2, abs=0.02)
    assert report["error"] < run("fit", "y.npy", "--method", "msp", "--truth", "d.npy", "--json").json["error"]


def test_gaussian_samples_are_not_established(fit, run, gaussian):
    report, model = fit(expect=NOT_CONVERGED)
    assert report["termination"] == "not_established"
    assert report["established"] == 0
    assert report["theta"] is None and report["noise"] is None
    assert max(report["confidence"]) < 0.5
    np.testing.assert_array_equal(model.confidence, report["confidence"])
    text = run("fit", "y.npy", expect=NOT_CONVERGED).text
    assert "not_established" in text and "confirm no atom" in text
    assert "not_established" in run("info", "m.npz").text


def test_samples_that_are_zero_are_not_established(fit, gaussian, tmp_path):
    """Every direction is orthogonal to them, so that they speak for none."""
    x = np.load(tmp_path / "y.npy")
    x[:200] = 0
    np.save(tmp_path / "y.npy", x)
    report, _ = fit(expect=NOT_CONVERGED)
    assert report["termination"] == "not_established"
    assert report["established"] == 0


@pytest.fixture(scope="module")
def half(tmp_path_factory):
    """Six sparse sources with a little noise, and six that are Gaussian, all of unit variance, mixed orthogonally."""
    folder = tmp_path_factory.mktemp("half")
    rng = np.random.default_rng(0)
    codes = rng.standard_normal((6000, 12))
    codes[:, :6] *= (rng.random((6000, 6)) < 0.2) / np.sqrt(0.2)
    codes[:, :6] += 0.25 * rng.standard_normal((6000, 6))
    atoms = polar(rng.standard_normal((12, 12)))
    np.save(folder / "y.npy", codes / np.std(codes, axis=0) @ atoms)
    return folder / "y.npy", atoms


def test_only_sparse_directions_are_established(fit, half):
    samples, atoms = half
    report, model = fit(samples=samples)
    assert report["termination"] == "converged"
    assert report["established"] == 6
    cosines = np.abs(model.dictionary @ atoms.T)[model.confidence >= 0.5]
    assert sorted(np.argmax(cosines, axis=1)) == list(range(6))
    assert np.min(np.max(cosines, axis=1)) > 0.99


def test_confidence_is_that_of_the_atoms_beside_it(fit, half):
    """Also where a limit ends the run in the middle of an attempt that is worse than an earlier one."""
    samples, atoms = half
    for iterations in range(50, 650, 50):
        _, model = fit("--max-iterations", iterations, samples=samples, expect=NOT_CONVERGED)
        best = np.max((model.dictionary @ atoms.T) ** 2, axis=1)
        assert np.all(best[model.confidence >= 0.5] >= 0.5), f"{iterations} iterations"


MSP_ONLY = [["--remove-bias"], ["--keep-bias"], ["--theta", 0.3], ["--bias-fraction", 0.5], ["--step", 0.1]]


@pytest.mark.parametrize("method", [[], ["--method", "auto"]], ids=["default", "named"])
@pytest.mark.parametrize("options", MSP_ONLY, ids=lambda options: options[0])
def test_options_of_msp_are_refused(run, small, tmp_path, options, method):
    answer = run("fit", small.samples, *method, *options, "--output", "m.npz", expect=USAGE)
    name = "--remove-bias" if options == ["--keep-bias"] else options[0]
    assert answer.stderr.replace("_", "-").startswith(f"orthodict: {name.removeprefix('--')} = ")
    assert "method auto" in answer.stderr
    assert harness.listing(tmp_path) == []


@pytest.mark.parametrize("method", ["auto", "msp"])
def test_naming_a_stretch_is_msp(fit, small, method):
    report, model = fit("--method", method, "--stretch", "soft", "--remove-bias", samples=small.samples)
    assert report["method"] == "msp" and report["stretch"] == "soft:1"
    assert not {"theta", "noise", "established", "confidence"} & set(report)
    assert model.confidence is None


@pytest.mark.parametrize("whiten", ["zca", "pca"])
def test_whitening_an_orthogonal_dictionary_is_refused(run, small, tmp_path, whiten):
    options = ["--dictionary", "orthogonal", "--whiten", whiten]
    answer = run("fit", small.samples, *options, "--output", "m.npz", expect=USAGE)
    assert f"whiten = {whiten}" in answer.stderr and "orthogonal" in answer.stderr
    assert harness.listing(tmp_path) == []


COMPLETE = [["--dictionary", "complete"], ["--whiten", "zca"], ["--whiten", "pca"]]


@pytest.mark.parametrize("options", COMPLETE, ids=" ".join)
def test_complete_dictionary_of_orthogonal_samples(fit, small, options):
    report, _ = fit(*options, "--truth", small.truth, samples=small.samples)
    assert report["dictionary"] == "complete"
    assert report["error"] <= EXACT


@pytest.mark.parametrize("condition, dictionary", [(1, "orthogonal"), (10, "complete")])
def test_kind_of_dictionary_is_found(fit, synth, condition, dictionary):
    synth("--theta", 0.3, "--condition", condition, "--seed", 3)
    report, model = fit("--truth", "d.npy")
    assert report["dictionary"] == dictionary
    assert report["error"] <= EXACT
    assert report["established"] == 10
    np.testing.assert_allclose(model.analysis @ model.dictionary.T, np.eye(10), rtol=0, atol=1e3 * condition * EPSILON)


@pytest.mark.parametrize("atoms", [1, 4, 9])
def test_fewer_atoms_are_those_of_most_energy(fit, small, tmp_path, atoms):
    report, model = fit("--atoms", atoms, "--truth", small.truth, samples=small.samples)
    assert (report["atoms"], report["established"], model.atoms) == (atoms, atoms, atoms)
    assert report["error"] <= EXACT
    energy = np.mean((small.x @ small.d.T) ** 2, axis=0)
    most = np.argsort(-energy)[:atoms]
    np.testing.assert_array_equal(np.argmax(np.abs(model.dictionary @ small.d.T), axis=1), most)


@pytest.mark.parametrize("condition", [1, 10])
def test_constant_offset_is_found(fit, synth, tmp_path, condition):
    """Not the mean of the samples, which errs by their number, but the point where coefficients are exactly zero."""
    synth("--theta", 0.3, "--condition", condition, "--seed", 3)
    offset = np.linspace(-2, 3, 10)
    np.save(tmp_path / "off.npy", np.load(tmp_path / "y.npy") + offset)
    report, model = fit("--truth", "d.npy", samples="off.npy")
    assert report["center"] is True
    assert report["error"] <= EXACT
    assert report["theta"] == pytest.approx(0.3, abs=0.01)
    np.testing.assert_allclose(model.mean, offset, rtol=0, atol=1e-8)


def test_centred_samples_are_left_where_they_are(fit, small):
    report, model = fit(samples=small.samples)
    assert report["center"] is False
    np.testing.assert_array_equal(model.mean, np.zeros(10))
    assert fit("--center", samples=small.samples)[0]["center"] is True


@pytest.mark.parametrize("options", [["--no-center"], ["--dictionary", "orthogonal"]], ids=" ".join)
def test_offset_that_is_to_stay(fit, small, tmp_path, options):
    np.save(tmp_path / "off.npy", small.x + 0.1)
    assert fit(samples="off.npy")[0]["center"] is True
    report, model = fit(*options, "--max-iterations", 3, samples="off.npy", expect=NOT_CONVERGED)
    assert report["center"] is False
    np.testing.assert_array_equal(model.mean, np.zeros(10))


THREADS = {
    "orthogonal": (["--theta", 0.3], 0),
    "complete": (["--theta", 0.3, "--condition", 10], 0),
    "noisy": (["--theta", 0.2, "--noise", 0.2], 0),
    "gaussian": (["--theta", 1], NOT_CONVERGED),
}


@pytest.mark.parametrize("data", THREADS)
def test_model_does_not_depend_on_threads(run, synth, tmp_path, data):
    options, code = THREADS[data]
    synth(*options, "--seed", 5)
    models = set()
    for threads in (1, 2, 3, 5):
        report = run("fit", "y.npy", "--threads", threads, "--output", "m.npz", "--json", expect=code).json
        assert report["threads"] == threads
        models.add((tmp_path / "m.npz").read_bytes())
    assert len(models) == 1


def test_iterations_used_up(fit, run, small):
    report, model = fit("--max-iterations", 3, samples=small.samples, expect=NOT_CONVERGED)
    assert report["termination"] == model.metadata["summary"]["termination"] == "max_iterations"
    assert report["established"] == 0 and max(model.confidence) < 0.5
    np.testing.assert_allclose(model.dictionary @ model.dictionary.T, np.eye(10), rtol=0, atol=100 * EPSILON)
    text = run("fit", small.samples, "--max-iterations", 3, expect=NOT_CONVERGED).text
    assert "max_iterations" in text and "no atom established yet" in text


def test_trace_tells_the_stages(run, small, tmp_path):
    report = run("fit", small.samples, "--truth", small.truth, "--trace", "t.csv", "--json").json
    with open(tmp_path / "t.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["iteration", "objective", "step", "seconds", "stage", "samples", "error"]
    assert [stage for stage, _ in itertools.groupby(row["stage"] for row in rows)] == ["explore", "refine", "finish"]
    assert [int(row["iteration"]) for row in rows] == list(range(report["iterations"] + 1))
    samples = [int(row["samples"]) for row in rows]
    # The last row is the result, evaluated on the part that was explored.
    assert samples[:-1] == sorted(samples[:-1]) and samples[0] == samples[-1] < samples[-2] == 4000
    assert rows[0]["step"] == "" and all(float(row["step"]) >= 0 for row in rows[1:])
    assert float(rows[0]["error"]) > 0.1 and float(rows[-1]["error"]) <= EXACT
    verbose = run("fit", small.samples, "--verbose").text
    assert all(f" {stage} " in verbose for stage in ("explore", "refine", "finish"))


def test_bytes(fit, tmp_path):
    """Whole coefficients and a Hadamard matrix, so that bytes hold the samples exactly."""
    rng = np.random.default_rng(4)
    codes = rng.integers(-12, 13, (3000, 8)) * (rng.random((3000, 8)) < 0.3)
    atoms = scipy.linalg.hadamard(8)
    np.save(tmp_path / "y.npy", (codes @ atoms + 128).astype("u1"))
    np.save(tmp_path / "d.npy", atoms)
    report, model = fit("--truth", "d.npy")
    assert (report["dictionary"], report["center"], report["established"]) == ("orthogonal", True, 8)
    assert report["error"] <= EXACT
    np.testing.assert_allclose(model.mean, 128, rtol=0, atol=1e-8)


@pytest.mark.parametrize("condition", [1, 10])
def test_samples_in_single_precision(fit, synth, condition):
    """Rounding to single precision is noise of 1e-8, and zeros still are told from coefficients."""
    synth("--theta", 0.3, "--condition", condition, "--precision", "f32", "--seed", 3)
    report, _ = fit("--truth", "d.npy")
    assert report["precision"] == "f64"
    assert report["established"] == 10
    assert report["error"] <= EXACT


@pytest.mark.parametrize("precision", ["f32", "mixed"])
@pytest.mark.parametrize("condition", [1, 10])
def test_arithmetic_in_single_precision(fit, synth, condition, precision):
    """What rounding leaves of zeros is not taken for coefficients."""
    synth("--theta", 0.3, "--condition", condition, "--seed", 3)
    report, _ = fit("--precision", precision, "--truth", "d.npy")
    assert report["precision"] == ("f32" if precision == "f32" else "f64")
    assert report["termination"] == "converged"
    assert report["theta"] == pytest.approx(0.3, abs=0.01)
    assert report["error"] <= 1e-6


@pytest.mark.parametrize("tolerance", [0, 1e-15])
def test_nothing_below_rounding_is_waited_for(fit, synth, tolerance):
    synth("--theta", 0.2, "--noise", 0.2, "--seed", 1)
    report, _ = fit("--tolerance", tolerance)
    assert report["termination"] == "converged"
    assert tolerance < report["tolerance"] < 1e-12


def test_a_truth_of_fewer_atoms_is_compared_with_those_closest_to_it(run, small, tmp_path):
    """How many atoms there are is known after the fit only."""
    np.save(tmp_path / "few.npy", small.d[:7])
    report = run("fit", small.samples, "--truth", "few.npy", "--output", "m.npz", "--json").json
    assert report["atoms"] == 10
    assert report["error"] < 1e-10
    assert report["worst_cosine"] > 1 - 1e-10
