# SPDX-License-Identifier: Apache-2.0
"""The six commands of the manual, as written there, each checked against NumPy."""

import types

import harness
import numpy as np
import pytest
import scipy.optimize
from harness import EPSILON, Model, paper_error, paper_error_rounding, power_sum_rounding, product_rounding

SYNTH = "synth --dimension 50 --samples 20000 --theta 0.3 --seed 1 --output y.npy --truth d.npy"
FIT = "fit y.npy --stretch l4 --seed 7 --truth d.npy --output model.npz --json"
EVAL = "eval model.npz --truth d.npy --json"
ENCODE = "encode model.npz y.npy --top 5 --output codes.npy"
DECODE = "decode model.npz codes.npy --output back.npy"
INFO = "info model.npz"


@pytest.fixture(scope="module")
def workflow(tmp_path_factory):
    """Runs all six; tests look at what they answered and left."""
    folder = tmp_path_factory.mktemp("workflow")

    def command(line):
        return harness.run_command(*line.split(), cwd=folder)

    answers = types.SimpleNamespace(
        synth=command(SYNTH),
        fit=command(FIT),
        eval=command(EVAL),
        encode=command(ENCODE),
        decode=command(DECODE),
        info=command(INFO),
    )
    answers.left = harness.listing(folder)
    answers.x = np.load(folder / "y.npy")
    answers.d = np.load(folder / "d.npy")
    answers.model = Model(folder / "model.npz")
    answers.codes = np.load(folder / "codes.npy")
    answers.back = np.load(folder / "back.npy")
    return answers


def test_leaves_exactly_the_files_asked_for(workflow):
    assert workflow.left == ["back.npy", "codes.npy", "d.npy", "model.npz", "y.npy"]


def test_synth_writes_samples_and_dictionary(workflow):
    assert workflow.x.shape == (20000, 50) and workflow.x.dtype == np.float64
    assert workflow.d.shape == (50, 50) and workflow.d.dtype == np.float64
    assert "y.npy" in workflow.synth.text and "20000" in workflow.synth.text and "50" in workflow.synth.text


def test_fit_reports_what_happened(workflow):
    report = workflow.fit.json
    expected = {"dimension": 50, "atoms": 50, "samples": 20000, "rank": 50, "stretch": "l4", "remove_bias": False}
    expected |= {"method": "msp", "dictionary": "orthogonal", "center": False}
    expected |= {"termination": "converged", "seed": 7, "tolerance": 1e-6, "output": "model.npz"}
    assert {key: report[key] for key in expected} == expected
    assert 1 < report["iterations"] < 500
    assert report["passes"] == report["iterations"] + 2  # one for the moments, one for the start
    assert report["threads"] >= 1
    parts = report["moments_seconds"] + report["pass_seconds"] + report["projection_seconds"]
    assert 0 < parts < report["seconds"] < harness.TIMEOUT_SECONDS
    assert "converged" in report["message"] and str(report["iterations"]) in report["message"]


def test_fit_reports_the_papers_error(workflow):
    report = workflow.fit.json
    error = paper_error(workflow.model.analysis, workflow.d)
    assert report["error"] == pytest.approx(error, abs=paper_error_rounding(50), rel=0)
    # The paper's Table 2 has 0.34 % for n = 50, p = 20000, theta = 0.3; single runs scatter about it by a tenth.
    assert 0.0025 < report["error"] < 0.0045


def test_fit_reports_the_objective(workflow):
    z = workflow.model.codes(workflow.x)
    rounding = power_sum_rounding(z, workflow.x, 4)
    assert workflow.fit.json["objective"] == pytest.approx(np.sum(z**4), abs=rounding, rel=0)
    assert rounding < 1e-9 * np.sum(z**4)  # else the line above tests nothing


def test_worst_cosine_is_that_of_the_best_assignment(workflow):
    cosines = np.abs(workflow.model.dictionary @ workflow.d.T)
    rows, columns = scipy.optimize.linear_sum_assignment(-cosines)
    matched = cosines[rows, columns]
    report = workflow.eval.json
    assert report["matches"] == columns.tolist()
    np.testing.assert_allclose(report["cosines"], matched, rtol=0, atol=2 * 50 * EPSILON)
    np.testing.assert_array_equal(
        report["signs"], np.sign((workflow.model.dictionary @ workflow.d.T)[rows, columns]).astype(int)
    )
    assert report["worst_cosine"] == min(report["cosines"])
    assert report["mean_cosine"] == pytest.approx(np.mean(matched), abs=4 * 50 * EPSILON)
    assert workflow.fit.json["worst_cosine"] == report["worst_cosine"]


