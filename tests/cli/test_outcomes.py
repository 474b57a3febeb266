# SPDX-License-Identifier: Apache-2.0
"""Outcomes that are no errors: runs that end early, by limit or by signal, and data that lack rank."""

import contextlib
import fcntl
import os
import pathlib
import pty
import re
import resource
import signal
import struct
import subprocess
import termios
import time

import harness
import numpy as np
import pytest
from harness import EPSILON, Model, polar

NOT_CONVERGED, INTERRUPTED = 4, 130
MSP = ["--method", "msp"]
METHODS = pytest.mark.parametrize("method", ["auto", "msp"])
SIGNALS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])


@pytest.mark.parametrize(("option", "name"), [("--output", "m.npz"), ("--checkpoint", "c"), ("--trace", "t.csv")])
def test_named_pipes_get_all(run, small, tmp_path, option, name):
    """Though it is tried first whether they can be written to."""
    (tmp_path / "pipe").mkdir()
    pipe = tmp_path / "pipe" / name
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        try:
            run("fit", small.samples, "--max-iterations", 2, option, pipe, expect=NOT_CONVERGED)
            received = reader.communicate(timeout=harness.TIMEOUT_SECONDS)[0]
        finally:
            reader.kill()  # it would wait forever for a writer
    run("fit", small.samples, "--max-iterations", 2, option, name, expect=NOT_CONVERGED)
    written = (tmp_path / name).read_bytes()
    if option == "--trace":  # contains times, which differ
        received, written = received.count(b"\n"), written.count(b"\n")
    assert received == written
    assert pipe.is_fifo()


@METHODS
def test_iterations_used_up(run, small, tmp_path, method):
    report = run("fit", small.samples, "--method", method, "--max-iterations", 1, "--output", "m.npz", "--json",
                 expect=NOT_CONVERGED).json  # fmt: skip
    assert report["termination"] == "max_iterations"
    assert report["iterations"] == 1
    model = Model(tmp_path / "m.npz")
    np.testing.assert_allclose(model.dictionary @ model.dictionary.T, np.eye(10), rtol=0, atol=100 * EPSILON)
    assert model.metadata["summary"]["termination"] == "max_iterations"
    assert "10 atoms" in run("info", "m.npz").text


@METHODS
def test_exactly_enough_iterations_converge(run, small, method):
    fit = ["fit", small.samples, "--method", method, "--json"]
    needed = run(*fit).json["iterations"]
    assert run(*fit, "--max-iterations", needed).json["termination"] == "converged"
    short = run(*fit, "--max-iterations", needed - 1, expect=NOT_CONVERGED).json
    assert short["termination"] == "max_iterations"


@METHODS
def test_time_used_up(run, small, tmp_path, method):
    """A nanosecond is over after the first look at the data: the model is the start."""
    report = run("fit", small.samples, "--method", method, "--time-limit", 1e-9, "--output", "m.npz", "--json",
                 expect=NOT_CONVERGED).json  # fmt: skip
    assert report["termination"] == "time_limit"
    assert report["iterations"] == 0
    assert Model(tmp_path / "m.npz").metadata["summary"]["termination"] == "time_limit"


