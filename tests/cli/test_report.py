# SPDX-License-Identifier: Apache-2.0
"""orthodict report: what is computed for the page, with NumPy as the witness, and what the command answers."""

import json

import numpy as np
import pytest
import scipy.special
from harness import EPSILON, Model, listing, product_rounding, run_command
from report_pages import HOSTILE, contents, make_report, numbers, random_orthogonal, write_model

THETA, NOISE = 0.3, 0.1


class Case:
    """Samples, a model of them, and the report."""

    def __init__(self, folder, x, *options):
        np.save(folder / "x.npy", x)
        run_command("fit", "x.npy", "--output", "model.npz", *options, cwd=folder)
        self.x = x.reshape(len(x), -1)
        self.model = Model(folder / "model.npz")
        self.page = make_report(folder, "model.npz", "--data", "x.npy", "--items", 5)
        self.report = contents(self.page)
        self.is_complex = np.iscomplexobj(x)
        self.codes = self.model.codes(self.x)
        self.coefficients = self.drawn(self.codes)

    def drawn(self, values):
        """Of complex numbers their moduli."""
        return np.abs(values) if self.is_complex else values

    def exponent(self):
        """Of the normal density, real or circular: exp(-z²/(this·s²))."""
        return 1 if self.is_complex else 2


@pytest.fixture(scope="module", params=["orthogonal", "complete", "pictures", "complex"])
def case(request, tmp_path_factory):
    """A centred orthogonal dictionary, one that isn't orthogonal, one of pictures with fewer atoms than pixels, and one
    of complex numbers that isn't orthogonal.
    """
    folder = tmp_path_factory.mktemp(request.param)
    condition = 4 if request.param in ("complete", "complex") else 1
    options = ("--theta", THETA, "--noise", NOISE, "--condition", condition, "--seed", 5)
    kind = ["--complex"] if request.param == "complex" else []
    run_command("synth", *kind, "--dimension", 12, "--samples", 3000, *options, "--output", "y.npy", cwd=folder)
    y = np.load(folder / "y.npy")
    if request.param == "orthogonal":
        return Case(folder, y + 1, "--method", "msp:l3", "--center")
    if request.param in ("complete", "complex"):
        return Case(folder, y)
    return Case(folder, y.reshape(-1, 4, 3), "--method", "msp", "--atoms", 7)


def test_atoms(case):
    atoms, codes = case.report["atoms"], case.coefficients
    energy = np.mean(codes**2, axis=0)
    assert atoms["order"] == np.argsort(-energy, kind="stable").tolist()
    # A sum of p squares errs by p roundings, and each square by those of its code, which are few against p.
    tolerance = 2 * len(codes) * EPSILON
    np.testing.assert_allclose(atoms["energy"], energy[atoms["order"]], rtol=tolerance)
    kurtosis = np.mean(codes**4, axis=0) / energy**2
    np.testing.assert_allclose(atoms["kurtosis"], kurtosis[atoms["order"]], rtol=4 * tolerance)
    assert [atoms[name] for name in ("stability", "found", "stable")] == [None, None, None]  # of a single run
    confidence = case.model.confidence
    assert atoms["confidence"] == (None if confidence is None else confidence[atoms["order"]].tolist())

    dictionary = case.model.dictionary.view(float)  # of complex numbers real and imaginary parts in turn
    scales = np.array(atoms["scales"])[:, None]
    entries = numbers(atoms["values"], "<i2").reshape(-1, dictionary.shape[1]) * scales / 32767
    assert atoms["shown"] == len(entries) == case.model.atoms
    # Rounded to the nearest of 32767 steps.
    assert np.all(np.abs(entries - dictionary[atoms["order"]]) <= 0.51 * scales / 32767)


