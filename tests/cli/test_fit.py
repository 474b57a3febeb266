# SPDX-License-Identifier: Apache-2.0
"""The options of fit, most of them with match, stretch, project, of which one step of each kind is checked against its
formula in NumPy, entry by entry."""

import csv

import numpy as np
import pytest
from harness import (
    EPSILON,
    EPSILON_F32,
    Model,
    canonical,
    paper_error,
    paper_error_rounding,
    peak_memory,
    polar,
    power_sum_rounding,
    scale_free_error,
    unsanitized,
)


def soft(mu):
    return (
        lambda z: np.maximum(np.abs(z) - mu, 0) ** 2 / 2,
        lambda z: np.sign(z) * np.maximum(np.abs(z) - mu, 0),
        lambda z: (np.abs(z) > mu).astype(float),
    )


def hard(tau):
    return (
        lambda z: np.maximum(z**2 - tau**2, 0) / 2,
        lambda z: np.where(np.abs(z) > tau, z, 0),
        lambda z: (np.abs(z) > tau).astype(float),
    )


def power(q):
    return (
        lambda z: np.abs(z) ** q,
        lambda z: q * np.abs(z) ** (q - 1) * np.sign(z),
        lambda z: q * (q - 1) * np.abs(z) ** (q - 2),
    )


MSP = ["--method", "msp"]
LOGCOSH = (lambda z: np.logaddexp(z, -z) - np.log(2), np.tanh, lambda z: 1 - np.tanh(z) ** 2)

# Name: phi with its two derivatives, its degree (None for functions of z/rms), and the most that the paper's error may
# be for the small data set. High powers see only the largest coefficients and need more samples than it has.
STRETCHES = {
    "l4": (power(4), 4, 0.01),
    "l3": (power(3), 3, 0.01),
    "power:4": (power(4), 4, 0.01),
    "power:3.5": (power(3.5), 3.5, 0.01),
    "power:6": (power(6), 6, 0.05),
    "power:8": (power(8), 8, 0.1),
    "power:10": (power(10), 10, 0.5),
    "soft": (soft(1), None, 0.01),
    "soft:0.8": (soft(0.8), None, 0.01),
    "hard": (hard(1), None, 0.01),
    "hard:0.7": (hard(0.7), None, 0.01),
    "logcosh": (LOGCOSH, None, 0.01),
}


def one_step(x, stretch, *, a=None, remove_bias=False, theta=None, fraction=1.0, step=np.inf):
    """A after one step from A = I (or `a`), and how far rounding may take it: the formulas of the paper and of docs.

    Returns polar(G) with G = sum phi'(z) y^T, less the bias, plus A/step. The last is a bound for |entries|: G errs by
    (p + n)*eps of the sum of its terms' sizes, and polar(G) by that over the least singular value.
    """
    (_, derivative, curvature), degree, _ = STRETCHES[stretch]
    p, n = x.shape
    a = np.eye(n) if a is None else a
    unit = 1.0 if degree else np.sqrt(np.mean(x**2))
    z = x @ a.T / unit
    g = derivative(z).T @ x / unit
    size = np.abs(derivative(z)).T @ np.abs(x) / unit
    if remove_bias and theta is not None:
        g -= fraction * 12 * p * theta**2 * a
    elif remove_bias:
        bias = fraction * np.sum(curvature(z), axis=0)[:, None] * (a @ (x.T @ x / p)) / unit**2
        g, size = g - bias, size + np.abs(bias)
    if np.isfinite(step):
        g += a / step
    rounding = 4 * (p + n) * EPSILON * np.linalg.norm(size) / np.linalg.svd(g, compute_uv=False)[-1]
    return polar(g), rounding