def test_enough_time_changes_nothing(run, small, tmp_path):
    run("fit", small.samples, "--time-limit", 1000, "--output", "a.npz")
    run("fit", small.samples, "--output", "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


@METHODS
def test_text_tells_why_it_ended(run, small, method):
    fit = ["fit", small.samples, "--method", method]
    assert "max_iterations" in run(*fit, "--max-iterations", 1, expect=NOT_CONVERGED).text
    assert "time_limit" in run(*fit, "--time-limit", 1e-9, expect=NOT_CONVERGED).text


class Running:
    """A command under way, with a terminal for its standard error, where it shows its progress."""

    def __init__(self, *args, cwd, stdin=subprocess.DEVNULL):
        self.cwd = cwd
        self.terminal, inner = pty.openpty()
        os.set_blocking(self.terminal, False)
        self.process = subprocess.Popen(
            [str(harness.BINARY), *map(str, args)], cwd=cwd, stdin=stdin, stdout=subprocess.PIPE, stderr=inner
        )
        os.close(inner)
        self.shown = b""

    def look(self):
        # Linux returns EIO when the other end is closed.
        with contextlib.suppress(BlockingIOError, OSError):
            self.shown += os.read(self.terminal, 1 << 16)

    def wait_until(self, happened):
        """Waits for something that shows that the command is in the middle of its work."""
        deadline = time.monotonic() + harness.TIMEOUT_SECONDS
        while not happened():
            self.look()
            assert self.process.poll() is None, f"ended too early: {self.shown!r}"
            assert time.monotonic() < deadline, f"never came that far: {self.shown!r}"
            time.sleep(0.005)

    def finish(self):
        stdout, _ = self.process.communicate(timeout=harness.TIMEOUT_SECONDS)
        self.look()
        harness.check_alive(self.process.returncode, self.shown, self.cwd)
        return harness.Answer(self.process.returncode, stdout, self.shown)

    def close(self):
        self.process.kill()
        self.process.communicate()
        os.close(self.terminal)


@pytest.fixture
def start(tmp_path):
    """start(*args) gives a Running; whatever becomes of the test, none is left running."""
    with contextlib.ExitStack() as stack:

        def begin(*args, **more):
            running = Running(*args, cwd=tmp_path, **more)
            stack.callback(running.close)
            return running

        yield begin


def write_zeros(path, rows, columns):
    """A file of zeros that takes no space: `rows` samples of single bytes."""
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "|u1", "fortran_order": False, "shape": (rows, columns)})
        file.truncate(file.tell() + rows * columns)


def has_begun_to_write(running, folder):
    """The file that has no name yet, or a temporary one, holds something: the rows are being written."""
    descriptors = pathlib.Path(f"/proc/{running.process.pid}/fd")

    def holds_something(descriptor):
        try:
            name = os.readlink(descriptor)
            is_unfinished = name.endswith(" (deleted)") or "/.orthodict-" in name
            return name.startswith(str(folder)) and is_unfinished and descriptor.stat().st_size > 0
        except OSError:
            return False

    return lambda: any(map(holds_something, list(descriptors.iterdir())))


# Gaussian samples have no sparse directions to settle on: such a fit goes on for thousands of iterations.
ENDLESS = [*MSP, "--max-iterations", 10**8, "--tolerance", 0]


@pytest.fixture
def gaussian(run, tmp_path):
    run("synth", "--dimension", 40, "--samples", 4000, "--theta", 1, "--output", "y.npy")
    return "y.npy"


@SIGNALS
def test_interrupted_fit_keeps_what_it_has(start, gaussian, tmp_path, number):
    running = start("fit", gaussian, *ENDLESS, "--output", "m.npz", "--trace", "t.csv", "--json")
    running.wait_until(lambda: re.search(rb"iteration [1-9]", running.shown))
    running.process.send_signal(number)
    answer = running.finish()
    assert answer.code == INTERRUPTED
    report = answer.json
    assert report["termination"] == "stopped"
    model = Model(tmp_path / "m.npz")
    np.testing.assert_allclose(model.dictionary @ model.dictionary.T, np.eye(40), rtol=0, atol=10 * 40 * EPSILON)
    assert model.metadata["summary"]["termination"] == "stopped"
    assert model.metadata["summary"]["iterations"] == report["iterations"] >= 1
    assert len((tmp_path / "t.csv").read_text().splitlines()) == report["iterations"] + 2  # header, iteration 0