def test_usage_is_where_signal_is_more_likely(case):
    mixture = case.report["coefficients"]["mixture"]
    theta, noise, signal = mixture["theta"], mixture["noise"], mixture["signal"]
    z = case.coefficients[:, case.report["atoms"]["order"]]
    width = 2 if case.is_complex else 1  # a circular density is divided by s²
    odds = np.log(theta / signal**width) - np.log((1 - theta) / noise**width)
    odds = odds + z**2 * (noise**-2 - signal**-2) / case.exponent()
    assert np.min(np.abs(odds)) > 1e-9  # none is close enough to the border for rounding to matter
    np.testing.assert_allclose(case.report["atoms"]["usage"], np.mean(odds >= 0, axis=0), rtol=2 * EPSILON)


def test_histogram(case):
    histogram = case.report["coefficients"]
    limit, counts = histogram["limit"], np.array(histogram["counts"])
    edges = np.linspace(0 if case.is_complex else -limit, limit, len(counts) + 1)
    inside = case.coefficients[np.abs(case.codes) <= limit * (1 + 1e-12)]
    apart = np.abs(inside.ravel()[:, None] - edges[1:-1])
    assert np.min(apart) > 1e-12  # no coefficient is close enough to the border for rounding to matter
    np.testing.assert_array_equal(counts, np.histogram(np.clip(inside, -limit, limit), edges)[0])
    assert histogram["total"] == case.codes.size == counts.sum() + histogram["outside"]

    mixture = histogram["mixture"]
    share_below = (lambda u: -np.expm1(-(u**2))) if case.is_complex else scipy.special.ndtr
    below = [share_below(edges / mixture[part]) for part in ("noise", "signal")]
    expected = case.codes.size * np.diff((1 - mixture["theta"]) * below[0] + mixture["theta"] * below[1])
    # Differences of probabilities, which err by a few roundings each.
    np.testing.assert_allclose(histogram["expected"], expected, rtol=1e-9, atol=case.codes.size * 8 * EPSILON)


def test_mixture_is_the_likeliest(case):
    """A further step of expectation-maximisation on the coefficients themselves changes nothing.

    The fit has them in bins of d = ln(2)/16 on a logarithmic scale and takes the posterior at the bin's rms instead of
    its mean: half the second derivative by log|z|, below 1, times the variance d^2/12 is below 1e-4. The likelihood is
    flat along the ridge where both parts grow alike, so that ten times as much is allowed.
    """
    mixture = case.report["coefficients"]["mixture"]
    theta, noise, signal = mixture["theta"], mixture["noise"], mixture["signal"]
    z = case.coefficients.ravel()
    likely = [np.exp(-((z / s) ** 2) / case.exponent()) / s ** (2 / case.exponent()) for s in (noise, signal)]
    r = theta * likely[1] / (theta * likely[1] + (1 - theta) * likely[0])
    assert abs(np.mean(r) - theta) < 1e-3
    assert abs(np.sqrt(np.sum(r * z**2) / np.sum(r)) / signal - 1) < 1e-3
    assert abs(np.sqrt(np.sum((1 - r) * z**2) / np.sum(1 - r)) / noise - 1) < 1e-3


def test_mixture_of_a_known_dictionary(tmp_path):
    """theta, noise and signal of the samples' own making, within five standard errors."""
    options = ("--dimension", 12, "--samples", 3000, "--theta", THETA, "--noise", NOISE, "--seed", 5)
    run_command("synth", *options, "--output", "y.npy", "--truth", "d.npy", cwd=tmp_path)
    write_model(tmp_path / "model.npz", np.load(tmp_path / "d.npy"))
    mixture = contents(make_report(tmp_path, "model.npz", "--data", "y.npy"))["coefficients"]["mixture"]
    count = 12 * 3000
    # For known signal. A fifth of the signal is below the noise, hence twice the tolerance.
    assert abs(mixture["theta"] - THETA) < 10 * np.sqrt(THETA * (1 - THETA) / count)
    assert abs(mixture["signal"] / np.hypot(1, NOISE) - 1) < 10 / np.sqrt(2 * THETA * count)
    assert abs(mixture["noise"] / NOISE - 1) < 10 / np.sqrt(2 * (1 - THETA) * count)


# Components are known to n*eps over the gap of their eigenvalues, relative to the largest.
SMALLEST_GAP = 1e-4
CURVE_TOLERANCE = 12 * EPSILON / SMALLEST_GAP