def read_trace(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("stretch", STRETCHES)
def test_every_stretch_learns_the_dictionary(run, small, tmp_path, stretch):
    answer = run("fit", small.samples, "--stretch", stretch, "--truth", small.truth, "--output", "m.npz", "--json").json
    model = Model(tmp_path / "m.npz")
    (value, _, _), degree, most = STRETCHES[stretch]
    assert answer["error"] == pytest.approx(paper_error(model.analysis, small.d), abs=paper_error_rounding(10))
    assert answer["error"] < most

    z = model.codes(small.x)
    if degree:
        rounding = power_sum_rounding(z, small.x, degree)
        assert answer["objective"] == pytest.approx(np.sum(value(z)), abs=rounding, rel=0)
    else:
        # |phi'(u)| <= |u| for all of these, so the objective moves by at most sum |u| |du|; du is n*eps ||y|| / rms.
        rms = np.sqrt(np.mean(small.x**2))
        norms = np.linalg.norm(small.x, axis=1, keepdims=True) / rms
        rounding = 2 * EPSILON * (10 * np.sum(np.abs(z / rms) * norms) + z.size * np.sum(value(z / rms)))
        assert answer["objective"] == pytest.approx(np.sum(value(z / rms)), abs=rounding, rel=0)


@pytest.mark.parametrize("stretch", [name for name in STRETCHES if name != "logcosh"])
def test_one_step_is_match_stretch_project(run, small, tmp_path, stretch):
    run("fit", small.samples, "--stretch", stretch, "--init", "identity", "--max-iterations", 1,
        "--output", "m.npz", expect=4)  # fmt: skip
    expected, rounding = one_step(small.x, stretch)
    np.testing.assert_allclose(
        Model(tmp_path / "m.npz").dictionary, canonical(expected, small.x), rtol=0, atol=rounding
    )


@pytest.mark.parametrize("stretch", [name for name in STRETCHES if not name.startswith("hard")])
def test_one_step_without_bias(run, small, tmp_path, stretch):
    run("fit", small.samples, "--stretch", stretch, "--remove-bias", "--init", "identity", "--max-iterations", 1,
        "--output", "m.npz", expect=4)  # fmt: skip
    expected, rounding = one_step(small.x, stretch, remove_bias=True)
    np.testing.assert_allclose(
        Model(tmp_path / "m.npz").dictionary, canonical(expected, small.x), rtol=0, atol=rounding
    )


@pytest.mark.parametrize(
    "options, formula",
    [
        (["--remove-bias", "--theta", 0.3], {"remove_bias": True, "theta": 0.3}),
        (
            ["--remove-bias", "--theta", 0.3, "--bias-fraction", 0.5],
            {"remove_bias": True, "theta": 0.3, "fraction": 0.5},
        ),
        (["--remove-bias", "--bias-fraction", 0.25], {"remove_bias": True, "fraction": 0.25}),
        (["--step", 1e-3], {"step": 1e-3}),
        (["--step", 1e-4], {"step": 1e-4}),
        (["--remove-bias", "--step", 1e-3], {"remove_bias": True, "step": 1e-3}),
        (["--theta", 0.3], {}),  # on its own it changes what is reported, not the step
        (["--remove-bias", "--keep-bias"], {}),
    ],
    ids=lambda value: "_".join(map(str, value)) if isinstance(value, list) else "",
)
def test_one_l4_step_with_options(run, small, tmp_path, options, formula):
    run("fit", small.samples, *MSP, *options, "--init", "identity", "--max-iterations", 1, "--output", "m.npz",
        expect=4)  # fmt: skip
    expected, rounding = one_step(small.x, "l4", **formula)
    plain, _ = one_step(small.x, "l4")
    assert formula == {} or np.max(np.abs(expected - plain)) > 1e3 * rounding  # the option makes a difference
    np.testing.assert_allclose(
        Model(tmp_path / "m.npz").dictionary, canonical(expected, small.x), rtol=0, atol=rounding
    )


def test_logcosh_removes_bias_unless_told_otherwise(run, small):
    assert run("fit", small.samples, "--stretch", "logcosh", "--json").json["remove_bias"] is True
    kept = run("fit", small.samples, "--stretch", "logcosh", "--keep-bias", "--max-iterations", 3, "--json", expect=4)
    assert kept.json["remove_bias"] is False


@pytest.mark.parametrize("stretch", ["l4", "l3", "soft"])
def test_others_keep_bias_unless_told_otherwise(run, small, stretch):
    assert run("fit", small.samples, "--stretch", stretch, "--json").json["remove_bias"] is False
    assert run("fit", small.samples, "--stretch", stretch, "--remove-bias", "--json").json["remove_bias"] is True


def test_second_order_ends_by_the_gradient(run, small, tmp_path):
    whitened = ["--stretch", "logcosh", "--dictionary", "complete", "--accelerate", "--tolerance", 1e-10]
    report = run("fit", small.samples, *whitened, "--trace", "t.csv", "--truth", small.truth, "--json").json
    assert report["termination"] == "converged" and report["worst_cosine"] > 0.99
    with open(tmp_path / "t.csv", encoding="utf-8") as file:
        steps = [float(row["step"]) for row in csv.DictReader(file)]
    assert steps[0] > 1e-3 and steps[-1] <= 1e-10  # the start has a gradient too
    refusal = run("fit", small.samples, "--stretch", "logcosh", "--accelerate", expect=2)
    assert "accelerate = true: must be false with an orthogonal dictionary" in refusal.stderr


def test_bias_removal_needs_fewer_iterations(run, small):
    plain = run("fit", small.samples, *MSP, "--truth", small.truth, "--json").json
    for options in (["--remove-bias"], ["--remove-bias", "--theta", 0.3]):
        without = run("fit", small.samples, *MSP, *options, "--truth", small.truth, "--json").json
        assert without["iterations"] < plain["iterations"]
        assert without["error"] < 0.01


def test_gradient_ascent_reaches_the_same_dictionary(run, small, tmp_path):
    """A fixed point of match, stretch, project is one of projected gradient ascent, whatever the step."""
    tight = [*MSP, "--tolerance", 1e-10]
    run("fit", small.samples, *tight, "--output", "msp.npz")
    report = run(
        "fit", small.samples, *tight, "--step", 1e-3, "--max-iterations", 2000, "--output", "pga.npz", "--json"
    )
    assert report.json["iterations"] > 5
    # What is left to go after a step of 1e-10 is that times r/(1 - r), for convergence at rate r; r < 0.9 here.
    np.testing.assert_allclose(
        Model(tmp_path / "pga.npz").dictionary, Model(tmp_path / "msp.npz").dictionary, rtol=0, atol=1e-9
    )


def test_theta_normalizes_the_objective(run, small):
    report = run("fit", small.samples, *MSP, "--theta", 0.3, "--json").json
    expected = report["objective"] / (3 * small.x.size * 0.3)
    assert report["normalized_objective"] == pytest.approx(expected, rel=4 * EPSILON)
    assert "normalized_objective" not in run("fit", small.samples, *MSP, "--json").json


def test_trace_has_a_line_per_iteration(run, small, tmp_path):
    report = run("fit", small.samples, *MSP, "--truth", small.truth, "--trace", "t.csv", "--json").json
    rows = read_trace(tmp_path / "t.csv")
    assert list(rows[0]) == ["iteration", "objective", "step", "seconds", "stage", "samples", "error"]
    assert {(row["stage"], row["samples"]) for row in rows} == {("msp", "4000")}
    assert [int(row["iteration"]) for row in rows] == list(range(report["iterations"] + 1))
    objective = np.array([float(row["objective"]) for row in rows])
    # The generalised power method never loses a convex objective; rounding does, by its number of terms.
    assert np.all(np.diff(objective) >= -small.x.size * EPSILON * objective[-1])
    assert objective[-1] == report["objective"]
    assert float(rows[-1]["error"]) == report["error"]
    assert rows[0]["step"] == ""
    steps = [float(row["step"]) for row in rows[1:]]
    assert min(steps[:-1]) > report["tolerance"] >= steps[-1]
    seconds = [float(row["seconds"]) for row in rows]
    assert seconds == sorted(seconds) and seconds[-1] <= report["seconds"] + 1e-6  # printed to the microsecond


def test_step_is_the_change_of_the_atoms(run, small, tmp_path):
    """(sum_i min(|a_i' - a_i|^2, |a_i' + a_i|^2) / k)^(1/2), here for the first step."""
    run("fit", small.samples, *MSP, "--init", "identity", "--max-iterations", 1, "--trace", "t.csv", expect=4)
    a, rounding = one_step(small.x, "l4")
    change = np.minimum(np.sum((a - np.eye(10)) ** 2, axis=1), np.sum((a + np.eye(10)) ** 2, axis=1))
    step = float(read_trace(tmp_path / "t.csv")[1]["step"])
    assert step == pytest.approx(np.sqrt(np.mean(change)), abs=np.sqrt(10) * rounding)


def test_tolerance_decides_when_to_stop(run, small):
    loose = run("fit", small.samples, *MSP, "--tolerance", 1e-2, "--json").json
    tight = run("fit", small.samples, *MSP, "--tolerance", 1e-12, "--json").json
    assert loose["tolerance"] == 1e-2 and tight["tolerance"] == 1e-12
    assert loose["iterations"] < run("fit", small.samples, *MSP, "--json").json["iterations"] < tight["iterations"]
    # Steps below 8*eps*sqrt(n) are rounding noise: nothing less can be waited for.
    least = run("fit", small.samples, *MSP, "--tolerance", 0, "--json").json["tolerance"]
    assert least == pytest.approx(8 * EPSILON * np.sqrt(10), rel=1e-12)


def test_identity_start(run, small, tmp_path):
    run("fit", small.samples, *MSP, "--init", "identity", "--max-iterations", 0, "--trace", "t.csv",
        "--output", "m.npz", expect=4)  # fmt: skip
    objective = float(read_trace(tmp_path / "t.csv")[0]["objective"])
    assert objective == pytest.approx(np.sum(small.x**4), abs=power_sum_rounding(small.x, small.x, 4), rel=0)
    np.testing.assert_array_equal(Model(tmp_path / "m.npz").dictionary, canonical(np.eye(10), small.x))


def test_start_from_a_file(run, small, tmp_path):
    """The truth as the start: no error at iteration 0, and the model is it, in canonical order and sign."""
    run("fit", small.samples, *MSP, "--init", small.truth, "--max-iterations", 0, "--truth", small.truth,
        "--trace", "t.csv", "--output", "m.npz", expect=4)  # fmt: skip
    orthogonality = 10 * 10 * EPSILON
    assert float(read_trace(tmp_path / "t.csv")[0]["error"]) <= paper_error_rounding(10) + 4 * orthogonality
    np.testing.assert_allclose(
        Model(tmp_path / "m.npz").dictionary, canonical(small.d, small.x), rtol=0, atol=orthogonality
    )


def test_start_from_a_file_is_projected(run, small, tmp_path):
    """Any full-rank matrix is a start: the nearest orthogonal one is taken."""
    start = small.d + 0.1 * np.random.default_rng(0).standard_normal((10, 10))
    np.save(tmp_path / "start.npy", start)
    run("fit", small.samples, *MSP, "--init", "start.npy", "--max-iterations", 0, "--output", "m.npz", expect=4)
    condition = np.linalg.cond(start)
    np.testing.assert_allclose(
        Model(tmp_path / "m.npz").dictionary, canonical(polar(start), small.x), rtol=0, atol=100 * condition * EPSILON
    )


def test_fit_goes_on_from_its_own_result(run, small, tmp_path):
    run("fit", small.samples, *MSP, "--output", "m.npz")
    report = run("fit", small.samples, *MSP, "--init", "m.npz:dictionary", "--json").json
    assert report["iterations"] == 1


@pytest.mark.parametrize("atoms", [1, 3, 9])
def test_fewer_atoms(run, small, tmp_path, atoms):
    report = run("fit", small.samples, *MSP, "--atoms", atoms, "--truth", small.truth, "--output", "m.npz",
                 "--json").json  # fmt: skip
    model = Model(tmp_path / "m.npz")
    assert report["atoms"] == atoms and model.dictionary.shape == (atoms, 10)
    gram = model.dictionary @ model.dictionary.T
    np.testing.assert_allclose(gram, np.eye(atoms), rtol=0, atol=10 * 10 * EPSILON)
    assert report["error"] == pytest.approx(paper_error(model.analysis, small.d), abs=paper_error_rounding(10))
    assert report["error"] < 0.01


def test_centre_folds_the_mean_in(run, small, tmp_path):
    """Centring in the step gives the model of samples that were centred beforehand."""
    x = small.x + np.linspace(-3, 5, 10)
    mean = np.mean(x, axis=0)
    np.save(tmp_path / "off.npy", x)
    np.save(tmp_path / "centred.npy", x - mean)
    run("fit", "off.npy", *MSP, "--center", "--tolerance", 1e-10, "--output", "a.npz")
    run("fit", "centred.npy", *MSP, "--tolerance", 1e-10, "--output", "b.npz")
    a, b = Model(tmp_path / "a.npz"), Model(tmp_path / "b.npz")
    np.testing.assert_allclose(a.mean, mean, rtol=0, atol=2 * len(x) * EPSILON * np.max(np.abs(x)))
    np.testing.assert_array_equal(b.mean, np.zeros(10))
    np.testing.assert_allclose(a.dictionary, b.dictionary, rtol=0, atol=1e-9)  # as for gradient ascent above


@pytest.mark.parametrize("whiten", ["zca", "pca"])
def test_whitening_finds_a_dictionary_that_is_not_orthogonal(run, skewed, tmp_path, whiten):
    answer = run("fit", skewed.samples, "--whiten", whiten, "--stretch", "soft", "--truth", skewed.truth, "--output",
                 "m.npz", "--json").json  # fmt: skip
    model = Model(tmp_path / "m.npz")
    condition = np.linalg.cond(model.dictionary)
    assert condition > 1.5  # so that the plain method wouldn't do
    plain = run("fit", skewed.samples, "--stretch", "soft", "--truth", skewed.truth, "--json").json
    assert answer["error"] < 0.01 < plain["error"]

    rounding = 100 * condition * EPSILON
    assert answer["error"] == pytest.approx(scale_free_error(model.analysis, skewed.d), abs=rounding)
    np.testing.assert_allclose(model.analysis @ model.dictionary.T, np.eye(10), rtol=0, atol=rounding)
    # Whitened codes are uncorrelated: analysis C analysis^T is diagonal.
    codes = skewed.x @ model.analysis.T
    scaled = codes / np.sqrt(np.mean(codes**2, axis=0))
    covariance = scaled.T @ scaled / len(codes)
    np.testing.assert_allclose(covariance, np.eye(10), rtol=0, atol=len(codes) * condition**2 * EPSILON)
    np.testing.assert_allclose(np.linalg.norm(model.dictionary, axis=1), 1, rtol=0, atol=10 * EPSILON)


def test_one_whitened_step(run, skewed, tmp_path):
    """ZCA from the identity: W = C^(-1/2), A = polar(sum phi'(Wy)(Wy)^T), and the atoms are the rows of A W^(-1)."""
    x = skewed.x + np.linspace(-1, 1, 10)
    np.save(tmp_path / "x.npy", x)
    run("fit", "x.npy", *MSP, "--center", "--whiten", "zca", "--init", "identity", "--max-iterations", 1,
        "--output", "m.npz", expect=4)  # fmt: skip
    centred = x - np.mean(x, axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred / len(x))
    whitener = vectors / np.sqrt(values) @ vectors.T
    a, rounding = one_step(centred @ whitener, "l4")
    atoms = a @ np.linalg.inv(whitener)
    norms = np.linalg.norm(atoms, axis=1, keepdims=True)
    order = np.argsort(-np.mean((centred @ whitener @ a.T * norms.T) ** 2, axis=0))
    signs = np.sign(atoms[np.arange(10), np.argmax(np.abs(atoms), axis=1)])[:, None]
    # The covariance is known to p*eps, and its inverse root multiplies that by the condition number.
    rounding += len(x) * EPSILON * values[-1] / values[0]
    model = Model(tmp_path / "m.npz")
    np.testing.assert_allclose(model.dictionary, (atoms / norms * signs)[order], rtol=0, atol=rounding)
    np.testing.assert_allclose(
        model.analysis, (a @ whitener * norms * signs)[order], rtol=0, atol=rounding * np.max(np.abs(whitener))
    )


def test_theta_scales_whitened_coefficients(run, skewed, tmp_path):
    """With W = ((1/p theta) Y Y^T)^(-1/2) codes have variance theta, so ||AY||_4^4 is theta^2 of that without."""
    zca = [*MSP, "--whiten", "zca"]
    plain = run("fit", skewed.samples, *zca, "--output", "a.npz", "--json").json
    scaled = run("fit", skewed.samples, *zca, "--theta", 0.3, "--output", "b.npz", "--json").json
    # Both runs stop within 1e-6 * r/(1 - r) of the maximum, where the objective is flat.
    assert scaled["objective"] == pytest.approx(0.09 * plain["objective"], rel=1e-9)
    a, b = Model(tmp_path / "a.npz"), Model(tmp_path / "b.npz")
    np.testing.assert_allclose(a.dictionary, b.dictionary, rtol=0, atol=1e-5)


def test_pca_with_fewer_atoms_looks_at_the_leading_components(run, skewed, tmp_path):
    run("fit", skewed.samples, *MSP, "--whiten", "pca", "--atoms", 4, "--max-iterations", 3, "--output", "m.npz",
        expect=4)  # fmt: skip
    model = Model(tmp_path / "m.npz")
    _, _, vt = np.linalg.svd(skewed.x, full_matrices=False)
    outside = model.dictionary - model.dictionary @ vt[:4].T @ vt[:4]
    assert model.dictionary.shape == (4, 10)
    # The leading subspace is known to p*eps over the relative gap of the eigenvalues, which is above 0.1 here.
    assert np.max(np.abs(outside)) < 10 * len(skewed.x) * EPSILON


@pytest.mark.parametrize("options", [[*MSP, "--whiten", "zca"], ["--dictionary", "complete", "--no-center"]],
                         ids=["msp", "auto"])  # fmt: skip
def test_a_share_of_the_variance(run, skewed, tmp_path, options):
    singular = np.linalg.svd(skewed.x, compute_uv=False)
    shares = np.cumsum(singular**2) / np.sum(singular**2)
    for share in (0.5, 0.9, 0.99):
        report = run("fit", skewed.samples, *options, "--atoms", share, "--max-iterations", 0, "--output", "m.npz",
                     "--json", expect=4).json  # fmt: skip
        assert report["atoms"] == 1 + np.sum(shares < share)
        assert Model(tmp_path / "m.npz").metadata["options"]["atoms"] == share


def test_warnings(run, tmp_path):
    """Two features of equal variance, of which one atom takes one."""
    x = np.random.default_rng(0).laplace(size=(3000, 4))
    np.save(tmp_path / "x.npy", np.linalg.qr(x)[0] * [3, 3, 1, 1])
    done = run("fit", "x.npy", "--dictionary", "complete", "--atoms", 1, "--json", expect=4)
    (warning,) = done.json["warnings"]
    assert "the cut between them is arbitrary" in warning and f"warning: {warning}\n" in done.stderr
    assert warning in run("fit", "x.npy", "--dictionary", "complete", "--atoms", 1, expect=4).text
    done = run("fit", "x.npy", "--dictionary", "complete", "--atoms", 2, "--json")
    assert done.json["warnings"] == [] and "warning" not in done.stderr


def test_more_features_than_samples(run, tmp_path):
    """A covariance would take 8 GB. A basis of all features is refused, with what to do about it."""
    x = np.random.default_rng(0).laplace(size=(65, 32256))
    x[:, :100] *= np.linspace(60, 20, 100)
    np.save(tmp_path / "x.npy", x)
    report = run("fit", "x.npy", "--whiten", "pca", "--atoms", 5, "--output", "m.npz", "--json",
                 expect=4).json
    assert (report["dimension"], report["samples"], report["atoms"]) == (32256, 65, 5)
    centred = x - x.mean(axis=0)
    _, _, vt = np.linalg.svd(centred if report["center"] else x, full_matrices=False)
    atoms = Model(tmp_path / "m.npz").dictionary
    assert np.max(np.abs(atoms - atoms @ vt[:5].T @ vt[:5])) < 1e-10
    assert "set atoms, to less than the 65 samples" in run("fit", "x.npy", *MSP, expect=3).stderr


@unsanitized("it measures memory")
def test_memory_stays_near_the_data(run, tmp_path):
    """A mapped file is read where it lies: no copy, whitened or converted, not even one in single precision."""
    run("synth", "--dimension", 100, "--samples", 250_000, "--output", "y.npy")
    options = "--method msp --whiten zca --center --max-iterations 500 --tolerance 1e-3 --precision mixed".split()
    peak = peak_memory("fit", "y.npy", *options, "--output", "m.npz", cwd=tmp_path)
    data = (tmp_path / "y.npy").stat().st_size
    assert peak < data + data / 2


def test_columns(run, small, tmp_path):
    np.save(tmp_path / "columns.npy", np.ascontiguousarray(small.x.T))
    run("fit", "columns.npy", "--columns", "--output", "a.npz")
    run("fit", small.samples, "--output", "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_single_precision(run, small, tmp_path):
    report = run("fit", small.samples, *MSP, "--precision", "f32", "--truth", small.truth, "--output", "s.npz",
                 "--json").json  # fmt: skip
    run("fit", small.samples, *MSP, "--output", "d.npz")
    single, double = Model(tmp_path / "s.npz"), Model(tmp_path / "d.npz")
    gram = single.dictionary @ single.dictionary.T
    np.testing.assert_allclose(gram, np.eye(10), rtol=0, atol=10 * 10 * EPSILON_F32)
    assert np.max(np.abs(gram - np.eye(10))) > 10 * 10 * EPSILON  # it really worked in single precision
    assert report["tolerance"] == pytest.approx(max(1e-6, 8 * EPSILON_F32 * np.sqrt(10)), rel=1e-6)
    # G errs by (n + 128)*eps, 128 being the samples summed in single precision; its condition number and the rate of
    # convergence make up for less than a factor of 10.
    np.testing.assert_allclose(single.dictionary, double.dictionary, rtol=0, atol=10 * (10 + 128) * EPSILON_F32)


@pytest.mark.parametrize("scale", [1e-60, 1e60])
@pytest.mark.parametrize("stretch", ["l4", "soft", "logcosh"])
def test_units_of_the_data_do_not_matter(run, small, tmp_path, scale, stretch):
    """A power of two so far out that fourth powers would leave double precision: the model is the same to the bit."""
    factor = 2.0 ** round(np.log2(scale))
    np.save(tmp_path / "scaled.npy", small.x * factor)
    options = ["--stretch", stretch, "--remove-bias"]
    run("fit", "scaled.npy", *options, "--output", "a.npz")
    run("fit", small.samples, *options, "--output", "b.npz")
    a, b = Model(tmp_path / "a.npz"), Model(tmp_path / "b.npz")
    np.testing.assert_array_equal(a.dictionary, b.dictionary)
    assert a.metadata["summary"]["iterations"] == b.metadata["summary"]["iterations"]
