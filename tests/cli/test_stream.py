# SPDX-License-Identifier: Apache-2.0
"""Samples on standard input: all at once where they fit, else section by section, each seen once."""

import io
import json
import resource
import signal
import subprocess
import time

import harness
import numpy as np
import pytest


def npy(samples):
    file = io.BytesIO()
    np.save(file, samples)
    return file.getvalue()


def test_what_fits_is_read_whole(run, small, tmp_path):
    run("fit", small.samples, "--output", "file.npz")
    run("fit", "-", "--output", "piped.npz", stdin=npy(small.x))
    run("fit", "-", "--raw", "f64x10", "--output", "raw.npz", stdin=small.x.tobytes())
    run("fit", "-", "--columns", "--output", "columns.npz", stdin=npy(small.x.T))
    few = run("fit", "-", "--method", "msp", "--json", stdin=npy(small.x[:5])).json
    assert (few["samples"], few["atoms"]) == (5, 10)
    for name in ("piped", "raw", "columns"):
        assert (tmp_path / f"{name}.npz").read_bytes() == (tmp_path / "file.npz").read_bytes(), name


@pytest.mark.parametrize("data", ["small", "skewed"])
def test_sections_give_the_dictionary_too(run, data, request, tmp_path):
    """Exactly, where the samples are exactly sparse; whatever the threads."""
    data = request.getfixturevalue(data)
    models = []
    for threads in (1, 2):
        answer = run("fit", "-", "--section", 1000, "--truth", data.truth, "--threads", threads, "--output", "m.npz",
                     "--json", stdin=npy(data.x)).json  # fmt: skip
        assert answer["samples"] == 4000 and answer["established"] == 10
        assert answer["error"] <= 1e-10
        models.append((tmp_path / "m.npz").read_bytes())
    assert models[0] == models[1]
    run("fit", "-", "--raw", "f64x10", "--section", 1000, "--output", "raw.npz", stdin=data.x.tobytes())
    assert (tmp_path / "raw.npz").read_bytes() == models[0]


@harness.unsanitized("its shadow memory alone takes more addresses than the limit")
def test_more_than_memory(tmp_path):
    """320 MB through a process that may have 600 MB of addresses, threads and libraries included."""
    limit = 600 << 20
    synth = subprocess.Popen([harness.BINARY, "synth", "--dimension", "100", "--samples", "400000", "--theta", "0.2",
                              "--noise", "0.1", "--output", "-", "--truth", tmp_path / "d.npy"],
                             stdout=subprocess.PIPE)  # fmt: skip
    done = subprocess.run([harness.BINARY, "fit", "-", "--threads", "1", "--verbose", "--output", tmp_path / "m.npz"],
                          stdin=synth.stdout, capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))  # fmt: skip
    assert synth.wait() == 0
    assert done.returncode == 0, done.stderr
    assert "400000 samples of 100 features" in done.stdout
    answer = harness.run_command("eval", tmp_path / "m.npz", "--truth", tmp_path / "d.npy", "--json", cwd=tmp_path)
    assert answer.json["worst_cosine"] > 0.999


@pytest.mark.parametrize("samples", [500, 1500, 3500])
def test_an_interrupt_ends_it_though_nothing_comes(small, tmp_path, samples):
    """With what was learned so far, if that is anything."""
    process = subprocess.Popen([harness.BINARY, "fit", "-", "--raw", "f64x10", "--section", "1000", "--output", "m.npz",
                                "--trace", "t.csv"], cwd=tmp_path, stdin=subprocess.PIPE)  # fmt: skip
    process.stdin.write(small.x[:samples].tobytes())
    process.stdin.flush()
    time.sleep(20 if harness.SANITIZED else 2)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=harness.TIMEOUT_SECONDS) == 130
    process.stdin.close()
    assert (tmp_path / "m.npz").exists() == (samples >= 1000)


def test_a_time_limit_ends_it_though_nothing_comes(small, tmp_path):
    """Before the first section too; one that came is learned from."""
    command = [harness.BINARY, "fit", "-", "--raw", "f64x10", "--section", "1000", "--output", "m.npz", "--truth",
               small.truth, "--json", "--time-limit", "30" if harness.SANITIZED else "2"]  # fmt: skip
    for sent in (small.x[:500], small.x[:1000]):
        with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:  # fmt: skip
            process.stdin.write(sent.tobytes())
            process.stdin.flush()
            answer, message = process.stdout.read(), process.stderr.read()
            assert process.wait(timeout=harness.TIMEOUT_SECONDS) == (3 if len(sent) < 1000 else 4)
            if len(sent) < 1000:
                assert b"no samples arrived within" in message
            else:
                assert json.loads(answer)["error"] <= 1e-10