def test_eval_agrees_with_fit(workflow):
    report = workflow.eval.json
    assert (report["dimension"], report["atoms"]) == (50, 50)
    assert report["error"] == workflow.fit.json["error"]


def test_model_is_canonical(workflow):
    dictionary, x = workflow.model.dictionary, workflow.x
    # A norm is a sum of n squares, then one division.
    np.testing.assert_allclose(np.linalg.norm(dictionary, axis=1), 1, rtol=0, atol=50 * EPSILON)
    # Singular vectors from LAPACK are orthonormal up to a small multiple of n*eps.
    np.testing.assert_allclose(dictionary @ dictionary.T, np.eye(50), rtol=0, atol=10 * 50 * EPSILON)
    assert np.all(dictionary[np.arange(50), np.argmax(np.abs(dictionary), axis=1)] > 0)
    energy = np.mean((x @ dictionary.T) ** 2, axis=0)
    # Energies closer than a billionth of the largest count as equal, so that rounding doesn't order atoms.
    assert np.all(np.diff(energy) <= 1e-9 * energy[0])
    np.testing.assert_array_equal(workflow.model.analysis, dictionary)
    np.testing.assert_array_equal(workflow.model.mean, np.zeros(50))


def test_metadata_tells_how_the_model_was_made(workflow):
    metadata = workflow.model.metadata
    assert metadata["options"]["stretch"] == "l4" and metadata["options"]["seed"] == 7
    assert metadata["options"]["method"] == "msp" and metadata["options"]["dictionary"] == "auto"
    assert all(metadata["options"][name] is None for name in ("whiten", "center", "max_iterations"))  # left out
    assert metadata["summary"]["dictionary"] == "orthogonal" and metadata["summary"]["center"] is False
    assert metadata["summary"]["objective"] == workflow.fit.json["objective"]
    assert metadata["summary"]["iterations"] == workflow.fit.json["iterations"]


def test_metadata_hold_the_history(workflow):
    history = workflow.model.metadata["history"]
    iterations = workflow.fit.json["iterations"]
    assert {key: len(values) for key, values in history.items()} == dict.fromkeys(
        ("stage", "objective", "step", "samples"), iterations + 1)
    assert set(history["stage"]) == {"msp"} and set(history["samples"]) == {len(workflow.x)}
    assert history["objective"][-1] == workflow.fit.json["objective"]
    assert np.all(np.diff(history["objective"]) >= -1e-9 * history["objective"][-1])
    assert history["step"][0] is None and history["step"][-1] <= workflow.model.metadata["summary"]["tolerance"]


def test_encode_keeps_the_five_largest(workflow):
    dense = workflow.model.codes(workflow.x)
    kept = workflow.codes != 0
    rounding = product_rounding(workflow.x, workflow.model.analysis.T)
    assert workflow.codes.shape == dense.shape
    np.testing.assert_array_equal(np.count_nonzero(kept, axis=1), 5)
    assert np.all(np.abs(workflow.codes - dense)[kept] <= rounding[kept])
    smallest_kept = np.min(np.abs(dense), axis=1, where=kept, initial=np.inf)
    largest_dropped = np.max(np.abs(dense), axis=1, where=~kept, initial=0)
    assert np.all(smallest_kept >= largest_dropped - 2 * np.max(rounding, axis=1))


def test_decode_is_codes_times_dictionary(workflow):
    expected = workflow.codes @ workflow.model.dictionary + workflow.model.mean
    assert np.all(np.abs(workflow.back - expected) <= product_rounding(workflow.codes, workflow.model.dictionary))


def test_info_names_the_model_and_every_entry(workflow):
    text = workflow.info.text
    assert text.startswith("model.npz: 50 atoms in 50 dimensions\n")
    for section in ("options", "summary"):
        for key, value in workflow.model.metadata[section].items():
            lines = [line for line in text.splitlines() if line.split()[:1] == [key]]
            assert lines, f"{key} isn't shown"
            if isinstance(value, str):
                assert any(line.endswith(value) for line in lines)


def test_info_json_holds_the_metadata(workflow, run, small_model):
    report = run("info", small_model, "--json").json
    assert (report["dimension"], report["atoms"]) == (10, 10)
    assert report["metadata"] == Model(small_model).metadata