def reconstructions(x, codes, dictionary, mean):
    """What the j largest coefficients make of samples, j = 0 ... k: samples, levels, features."""
    order = np.argsort(-np.abs(codes), axis=1, kind="stable")
    parts = np.take_along_axis(codes, order, axis=1)[:, :, None] * dictionary[order]
    return mean + np.concatenate([np.zeros((len(x), 1, x.shape[1])), np.cumsum(parts, axis=1)], axis=1)


def pca_reconstructions(case, x):
    mean = case.x.mean(axis=0) if np.any(case.model.mean) else np.zeros(case.x.shape[1])
    values, vectors = np.linalg.eigh((case.x - mean).T @ (case.x - mean).conj())
    assert np.min(np.diff(values)) > SMALLEST_GAP * values[-1]
    components = vectors[:, : -case.model.atoms - 1 : -1].T
    return reconstructions(x, (x - mean) @ components.conj().T, components, mean)


def sides(case, x):
    model = case.model
    return {
        "model": reconstructions(x, model.codes(x), model.dictionary, model.mean),
        "pca": pca_reconstructions(case, x),
    }


def test_share_of_energy_kept(case):
    curve = case.report["curve"]
    assert curve["samples"] == len(case.x)
    energy = np.sum(np.abs(case.x - case.model.mean) ** 2)
    for side, back in sides(case, case.x).items():
        left = np.sum(np.abs(case.x[:, None] - back) ** 2, axis=(0, 2))
        np.testing.assert_allclose(curve[side], 1 - left / energy, rtol=0, atol=CURVE_TOLERANCE)
    if case.model.atoms == case.x.shape[1]:
        assert abs(curve["model"][-1] - 1) < CURVE_TOLERANCE > abs(curve["pca"][-1] - 1)


def test_items(case):
    items = case.report["items"]
    rows, levels = items["rows"], items["levels"]
    assert len(rows) == 5 == len(set(rows)) and rows == sorted(rows)
    assert levels == list(range(1, case.model.atoms + 1))
    x = case.x[rows]
    low, high = np.array(items["low"])[:, None], np.array(items["high"])[:, None]
    drawn = case.drawn(x)
    assert np.all(low <= drawn) and np.all(drawn <= high)
    step = (high - low) / 255
    assert np.all(np.abs(low + step * numbers(items["originals"], "u1").reshape(x.shape) - drawn) <= 0.51 * step)
    for side, all_levels in sides(case, x).items():
        back = all_levels[:, levels]
        values = numbers(items[side]["values"], "u1").reshape(back.shape)
        shown = low[:, None] + step[:, None] * values
        made = np.clip(case.drawn(back), low[:, None], high[:, None])
        assert np.all(np.abs(shown - made) <= 0.51 * step[:, None])
        norms = np.linalg.norm(x - case.model.mean, axis=1, keepdims=True)
        errors = np.linalg.norm(x[:, None] - back, axis=2) / norms
        # Errors of k components add up in the reconstruction of a sample.
        tolerance = case.model.atoms * CURVE_TOLERANCE
        np.testing.assert_allclose(items[side]["errors"], errors, rtol=0, atol=tolerance)


def test_shape_of_pictures(case):
    shape = [4, 3] if case.model.atoms == 7 else None
    assert case.report["model"] == {"name": "model.npz", "atoms": case.model.atoms, "dimension": 12,
                                    "complex": case.is_complex, "shape": shape,
                                    "features": None}  # fmt: skip
    given = make_report(case.page.parent, "model.npz", "--shape", "2x6", name="given.html")
    assert contents(given)["model"]["shape"] == [2, 6]