@pytest.mark.parametrize("sent", [0, 5, 1000], ids=["nothing", "half a header", "not all"])
def test_a_time_limit_holds_for_what_is_read_whole(small, tmp_path, sent):
    with subprocess.Popen([harness.BINARY, "fit", "-", "--output", "m.npz", "--time-limit", "1"], cwd=tmp_path,
                          stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # fmt: skip
        process.stdin.write(npy(small.x)[:sent])
        process.stdin.flush()
        message = process.stderr.read()
        assert process.wait(timeout=harness.TIMEOUT_SECONDS) == 3
    assert b"standard input: not complete within the time limit of 1 s" in message
    assert not (tmp_path / "m.npz").exists()


def test_few_iterations_are_no_lack_of_structure(run, small):
    answer = run("fit", "-", "--section", 1000, "--max-iterations", 2, "--json", stdin=npy(small.x), expect=4).json
    assert answer["termination"] == "max_iterations"


@pytest.mark.parametrize("options", [[], ["--section", "1000"]], ids=["whole", "sections"])
def test_a_second_array_may_come_late(small, tmp_path, options):
    with subprocess.Popen([harness.BINARY, "fit", "-", "--output", "m.npz", *options], cwd=tmp_path,
                          stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # fmt: skip
        process.stdin.write(npy(small.x))
        process.stdin.flush()
        time.sleep(1)
        _, message = process.communicate(npy(small.x), timeout=harness.TIMEOUT_SECONDS)
    assert process.returncode == 3
    assert b"standard input: continues after the 320000 bytes that its header promises" in message
    assert not (tmp_path / "m.npz").exists()


def test_a_time_limit_ends_it_though_the_sender_stays(small, tmp_path):
    """All sections came, and are learned from."""
    with subprocess.Popen([harness.BINARY, "fit", "-", "--section", "1000", "--output", "m.npz", "--truth", small.truth,
                           "--json", "--time-limit", "30" if harness.SANITIZED else "2"], cwd=tmp_path,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:  # fmt: skip
        process.stdin.write(npy(small.x))
        process.stdin.flush()
        answer = json.loads(process.stdout.read())
        assert process.wait(timeout=harness.TIMEOUT_SECONDS) == 4
    assert answer["samples"] == 4000 and answer["error"] <= 1e-10


def test_a_sender_that_is_interrupted_too(small, tmp_path):
    """Ctrl-C goes to both: what came is kept, wherever the sender broke off."""
    data = npy(small.x)
    process = subprocess.Popen([harness.BINARY, "fit", "-", "--section", "1000", "--output", "m.npz"], cwd=tmp_path,
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)  # fmt: skip
    process.stdin.write(data[: len(data) - 500 * 10 * 8])
    process.stdin.flush()
    time.sleep(20 if harness.SANITIZED else 2)
    process.stdin.close()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=harness.TIMEOUT_SECONDS) == 130
    assert (tmp_path / "m.npz").exists()


@pytest.mark.parametrize(("options", "stdin", "code", "message"), [
    (["-", "--section", 0], b"", 2, "--section = 0"),
    (["y.npy", "--section", 10], b"", 2, "--section = 10"),
    (["-"], b"", 3, "standard input: is empty"),
    (["-", "--raw", "f64x2"], b"", 3, "standard input: has no samples"),
    (["-", "--raw", "f64x2"], bytes(17), 3, "standard input: 17 bytes, which isn't a multiple of a sample"),
    (["-", "--section", 2], npy(np.eye(6)), 2, "--section = 2: must be 6 (the number of features) or more"),
    (["-", "--section", 6, "--method", "msp"], npy(np.eye(12, 6))[:-1], 3,
     "truncated: header promises 576 bytes of data, 575 are there"),
    (["-"], npy(np.eye(6)) + b"x", 3, "standard input: continues after the 288 bytes that its header promises"),
    (["-", "--section", 6, "--method", "msp"], npy(np.eye(12, 6)) * 2, 3, "standard input: continues after"),
    (["-", "--section", 2], npy(np.array([[1, 2], [3, 4], [5, 6], [7, np.nan]])), 3,
     "standard input from sample 2 on"),
    (["-", "--section", 2, "--columns"], npy(np.ones((2, 5))), 3, "it must be read as a whole"),
    (["-", "--section", 6, "--checkpoint", "c"], npy(np.eye(12, 6)), 2, "checkpoint = c"),
    (["-", "--section", 6, "--method", "pca"], npy(np.eye(12, 6)), 2, "--method = pca"),
])  # fmt: skip
def test_refusals(run, options, stdin, code, message):
    assert message in run("fit", *options, stdin=stdin, expect=code).stderr