def test_interrupted_auto_keeps_what_it_has(run, start, tmp_path):
    """Nothing is established while it explores, which takes seconds here."""
    run("synth", "--dimension", 100, "--samples", 50000, "--theta", 1, "--output", "y.npy")
    running = start("fit", "y.npy", "--output", "m.npz", "--trace", "t.csv", "--json")
    running.wait_until(lambda: re.search(rb"iteration [1-9]", running.shown))
    running.process.send_signal(signal.SIGINT)
    answer = running.finish()
    assert answer.code == INTERRUPTED
    report = answer.json
    assert report["termination"] == "stopped" and report["established"] == 0
    model = Model(tmp_path / "m.npz")
    np.testing.assert_allclose(model.dictionary @ model.dictionary.T, np.eye(100), rtol=0, atol=10 * 100 * EPSILON)
    assert model.metadata["summary"]["termination"] == "stopped"
    assert model.metadata["summary"]["iterations"] == report["iterations"] >= 1
    assert len((tmp_path / "t.csv").read_text().splitlines()) == report["iterations"] + 2  # header, iteration 0


def test_interrupted_fit_keeps_the_last_whole_iterate(run, start, gaussian, tmp_path):
    """What an interrupted run leaves is what a run of that many iterations leaves."""
    running = start("fit", gaussian, *ENDLESS, "--output", "m.npz", "--json")
    running.wait_until(lambda: re.search(rb"iteration [1-9]", running.shown))
    running.process.send_signal(signal.SIGINT)
    iterations = running.finish().json["iterations"]
    run("fit", gaussian, *MSP, "--max-iterations", iterations, "--tolerance", 0, "--output", "n.npz",
        expect=NOT_CONVERGED)  # fmt: skip
    np.testing.assert_array_equal(Model(tmp_path / "m.npz").dictionary, Model(tmp_path / "n.npz").dictionary)


def test_interrupted_while_looking_at_the_data(start, tmp_path):
    """Before the first iterate there is nothing to keep: no model, no half-made file."""
    write_zeros(tmp_path / "zeros.npy", 40_000_000, 50)  # two gigabytes take seconds
    running = start("fit", "zeros.npy", "--output", "m.npz")
    running.wait_until(lambda: reads(running.process.pid, "zeros.npy"))
    running.process.send_signal(signal.SIGINT)
    answer = running.finish()
    assert answer.code == INTERRUPTED
    assert "interrupted" in answer.stderr
    assert answer.stdout == b""
    assert harness.listing(tmp_path) == ["zeros.npy"]


def reads(pid, name):
    """A tenth of a second of work has gone into the file that the process has mapped: it is past opening it."""
    with open(f"/proc/{pid}/maps") as maps:
        mapped = any(line.rstrip().endswith(name) for line in maps)
    with open(f"/proc/{pid}/stat") as stat:
        user, system = (int(ticks) for ticks in stat.read().rpartition(")")[2].split()[11:13])
    return mapped and user + system >= 0.1 * os.sysconf("SC_CLK_TCK")


@SIGNALS
@pytest.mark.parametrize("output", ["y.npy", "y.csv"])
def test_interrupted_synth_leaves_nothing(start, tmp_path, number, output):
    running = start("synth", "--dimension", 100, "--samples", 10_000_000, "--output", output, "--truth", "d.npy")
    running.wait_until(has_begun_to_write(running, tmp_path))
    running.process.send_signal(number)
    assert running.finish().code == INTERRUPTED
    assert harness.listing(tmp_path) == []


@SIGNALS
@pytest.mark.parametrize("command", ["encode", "decode"])
def test_interrupted_coding_keeps_the_older_file(start, small_model, tmp_path, number, command):
    write_zeros(tmp_path / "zeros.npy", 50_000_000, 10)
    (tmp_path / "z.npy").write_text("precious")
    running = start(command, small_model, "zeros.npy", "--output", "z.npy")
    running.wait_until(has_begun_to_write(running, tmp_path))
    running.process.send_signal(number)
    assert running.finish().code == INTERRUPTED
    assert harness.listing(tmp_path) == ["z.npy", "zeros.npy"]
    assert (tmp_path / "z.npy").read_text() == "precious"