def test_patches_of_an_image(tmp_path):
    """--data may be an image: its patches are as large as the atoms, or as --patch says."""
    pixels = np.random.default_rng(0).integers(0, 256, size=(9, 12), dtype=np.uint8)
    (tmp_path / "image.pgm").write_bytes(b"P5 12 9 255\n" + pixels.tobytes())
    write_model(tmp_path / "model.npz", np.eye(6), metadata='{"sample_shape": [2, 3]}')
    report = contents(make_report(tmp_path, "model.npz", "--data", "image.pgm"))
    assert report["model"]["shape"] == [2, 3]
    assert report["data"] == {"name": "image.pgm", "samples": 8 * 10, "used": 80}
    patches = np.lib.stride_tricks.sliding_window_view(pixels.astype(float), (2, 3)).reshape(-1, 6)
    energy = np.sort(np.mean(patches**2, axis=0))[::-1]
    np.testing.assert_allclose(report["atoms"]["energy"], energy, rtol=80 * EPSILON)

    write_model(tmp_path / "model.npz", np.eye(6))
    report = contents(make_report(tmp_path, "model.npz", "--data", "image.pgm", "--patch", "3x2", "--stride", 2))
    assert report["model"]["shape"] == [3, 2] and report["data"]["samples"] == 4 * 6


def test_metadata_and_history(case):
    metadata, told = case.model.metadata, case.report["metadata"]
    plain = {name: value for name, value in metadata["summary"].items() if name != "warnings"}
    assert told["version"] == metadata["version"] and told["summary"] == plain
    assert told["options"] == metadata["options"]
    assert case.report["history"] == metadata["history"]
    assert len(metadata["history"]["step"]) == metadata["summary"]["iterations"] + 1


def test_levels_of_many_atoms(tmp_path):
    x = np.random.default_rng(0).normal(size=(20, 300))
    np.save(tmp_path / "x.npy", x)
    write_model(tmp_path / "model.npz", random_orthogonal(300, seed=1))
    levels = contents(make_report(tmp_path, "model.npz", "--data", "x.npy", "--items", 1))["items"]["levels"]
    assert levels[:32] == list(range(1, 33)) and levels[-1] == 300
    ratios = np.divide(levels[32:], levels[31:-1])
    assert np.all(ratios > 1) and np.all(ratios <= 1.125 + 1e-12) and len(levels) < 60


def test_large_data_are_represented_by_a_part(tmp_path):
    """20000 of the samples, without repetition: column 0 tells which they are."""
    rng = np.random.default_rng(0)
    x = np.stack([np.arange(50000.0), rng.normal(size=50000)], axis=1)
    np.save(tmp_path / "x.npy", x)
    write_model(tmp_path / "model.npz", np.eye(2))
    report = contents(make_report(tmp_path, "model.npz", "--data", "x.npy"))
    assert report["data"] == {"name": "x.npy", "samples": 50000, "used": 20000}
    assert report["coefficients"]["total"] == 40000
    # The mean square of a part without repetition is that of all within five standard errors.
    deviation = np.std(x[:, 0] ** 2) / np.sqrt(20000)
    assert 0 < abs(report["atoms"]["energy"][0] - np.mean(x[:, 0] ** 2)) < 5 * deviation


def test_exact_zeros_and_no_sparsity_at_all(run, small, small_model, tmp_path):
    exact = contents(make_report(tmp_path, small_model, "--data", small.samples))
    mixture = exact["coefficients"]["mixture"]
    zeros = np.mean(np.abs(Model(small_model).codes(small.x)) < 1e-9)
    assert mixture["noise"] == 0 and abs(mixture["theta"] - (1 - zeros)) < 1e-3
    # Gaussian samples: both parts are equal, and no coefficient is identified as signal.
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(5000, 10)))
    round_ones = contents(make_report(tmp_path, small_model, "--data", "x.npy"))
    assert round_ones["atoms"]["usage"] is None and exact["atoms"]["usage"] is not None
    mixture = round_ones["coefficients"]["mixture"]
    assert mixture["noise"] > 0.9 * mixture["signal"]


def test_same_bytes(small, small_model, tmp_path):
    args = (small_model, "--data", small.samples)
    first = make_report(tmp_path, *args).read_bytes()
    assert make_report(tmp_path, *args).read_bytes() == first
    stream = run_command("report", *args, "--output", "-", cwd=tmp_path)
    assert stream.stdout == first


