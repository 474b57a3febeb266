# SPDX-License-Identifier: Apache-2.0
"""Runs that are killed and resumed end where they would have: in the same model, to the byte."""

import json
import random
import signal
import subprocess
import time

import harness
import numpy as np
import pytest

BAD_USAGE, BAD_DATA, NOT_CONVERGED, INTERRUPTED = 2, 3, 4, 130
KILLS = 8

# These take different paths through the methods: exact zeros, noise, a complete dictionary with an offset, atoms of
# which few or none can be established, a start at the truth.
COURSES = {
    "exact": (["--theta", 0.3], []),
    "noise": (["--theta", 0.2, "--noise", 0.1], []),
    "complete": (["--theta", 0.2, "--noise", 0.02, "--condition", 4], ["--center"]),
    "nothing": (["--theta", 0.35, "--noise", 0.6], []),
    "partly": (["--theta", 0.35, "--noise", 0.5], []),
    "from a file": (["--theta", 0.3], ["--init", "d.npy"]),
    "msp": (["--theta", 0.3], ["--method", "msp", "--tolerance", 1e-12, "--precision", "f64"]),
    "consensus": (["--theta", 0.35, "--noise", 0.5], ["--runs", 3]),
    "consensus of msp": (["--theta", 0.3], ["--runs", 3, "--stretch", "l3", "--resample", "bootstrap"]),
    "whitened": (["--theta", 0.3, "--condition", 4], ["--stretch", "logcosh", "--whiten", "zca"]),
}
COURSE = pytest.mark.parametrize("course", COURSES)