def test_interrupted_while_waiting_for_input(start, tmp_path):
    running = start("fit", "-", "--output", "m.npz", stdin=subprocess.PIPE)
    running.process.stdin.write(b"\x93NUMPY")
    running.process.stdin.flush()
    running.wait_until(lambda: is_asleep_in_read(running.process.pid))
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(timeout=2) == INTERRUPTED


def is_asleep_in_read(pid):
    """The handlers are in place, and the main thread has taken what there was and sleeps."""
    with open(f"/proc/{pid}/status") as status:
        caught = int(re.search(r"SigCgt:\s*(\w+)", status.read()).group(1), 16)
    with open(f"/proc/{pid}/task/{pid}/stat") as stat:
        asleep = stat.read().rpartition(")")[2].split()[0] == "S"
    return asleep and caught >> (signal.SIGINT - 1) & 1 == 1


def is_full(pipe):
    waiting = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]
    get_pipe_size = 1032  # F_GETPIPE_SZ, which Python names from 3.10 on
    return waiting == fcntl.fcntl(pipe, get_pipe_size)


@harness.unsanitized("signals wait until a write that is blocked has ended")
def test_second_signal_ends_at_once(start, tmp_path):
    """Nobody reads what is written, so the command can't come to hear of the first one."""
    running = start("synth", "--samples", 10**6, "--output", "-")
    running.wait_until(lambda: is_full(running.process.stdout))
    running.process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert running.process.poll() is None
    deadline = time.monotonic() + harness.TIMEOUT_SECONDS
    # Equal signals that come together count once: send until one too many has come.
    while running.process.poll() is None and time.monotonic() < deadline:
        running.process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    assert running.process.returncode == INTERRUPTED
    assert harness.listing(tmp_path) == []


def test_progress_is_wiped_away(start, gaussian):
    """A terminal sees progress while it lasts, and nothing of it afterwards; a pipe never does (see run_command)."""
    running = start("fit", gaussian, *ENDLESS)
    running.wait_until(lambda: re.search(rb"iteration [1-9]", running.shown))
    running.process.send_signal(signal.SIGINT)
    running.finish()
    assert running.shown.endswith(b"\r\x1b[K")
    assert b"\n" not in running.shown


@pytest.fixture
def rank_six(tmp_path):
    """Sparse mixtures of six atoms in ten dimensions."""
    rng = np.random.default_rng(8)
    codes = rng.standard_normal((3000, 6)) * (rng.random((3000, 6)) < 0.3)
    atoms = polar(rng.standard_normal((6, 10)))
    np.save(tmp_path / "x.npy", codes @ atoms)
    np.save(tmp_path / "atoms.npy", atoms)
    return codes @ atoms, atoms


@METHODS
@pytest.mark.parametrize("whiten", ["zca", "pca"])
def test_whitening_keeps_as_many_atoms_as_there_is_rank(run, rank_six, tmp_path, whiten, method):
    x, atoms = rank_six
    report = run("fit", "x.npy", "--method", method, "--whiten", whiten, "--truth", "atoms.npy", "--output", "m.npz",
                 "--json").json  # fmt: skip
    assert (report["rank"], report["atoms"], report["dimension"]) == (6, 6, 10)
    assert "rank 6 of 10" in report["message"]
    assert report["error"] < 0.01
    model = Model(tmp_path / "m.npz")
    np.testing.assert_allclose(model.codes(x) @ model.dictionary, x, rtol=0, atol=1e3 * EPSILON * np.max(np.abs(x)))
    outside = model.dictionary - model.dictionary @ atoms.T @ atoms
    assert np.max(np.abs(outside)) < 1e3 * EPSILON