def test_without_data(small_model, tmp_path):
    report = contents(make_report(tmp_path, small_model))
    assert [report[part] for part in ("data", "coefficients", "curve", "items")] == [None] * 4
    assert report["atoms"]["energy"] is None and report["atoms"]["order"] == list(range(10))


@pytest.mark.parametrize(
    "metadata",
    [
        "no JSON",
        "[]",
        '{"options": 3, "summary": [], "history": {"stage": "x"}}',
        '{"history": {"stage": ["a"], "objective": ["b"], "step": [null], "samples": [1]}}',
        '{"history": {"stage": ["a"], "objective": [1, 2], "step": [null], "samples": [1]}}',
        '{"options": {"a": ' + "[" * 100000 + "]" * 100000 + "}}",
    ],
    ids=["text", "list", "types", "texts", "lengths", "depth"],
)
def test_metadata_that_are_not_ours(tmp_path, metadata):
    write_model(tmp_path / "model.npz", random_orthogonal(6, seed=0), metadata=metadata)
    report = contents(make_report(tmp_path, "model.npz"))
    assert report["metadata"] == {"version": None, "options": {}, "summary": {}} and report["history"] is None


def test_no_text_ends_the_data(tmp_path):
    """Tags in names and metadata stay text, in the title as in the data."""
    metadata = json.dumps({"version": HOSTILE, "options": {"method": HOSTILE}, "summary": {"message": HOSTILE}})
    write_model(tmp_path / "m <b>&.npz", random_orthogonal(6, seed=0), metadata=metadata)
    page = make_report(tmp_path, "m <b>&.npz", "--title", HOSTILE)
    report = contents(page)
    assert report["title"] == report["metadata"]["version"] == HOSTILE and report["model"]["name"] == "m <b>&.npz"
    text = page.read_text("utf-8")
    assert text.count("<script") == 2 == text.count("</script>") and text.count("<img") == 0 == text.count("<b>")


def test_several_runs(tmp_path):
    """How well atoms come again, in the order of the gallery."""
    rng = np.random.default_rng(2)
    x = rng.laplace(size=(1000, 5)) @ rng.standard_normal((5, 5))
    np.save(tmp_path / "x.npy", x)
    run_command("fit", "x.npy", "--runs", 3, "--output", "model.npz", cwd=tmp_path)
    model = np.load(tmp_path / "model.npz")
    atoms = contents(make_report(tmp_path, "model.npz", "--data", "x.npy"))["atoms"]
    for name in ("stability", "found", "resampled_stability", "resampled_found"):
        assert atoms[name] == model[name][atoms["order"]].tolist()
    stable = (np.minimum(model["stability"], model["resampled_stability"]) >= 0.8) & (
        np.minimum(model["found"], model["resampled_found"]) >= 0.5)  # fmt: skip
    assert atoms["stable"] == stable[atoms["order"]].tolist()


SCAN = {"recommended": 4, "reason": "<b>why</b>", "optica": 5, "optica_reason": "so", "runs": 3,
        "numbers": [{"atoms": 4, "stable": 3, "robust": 4, "singles": 0, "conserved": 2, "held_out": None, "seconds": 1.5},
                    {"atoms": 6, "stable": 2, "robust": 5, "singles": 1, "conserved": 5, "held_out": -2.5,
                     "seconds": 2.5}]}  # fmt: skip


def test_scan(small_model, tmp_path):
    (tmp_path / "scan.json").write_text(json.dumps(SCAN))
    shown = contents(make_report(tmp_path, small_model, "--scan", "scan.json"))["scan"]
    assert shown["recommended"] == 4 and shown["optica_reason"] == "so"
    assert shown["numbers"] == {"atoms": [4, 6], "stable": [3, 2], "robust": [4, 5], "singles": [0, 1],
                                "conserved": [2, 5], "held_out": [None, -2.5]}  # fmt: skip
    (tmp_path / "scan.json").write_text(json.dumps({**SCAN, "recommended": None, "optica": None}))
    shown = contents(make_report(tmp_path, small_model, "--scan", "scan.json"))["scan"]
    assert shown["recommended"] is None is shown["optica"]


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100000, json.dumps({**SCAN, "numbers": []}),
                                  json.dumps({**SCAN, "recommended": "4"}), json.dumps({**SCAN, "numbers": [4]}),
                                  json.dumps({key: value for key, value in SCAN.items() if key != "reason"})],
                         ids=range(8))  # fmt: skip