class Fit:
    """A fit, what it leaves when nothing disturbs it, and how long that takes with a checkpoint before every pass."""

    def __init__(self, folder, data, options):
        self.folder = folder
        self.options = ["fit", "y.npy", *options]
        harness.run_command("synth", "--dimension", 20, "--samples", 2000, "--seed", 3, *data, "--output", "y.npy",
                            "--truth", "d.npy", cwd=folder)  # fmt: skip
        self.code, self.model = self.leaves("plain.npz")
        start = time.monotonic()
        self.code, _ = self.leaves("whole.npz", "--checkpoint", "whole.checkpoint", "--checkpoint-every", 0)
        self.seconds = time.monotonic() - start

    def leaves(self, name, *more):
        """The exit code and the bytes of the model."""
        done = subprocess.run([str(harness.BINARY), *map(str, [*self.options, "--output", name, *more])],
                              cwd=self.folder, capture_output=True, timeout=harness.TIMEOUT_SECONDS, check=False)  # fmt: skip
        assert done.returncode in (0, NOT_CONVERGED), done.stderr
        return done.returncode, (self.folder / name).read_bytes()

    def kill_after(self, seconds, *more):
        process = subprocess.Popen([str(harness.BINARY), *map(str, [*self.options, *more])], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        time.sleep(seconds)
        process.kill()
        process.wait()
        for temporary in self.folder.glob(".orthodict-*"):
            temporary.unlink()


@pytest.fixture(scope="module")
def fits(tmp_path_factory):
    made = {}

    def fit(course):
        if course not in made:
            made[course] = Fit(tmp_path_factory.mktemp("course"), *COURSES[course])
        return made[course]

    return fit


@COURSE
def test_checkpoints_change_nothing(fits, course):
    fit = fits(course)
    assert (fit.folder / "whole.npz").read_bytes() == fit.model


@COURSE
def test_a_run_that_was_killed_is_taken_up_again(fits, course):
    """At any moment, and as often as it takes; by another number of threads too."""
    fit = fits(course)
    moments = random.Random(course)
    file = fit.folder / "killed.checkpoint"
    for _ in range(KILLS):
        resume = ["--resume", file.name] if file.exists() else ["--checkpoint", file.name]
        fit.kill_after(moments.uniform(0, fit.seconds), *resume, "--checkpoint-every", 0,
                       "--threads", moments.choice([1, 2, 3]))  # fmt: skip
        if file.exists():
            with np.load(file) as arrays:  # complete, whenever the process was killed
                assert "identity" in arrays.files
    assert file.exists()
    code, model = fit.leaves("resumed.npz", "--resume", file.name)
    assert (code, model) == (fit.code, fit.model)


@COURSE
def test_every_single_checkpoint_will_do(fits, course):
    """A run that ends by its limit leaves one: after each number of iterations, or as many as time allows."""
    fit = fits(course)
    iterations = harness.Model(fit.folder / "plain.npz").metadata["summary"]["iterations"]
    for limit in sorted({0, 1, 2, *np.linspace(3, iterations - 1, 12, dtype=int)}):
        name = f"at{limit}.checkpoint"
        fit.leaves("short.npz", "--max-iterations", limit, "--checkpoint", name)
        assert fit.leaves("resumed.npz", "--resume", name) == (fit.code, fit.model), limit


@COURSE
def test_a_signal_leaves_a_checkpoint(fits, course):
    """Whenever it comes; then the run goes on from there, until the next."""
    fit = fits(course)
    moments = random.Random(course)
    file = fit.folder / "signal.checkpoint"
    for number in [signal.SIGINT, signal.SIGTERM] * 2:
        resume = ["--resume", file.name] if file.exists() else ["--checkpoint", file.name]
        process = subprocess.Popen([str(harness.BINARY), *map(str, [*fit.options, *resume])], cwd=fit.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        time.sleep(moments.uniform(0, fit.seconds))
        process.send_signal(number)
        code = process.wait(timeout=harness.TIMEOUT_SECONDS)
        assert code in (0, NOT_CONVERGED, INTERRUPTED, -number)  # -number: killed before it handles signals
    code, model = fit.leaves("resumed.npz", *(["--resume", file.name] if file.exists() else []))
    assert (code, model) == (fit.code, fit.model)


@pytest.mark.parametrize(("number", "times"), [(signal.SIGHUP, 1), (signal.SIGXCPU, 5)], ids=["HUP", "XCPU"])
def test_other_signals_that_end_long_runs(run, small, tmp_path, number, times):
    """A session that is closed, and a batch system's limit, which is told of again and again, leave what was reached."""
    # SIGHUP is ignored if the tests run under nohup.
    process = subprocess.Popen([harness.BINARY, "fit", small.samples, "--method", "msp", "--step", "1e-7", "--tolerance",
                                "0", "--max-iterations", "1000000000", "--output", "m.npz", "--checkpoint", "c.npz",
                                "--checkpoint-every", "0"], cwd=tmp_path,
                               preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))  # fmt: skip
    while not (tmp_path / "c.npz").exists():
        time.sleep(0.01)
    for _ in range(times):
        process.send_signal(number)
        time.sleep(0.001)
    assert process.wait(timeout=harness.TIMEOUT_SECONDS) == INTERRUPTED
    assert (tmp_path / "m.npz").exists()


def test_nohup_keeps_a_run_going(tmp_path):
    with subprocess.Popen(["nohup", harness.BINARY, "fit", "-", "--raw", "f64x10", "--time-limit", "2"], cwd=tmp_path,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # fmt: skip
        time.sleep(1)
        process.send_signal(signal.SIGHUP)
        assert b"no samples arrived within the time limit of 2 s" in process.stderr.read()
        assert process.wait(timeout=harness.TIMEOUT_SECONDS) == BAD_DATA


@pytest.fixture
def stopped(run, small):
    """A checkpoint of a run that was ended by its limit, in the folder of run()."""
    run("fit", small.samples, "--max-iterations", 2, "--checkpoint", "a.checkpoint", expect=NOT_CONVERGED)
    return "a.checkpoint"


@pytest.mark.parametrize(("options", "message"), [
    (["--seed", 7], "options.seed was 0, now is 7"),
    (["--tolerance", 1e-3], "tolerance was"),
    (["--method", "msp"], 'options.method was "auto", now is "msp"'),
    (["--max-iterations", 1], "max_iterations = 1"),
])  # fmt: skip
def test_other_options_are_refused(run, small, stopped, options, message):
    answer = run("fit", small.samples, "--resume", stopped, *options, expect=BAD_DATA)
    assert stopped in answer.stderr and message in answer.stderr


def test_other_samples_are_refused(run, small, skewed, stopped, tmp_path):
    assert "the samples differ in values or order" in run("fit", skewed.samples, "--resume", stopped, expect=BAD_DATA).stderr
    np.save(tmp_path / "fewer.npy", small.x[:-1])
    answer = run("fit", "fewer.npy", "--resume", stopped, expect=BAD_DATA)
    assert "samples.size was 4000, now is 3999" in answer.stderr
    changed = small.x.copy()
    changed[17, 3] += 1e-9
    np.save(tmp_path / "changed.npy", changed)
    assert "the samples differ in values or order" in run("fit", "changed.npy", "--resume", stopped, expect=BAD_DATA).stderr


def test_samples_in_another_order_or_type_are_refused(run, tmp_path):
    """Sums of integers don't tell their order, and single precision takes another course."""
    values = np.random.default_rng(1).integers(0, 9, (400, 8)).astype(np.uint8)
    np.save(tmp_path / "a.npy", values[:100])
    np.save(tmp_path / "b.npy", values[100:])
    options = ["--method", "msp", "--max-iterations", 2]
    run("fit", "a.npy", "b.npy", *options, "--checkpoint", "c.npz", expect=NOT_CONVERGED)
    answer = run("fit", "b.npy", "a.npy", *options, "--resume", "c.npz", expect=BAD_DATA)
    assert "differ in values or order" in answer.stderr
    np.save(tmp_path / "double.npy", values.astype(float))
    answer = run("fit", "double.npy", *options, "--resume", "c.npz", expect=BAD_DATA)
    assert "samples.fits_f32 was true, now is false" in answer.stderr


def test_files_that_are_no_checkpoints(run, small, small_model, stopped, tmp_path):
    def refusal(name):
        answer = run("fit", small.samples, "--resume", name, expect=BAD_DATA)
        assert str(name) in answer.stderr
        return answer.stderr

    assert "not a checkpoint" in refusal(small_model)
    assert "no such file" in refusal("none.checkpoint").lower()
    whole = (tmp_path / stopped).read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut.checkpoint").write_bytes(whole[:size])
        refusal("cut.checkpoint")
    with np.load(tmp_path / stopped) as arrays:
        good = {name: arrays[name] for name in arrays.files}
    for name, value in [("sizes", good["sizes"] + 1), ("sizes", -good["sizes"]), ("entries", good["entries"][:-1]),
                        ("entries", np.append(good["entries"], 0.0)),
                        ("b", good["b"][:-1]), ("b", np.full_like(good["b"], np.nan)), ("identity", np.array("{}")),
                        ("identity", np.array(str(good["identity"]).replace('"format":4', '"format":3')))]:  # fmt: skip
        np.savez(tmp_path / "damaged.npz", **{**good, name: value})
        refusal("damaged.npz")
    for name in ("b", "shift", "entries"):
        np.savez(tmp_path / "damaged.npz", **{key: value for key, value in good.items() if key != name})
        refusal("damaged.npz")
    flipped = bytearray(whole)
    flipped[whole.index(good["b"].tobytes()) + 5] ^= 1
    (tmp_path / "flipped.checkpoint").write_bytes(flipped)
    refusal("flipped.checkpoint")


def test_a_checkpoint_that_cannot_be_written_does_not_end_the_run(run, small, tmp_path):
    run("fit", small.samples, "--output", "plain.npz")
    done = subprocess.run([str(harness.BINARY), "fit", str(small.samples), "--output", "m.npz", "--json",
                           "--checkpoint", "/dev/full", "--checkpoint-every", "0"], cwd=tmp_path, capture_output=True,
                          timeout=harness.TIMEOUT_SECONDS, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "m.npz").read_bytes() == (tmp_path / "plain.npz").read_bytes()
    assert b"/dev/full: write failed: No space left on device" in done.stderr
    assert "No space left" in json.loads(done.stdout)["checkpoint_error"]


@pytest.mark.parametrize(("options", "code", "message"), [
    (["--checkpoint", "none/c"], BAD_DATA, "none/c"),
    (["--checkpoint", "m.npz"], BAD_USAGE, "--checkpoint = m.npz"),
    (["--checkpoint-every", -1, "--checkpoint", "c"], BAD_USAGE, "checkpoint_every = -1"),
    (["--checkpoint", "-"], BAD_USAGE, "checkpoint = -"),
    (["--resume", ""], BAD_USAGE, "--resume"),
    (["--checkpoint-every", 5], BAD_USAGE, "--checkpoint-every"),
    (["--checkpoint", "c", "--method", "ksvd"], BAD_USAGE, "ksvd"),
    (["--resume", "c", "--method", "pca"], BAD_USAGE, "pca"),
])  # fmt: skip
def test_refusals(run, small, options, code, message):
    assert message in run("fit", small.samples, "--output", "m.npz", *options, expect=code).stderr