@pytest.mark.parametrize("options", [["--dictionary", "orthogonal"], MSP], ids=["auto", "msp"])
def test_lack_of_rank_is_said(run, rank_six, tmp_path, options):
    """Without whitening the dictionary is complete, and what lies outside the data has no energy."""
    x, _ = rank_six
    run("fit", "x.npy", *options, "--output", "m.npz")
    model = Model(tmp_path / "m.npz")
    message = model.metadata["summary"]["message"]
    assert "rank 6 of 10" in message
    assert "4 atoms" in message
    energy = np.mean(model.codes(x) ** 2, axis=0)
    assert model.atoms == 10
    assert model.metadata["summary"]["rank"] == 6
    assert np.sum(energy) == pytest.approx(np.mean(np.sum(x**2, axis=1)), rel=1e3 * EPSILON)


@METHODS
@pytest.mark.usefixtures("rank_six")
def test_as_many_atoms_as_rank(run, method):
    report = run("fit", "x.npy", "--method", method, "--atoms", 6, "--truth", "atoms.npy", "--output", "m.npz",
                 "--json").json  # fmt: skip
    assert report["error"] < 0.01
    assert "rank 6 of 10" in report["message"]


def test_constant_feature_loses_rank_by_centring(run, small, tmp_path):
    x = small.x.copy()
    x[:, 4] = 2.5
    np.save(tmp_path / "x.npy", x)
    report = run("fit", "x.npy", "--method", "msp", "--center", "--whiten", "zca", "--output", "m.npz", "--json").json
    assert (report["rank"], report["atoms"]) == (9, 9)
    model = Model(tmp_path / "m.npz")
    assert np.max(np.abs(model.dictionary[:, 4])) < 1e3 * EPSILON
    assert model.mean[4] == pytest.approx(2.5, rel=4 * EPSILON)


@pytest.mark.parametrize("samples", [1, 5])
def test_fewer_samples_than_features(run, small, tmp_path, samples):
    """Legal: the rank is at most the number of samples, and is said; with whitening so many atoms are learned."""
    x = small.x[10 : 10 + samples]
    np.save(tmp_path / "x.npy", x)
    run("fit", "x.npy", *MSP, "--init", "identity", "--max-iterations", 1, "--output", "m.npz", expect=NOT_CONVERGED)
    model = Model(tmp_path / "m.npz")
    assert model.metadata["summary"]["rank"] == samples
    assert f"rank {samples} of 10" in model.metadata["summary"]["message"]
    np.testing.assert_allclose(model.dictionary @ model.dictionary.T, np.eye(10), rtol=0, atol=100 * EPSILON)

    report = run("fit", "x.npy", *MSP, "--whiten", "zca", "--max-iterations", 2000, "--output", "w.npz", "--json").json
    assert report["atoms"] == samples
    white = Model(tmp_path / "w.npz")
    np.testing.assert_allclose(white.codes(x) @ white.dictionary, x, rtol=0, atol=1e4 * EPSILON)


@METHODS
def test_one_feature(run, small, tmp_path, method):
    np.save(tmp_path / "x.npy", small.x[:, 0])  # a vector is a column
    report = run("fit", "x.npy", "--method", method, "--output", "m.npz", "--json").json
    assert (report["dimension"], report["atoms"], report["samples"]) == (1, 1, 4000)
    np.testing.assert_array_equal(Model(tmp_path / "m.npz").dictionary, [[1.0]])


@pytest.mark.parametrize("stretch", ["soft:50", "hard:50"])
def test_threshold_above_all_coefficients_is_an_error(run, small, stretch, tmp_path):
    """Nothing passes the threshold, so nothing is learned: that must not look like a model."""
    result = run("fit", small.samples, "--stretch", stretch, "--output", "m.npz", expect=2)
    assert f"stretch = {stretch}" in result.stderr
    assert harness.listing(tmp_path) == []


def test_orthogonal_data_are_their_own_dictionary(run, small, tmp_path):
    """The paper's Algorithm 1: samples that are the atoms themselves are a fixed point."""
    run("fit", small.truth, *MSP, "--truth", small.truth, "--tolerance", 1e-12, "--output", "m.npz")
    model = Model(tmp_path / "m.npz")
    gram = np.abs(model.dictionary @ small.d.T)
    permutation = gram > 0.5
    np.testing.assert_array_equal(permutation.sum(axis=0), 1)
    np.testing.assert_array_equal(permutation.sum(axis=1), 1)
    # Near a permutation a step cubes what is off, so that after a step of 1e-12 rounding is all that is left.
    np.testing.assert_allclose(gram, permutation, rtol=0, atol=1e3 * EPSILON)