def test_files_that_are_no_scans(run, small_model, tmp_path, text):
    (tmp_path / "scan.json").write_text(text)
    answer = run("report", small_model, "--scan", "scan.json", "--output", "page.html", expect=3)
    assert "scan.json" in answer.stderr
    assert not (tmp_path / "page.html").exists()


def test_samples_that_equal_the_mean(tmp_path):
    write_model(tmp_path / "model.npz", random_orthogonal(4, seed=0), mean=np.ones(4))
    np.save(tmp_path / "x.npy", np.ones((5, 4)))
    report = contents(make_report(tmp_path, "model.npz", "--data", "x.npy"))
    assert report["curve"] is None is report["items"] and report["coefficients"]["mixture"] is None
    assert report["coefficients"]["limit"] == 0 and sum(report["coefficients"]["counts"]) == 20


def test_more_atoms_than_features(tmp_path):
    atoms = np.vstack([np.eye(3), np.full((1, 3), 3**-0.5)])
    write_model(tmp_path / "model.npz", atoms, analysis=np.linalg.pinv(atoms).T)
    x = np.random.default_rng(0).normal(size=(50, 3))
    np.save(tmp_path / "x.npy", x)
    curve = contents(make_report(tmp_path, "model.npz", "--data", "x.npy"))["curve"]
    assert len(curve["model"]) == 5 and len(curve["pca"]) == 4
    rounding = np.max(product_rounding(np.abs(x), np.ones((3, 1))))
    assert abs(curve["model"][-1] - 1) < rounding > abs(curve["pca"][-1] - 1)


def test_json(run, small, small_model, tmp_path):
    answer = run("report", small_model, "--data", small.samples, "--output", "page.html", "--json").json
    report = contents(tmp_path / "page.html")
    assert answer == {
        "atoms": 10,
        "dimension": 10,
        "sample_shape": None,
        "samples": 4000,
        "used": 4000,
        "mixture": report["coefficients"]["mixture"],
        "bytes": (tmp_path / "page.html").stat().st_size,
        "output": "page.html",
    }
    bare = run("report", small_model, "--output", "page.html", "--json").json
    assert bare["samples"] is None is bare["mixture"]


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--shape", "3x3"], 2, "shape = 3x3"),
        (["--shape", "2y5"], 2, "--shape = 2y5"),
        (["--patch", "2x5"], 2, "--patch = given: must be left out without --data"),
        (["--patch", "2x5", "--data", "nan.npy"], 2, "--patch = given: must be left out: nan.npy is neither an"),
        (["--items", "-1"], 2, "items = -1"),
        (["--items", "65"], 2, "items = 65"),
        (["--data", "narrow.npy"], 3, "narrow.npy: 4 columns, but the model has 10 features"),
        (["--data", "empty.npy"], 3, "empty.npy: no samples"),
        (["--data", "nan.npy"], 3, "nan.npy: row 7 (counting from 0) has values that aren't finite"),
        (["--data", "huge.npy"], 3, "huge.npy: row 7 (counting from 0) has values that are too large"),
        (["--data", "nowhere.npy"], 3, "nowhere.npy"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else None,
)
def test_faults(run, small_model, tmp_path, options, code, words):
    x = np.ones((9, 10))
    np.save(tmp_path / "narrow.npy", x[:, :4])
    np.save(tmp_path / "empty.npy", x[:0])
    for name, value in (("nan", np.nan), ("huge", 1e200)):
        x[7, 3] = value
        np.save(tmp_path / f"{name}.npy", x)
    before = listing(tmp_path)
    answer = run("report", small_model, *options, "--output", "page.html", expect=code)
    assert words in answer.stderr
    assert listing(tmp_path) == before