def test_info_refuses_metadata_without_bottom(run, tmp_path):
    nested = '{"options": ' + "[" * 200_000 + "]" * 200_000 + "}"
    np.savez(tmp_path / "deep.npz", dictionary=np.eye(2), analysis=np.eye(2), mean=np.zeros(2), metadata=nested)
    for flags in ([], ["--json"]):
        assert "nested too deeply" in run("info", "deep.npz", *flags, expect=3).stderr


def test_synth_encode_decode_report_json(run, small_model):
    report = run("synth", "--dimension", 10, "--samples", 30, "--output", "y.npy", "--truth", "d.npy", "--json").json
    assert (report["dimension"], report["samples"], report["output"], report["truth"]) == (10, 30, "y.npy", "d.npy")
    report = run("encode", small_model, "y.npy", "--top", 2, "--output", "z.npy", "--json").json
    assert report == {"atoms": 10, "samples": 30, "nonzeros": 60, "output": "z.npy"}
    report = run("decode", small_model, "z.npy", "--output", "b.npy", "--json").json
    assert report == {"dimension": 10, "samples": 30, "output": "b.npy"}


def test_eval_normalizes_the_objective(run, small, small_model):
    report = run("eval", small_model, "--truth", small.truth, "--samples", small.samples, "--theta", 0.3, "--json").json
    z = Model(small_model).codes(small.x)
    scale = 3 * z.size * 0.3
    rounding = power_sum_rounding(z, small.x, 4) / scale
    assert report["normalized_objective"] == pytest.approx(np.sum(z**4) / scale, abs=rounding, rel=0)


def test_eval_finds_order_and_signs(run, small, small_model, tmp_path):
    """A truth that is the model itself, shuffled, flipped and scaled, is recovered without error."""
    dictionary = Model(small_model).dictionary
    order = np.random.default_rng(5).permutation(10)
    signs = np.where(np.arange(10) % 3 == 0, -1, 1)
    np.save(tmp_path / "truth.npy", (dictionary[order] * signs[:, None] * 7))
    report = run("eval", small_model, "--truth", "truth.npy", "--json").json
    assert report["error"] <= paper_error_rounding(10) + 10 * 10 * EPSILON  # A is orthogonal up to 10n*eps itself
    assert report["matches"] == np.argsort(order).tolist()
    assert report["signs"] == signs[np.argsort(order)].tolist()


def test_streams_give_the_same_bytes_as_files(run, small, tmp_path):
    run("fit", small.samples, "--output", "model.npz")
    run("encode", "model.npz", small.samples, "--top", 3, "--output", "codes.npy")
    run("decode", "model.npz", "codes.npy", "--output", "back.npy")
    samples = small.samples.read_bytes()

    model = run("fit", "-", "--output", "-", stdin=samples).stdout
    codes = run("encode", "model.npz", "-", "--top", 3, "--output", "-", stdin=samples).stdout
    back = run("decode", "model.npz", "-", "--output", "-", stdin=codes).stdout
    assert model == (tmp_path / "model.npz").read_bytes()
    assert codes == (tmp_path / "codes.npy").read_bytes()
    assert back == (tmp_path / "back.npy").read_bytes()


def test_synth_to_standard_output(run, small):
    options = "synth --dimension 10 --samples 4000 --theta 0.3 --seed 1 --output -"
    assert run(*options.split()).stdout == small.samples.read_bytes()


def test_trace_to_standard_output_has_nothing_else(run, small, tmp_path):
    lines = run("fit", small.samples, "--trace", "-").text.splitlines()
    assert lines[0] == "iteration,objective,step,seconds,stage,samples"
    assert all(len(line.split(",")) == 6 for line in lines)


def test_text_report_tells_the_outcome(run, small):
    report = run("fit", small.samples, "--truth", small.truth, "--json").json
    text = run("fit", small.samples, "--truth", small.truth, "--output", "m.npz").text
    for expected in ("converged", f"after {report['iterations']} iterations", f"{report['error']:.3e}", "m.npz"):
        assert expected in text
    verbose = run("fit", small.samples, "--verbose").text.splitlines()
    table = [line.split() for line in verbose if line.split()[:1] and line.split()[0].isdigit()]
    assert [int(row[0]) for row in table] == list(range(report["iterations"] + 1))