@pytest.mark.parametrize("command", [
    ["fit", "y.npy", "--checkpoint", "y.npy"],
    ["fit", "y.npy", "--trace", "./y.npy"],
    ["fit", "y.npy", "--truth", "d.npy", "--trace", "d.npy"],
    ["fit", "y.npz", "--output", "y.npz"],
    ["fit", "y.npz:a", "--output", "y.npz"],
    ["fit", "y.npy", "--resume", "c.npz", "--checkpoint", "new.npz", "--output", "c.npz"],
    ["encode", "m.npz", "y.npy", "--output", "y.npy"],
    ["encode", "m.npz", "y.npy", "--sparse", "--output", "m.npz"],
    ["decode", "m.npz", "y.npy", "--output", "y.npy"],
])  # fmt: skip
def test_what_is_read_isnt_overwritten(run, small, tmp_path, command):
    run("fit", small.samples, "--output", "m.npz")
    np.save(tmp_path / "y.npy", small.x)
    np.savez(tmp_path / "y.npz", a=small.x)
    np.save(tmp_path / "d.npy", np.load(small.truth))
    run("fit", "y.npy", "--max-iterations", 1, "--checkpoint", "c.npz", expect=4)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert "another file than what is read" in run(*command, expect=2).stderr
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("command", [
    ["fit", "-", "--checkpoint", "y.npy"],
    ["fit", "-", "--trace", "y.npy"],
    ["encode", "m.npz", "-", "--output", "y.npy"],
])  # fmt: skip
def test_what_is_read_from_standard_input_isnt_overwritten(run, small, tmp_path, command):
    run("fit", small.samples, "--output", "m.npz")
    np.save(tmp_path / "y.npy", small.x)
    with open(tmp_path / "y.npy", "rb") as file:
        done = subprocess.run([harness.BINARY, *command], cwd=tmp_path, stdin=file, capture_output=True, check=False)
    assert done.returncode == 2
    assert b"another file than what is read" in done.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), small.x)


def test_a_kill_leaves_no_file_behind(run, start, tmp_path):
    """On a file system that has files without a name."""
    run("synth", "--dimension", 50, "--samples", 200000, "--precision", "f32", "--output", "y.npy")
    run("fit", "y.npy", "--method", "msp", "--max-iterations", 1, "--output", "m.npz", expect=4)
    before = harness.listing(tmp_path)
    running = start("encode", "m.npz", "y.npy", "--output", "z.csv")
    running.wait_until(has_begun_to_write(running, tmp_path))
    if harness.temporaries(tmp_path):
        pytest.skip("this file system has none")
    running.process.kill()
    assert running.process.wait() == -signal.SIGKILL
    assert harness.listing(tmp_path) == before


def test_outputs_are_different_files(run, small, tmp_path):
    answer = run("fit", small.samples, "--output", "m.npz", "--checkpoint", f"./{tmp_path.name}/../m.npz", expect=2)
    assert "another output goes there" in answer.stderr


def test_a_limit_on_files_is_an_error(small, tmp_path):
    """What can't be written is told, and nothing is left; a checkpoint that can't be doesn't end the run."""
    for options, code in ((["--output", "m.npz"], 3), (["--checkpoint", "c", "--checkpoint-every", "0"], 0)):
        done = subprocess.run([harness.BINARY, "fit", small.samples, *options], cwd=tmp_path, capture_output=True,
                              text=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))  # fmt: skip
        assert done.returncode == code, done.stderr
        assert "File too large" in done.stderr
        assert list(tmp_path.iterdir()) == []
