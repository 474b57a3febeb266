# SPDX-License-Identifier: Apache-2.0
"""orthodict-experiment: what it writes, and that an interrupted run goes on where it was."""

import csv
import fcntl
import functools
import json
import os
import signal
import subprocess
import sys
import time

import harness
import numpy as np
import pytest
from PIL import Image

USAGE, DATA, INTERRUPTED = 2, 3, 130


@pytest.fixture
def run(tmp_path):
    """run(*args, expect=0) runs the command in tmp_path."""
    return functools.partial(harness.run_command, cwd=tmp_path, binary=harness.EXPERIMENT)


def results(folder):
    return json.loads((folder / "results.json").read_text())


def test_list_names_every_experiment(run):
    text = run("list").text
    assert len(text.splitlines()) == len(list((harness.REPOSITORY / "experiments").glob("*/experiment.cc")))
    names = [entry["name"] for entry in json.loads(run("list", "--json").text)]
    assert names == [line.split()[0] for line in text.splitlines()]


def test_tables_agree_with_results(run, tmp_path):
    run("run", "orthogonal-one-run", "--output", "out")
    folder = tmp_path / "out" / "orthogonal-one-run"
    rows = results(folder)["tables"]["runs"]
    with open(folder / "runs.csv") as file:
        table = list(csv.DictReader(file))
    assert [{key: float(value) for key, value in row.items()} for row in table] == rows
    for n in (50, 100):
        values = [row["value"] for row in rows if row["n"] == n]
        assert values[0] < 0.1  # a random start has 3/(n + 2)
        assert values[-1] == pytest.approx(1, abs=1e-12)
        assert np.all(np.diff(values) > -1e-12)


def test_step_on_so2_is_the_map_of_the_paper(run, tmp_path):
    run("run", "tan-cube", "--output", "out")
    rows = results(tmp_path / "out" / "tan-cube")["tables"]["map"]
    assert max(row["deviation"] for row in rows) < 1e-12
    fixed = [row["angle"] for row in rows if row["fixed"]]
    np.testing.assert_allclose(fixed, np.arange(-4, 5) * np.pi / 4, atol=1e-12)


def test_seeds_are_other_data_and_equal_seeds_equal_results(run, tmp_path):
    for output, seed in (("a", 1), ("b", 1), ("c", 2)):
        run("run", "orthogonal-one-run", "--seed", seed, "--output", output)
    a, b, c = ((tmp_path / output / "orthogonal-one-run" / "runs.csv").read_bytes() for output in "abc")
    assert a == b != c


def test_a_finished_run_is_not_done_again(run, tmp_path):
    run("run", "tan-cube", "--output", "out")
    journal = tmp_path / "out" / "tan-cube" / "journal.jsonl"
    before = journal.read_bytes()
    run("run", "tan-cube", "--output", "out")
    assert journal.read_bytes() == before


def kill_midway(folder, number):
    """Runs orthogonal-trials until some of its 200 cells are done, then sends the signal; the exit code."""
    process = subprocess.Popen([str(harness.EXPERIMENT), "run", "orthogonal-trials", "--output", "out"], cwd=folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    journal = folder / "out" / "orthogonal-trials" / "journal.jsonl"
    deadline = time.monotonic() + harness.TIMEOUT_SECONDS
    while time.monotonic() < deadline and not (journal.exists() and journal.read_bytes().count(b"\n") > 5):
        time.sleep(0.005)
    process.send_signal(number)
    process.communicate(timeout=harness.TIMEOUT_SECONDS)
    return process.returncode


@pytest.mark.parametrize("number, code", [(signal.SIGINT, INTERRUPTED), (signal.SIGKILL, -signal.SIGKILL)])
def test_an_interrupted_run_goes_on_where_it_was(run, tmp_path, number, code):
    assert kill_midway(tmp_path, number) == code
    folder = tmp_path / "out" / "orthogonal-trials"
    assert not (folder / "results.json").exists()
    lines = (folder / "journal.jsonl").read_text().splitlines()
    assert 5 < len(lines) < 201
    run("run", "orthogonal-trials", "--output", "out")
    whole = (folder / "journal.jsonl").read_text().splitlines()
    assert len(whole) == 201
    assert whole[:5] == lines[:5]
    run("run", "orthogonal-trials", "--output", "fresh")
    assert (folder / "trials.csv").read_bytes() == (tmp_path / "fresh/orthogonal-trials/trials.csv").read_bytes()


def test_a_line_that_was_cut_short_is_done_again(run, tmp_path):
    run("run", "orthogonal-one-run", "--output", "out")
    folder = tmp_path / "out" / "orthogonal-one-run"
    table = (folder / "runs.csv").read_bytes()
    journal = (folder / "journal.jsonl").read_bytes()
    (folder / "journal.jsonl").write_bytes(journal[:-20])
    run("run", "orthogonal-one-run", "--output", "out")
    assert (folder / "runs.csv").read_bytes() == table
    assert sorted((folder / "journal.jsonl").read_bytes().splitlines()) == sorted(journal.splitlines())


def test_another_run_in_the_same_folder_is_refused_unless_it_may_restart(run, tmp_path):
    run("run", "tan-cube", "--output", "out")
    message = run("run", "tan-cube", "--seed", 7, "--output", "out", expect=DATA).stderr
    assert "journal.jsonl" in message and "--restart" in message
    run("run", "tan-cube", "--seed", 7, "--output", "out", "--restart")
    assert results(tmp_path / "out" / "tan-cube")["seed"] == 7


def test_results_of_another_build_are_not_mixed_in(run, tmp_path):
    """A program with a byte more at its end is another program."""
    run("run", "tan-cube", "--output", "out")
    other = tmp_path / "other"
    other.write_bytes(harness.EXPERIMENT.read_bytes() + b"x")
    other.chmod(0o755)
    assert "journal.jsonl" in run("run", "tan-cube", "--output", "out", expect=DATA, binary=other).stderr


@pytest.mark.parametrize("junk", [b"junk", b"junk\n", b"{}\n", b"\x00\xff\n" * 100])
def test_a_journal_that_is_none(run, tmp_path, junk):
    folder = tmp_path / "out" / "tan-cube"
    folder.mkdir(parents=True)
    (folder / "journal.jsonl").write_bytes(junk)
    assert "journal.jsonl" in run("run", "tan-cube", "--output", "out", expect=DATA).stderr


def test_journal_lines_that_make_no_sense(run, tmp_path):
    run("run", "tan-cube", "--output", "out")
    path = tmp_path / "out" / "tan-cube" / "journal.jsonl"
    for line in ("{}", "[]", '{"table": 1, "key": 2, "rows": 3}', '{"table": "map", "key": {}, "rows": [3]}', "7"):
        path.write_text(path.read_text().splitlines()[0] + "\n" + line + "\n")
        assert "journal.jsonl" in run("run", "tan-cube", "--output", "out", expect=DATA).stderr


def write_idx(path, images):
    """A stack of images of bytes, as MNIST comes."""
    header = np.array([0x00000803, *images.shape], dtype=">u4").tobytes()
    path.write_bytes(header + images.astype(np.uint8).tobytes())


@pytest.fixture
def data(tmp_path):
    """A folder with what isn't MNIST, nor clothes nor photographs, but looks like it to the program."""
    rng = np.random.default_rng(0)
    for folder in (tmp_path / "data" / "mnist", tmp_path / "data" / "fashion-mnist"):
        folder.mkdir(parents=True)
        for name in ("train", "t10k"):
            strokes = rng.random((1000, 28, 28)) < 0.2
            write_idx(folder / f"{name}-images-idx3-ubyte", 255 * strokes)
    (tmp_path / "data" / "images").mkdir()
    for name in ("astronaut", "barbara"):
        Image.fromarray(rng.integers(0, 256, (70, 80, 3), "u1")).save(tmp_path / "data" / "images" / f"{name}.png")
    return tmp_path / "data"


def read_idx(path):
    return np.frombuffer(path.read_bytes(), dtype=np.uint8, offset=16).reshape(-1, 784).astype(float)


def check_errors_of_pca(rows, folder):
    """What the experiment digits says of PCA is what NumPy finds, in its tiny sizes: the first 1000 pictures learned
    from, the first 100 rebuilt."""
    train, test = read_idx(folder / "train-images-idx3-ubyte")[:1000], read_idx(folder / "t10k-images-idx3-ubyte")[:100]
    components = np.linalg.svd(train - train.mean(axis=0), full_matrices=False)[2]
    squares = ((test - train.mean(axis=0)) @ components.T) ** 2
    for choice, ordered in (("leading", squares), ("largest", -np.sort(-squares, axis=1))):
        left = {row["k"]: row["mean_squared_error"] for row in rows
                if row["set"] == folder.name and row["method"] == "pca" and row["choice"] == choice}  # fmt: skip
        assert list(left) == [1, 2, 3, 5, 7, 10, 15, 18, 20, 25, 50, 100, 200]
        # The closest of 784 eigenvalues are some 1e-6 of their range apart, which leaves 1e-10 of their vectors unknown.
        np.testing.assert_allclose(list(left.values()), [ordered[:, k:].sum() / test.size for k in left], rtol=1e-8)


def test_every_experiment_runs_and_can_be_drawn(run, tmp_path, data):
    run("run", "all", "--tiny", "--data", data, "--output", "out")
    done = subprocess.run([sys.executable, str(harness.REPOSITORY / "experiments" / "draw.py"), "out"], cwd=tmp_path,
                          capture_output=True, text=True, timeout=300)  # fmt: skip
    assert done.returncode == 0, done.stderr
    names = [entry["name"] for entry in json.loads(run("list", "--json").text)]
    for name in names:
        assert results(tmp_path / "out" / name)["size"] == "tiny"
        for suffix in ("png", "svg"):
            assert (tmp_path / "out" / name / f"{name}.{suffix}").stat().st_size > 1000
    with open(tmp_path / "out" / "mnist" / "reconstruction.csv", newline="") as file:
        assert {row["bases"] for row in csv.DictReader(file)} == {
            "msp, largest of each image", "pca, leading", "pca, largest of each image"}  # fmt: skip
    for name in ("mnist", "fashion-mnist"):
        check_errors_of_pca(results(tmp_path / "out" / "digits")["tables"]["reconstruction"], data / name)
    report = (tmp_path / "out" / "report.md").read_text()
    places = [report.index(f"## {name}:") for name in names]
    assert places == sorted(places)


def test_threads_do_not_change_results(run, tmp_path):
    for threads in (1, 3):
        run("run", "phase-auto", "--tiny", "--threads", threads, "--output", str(threads))
    tables = [results(tmp_path / str(threads) / "phase-auto")["tables"] for threads in (1, 3)]
    for table in tables:
        for rows in table.values():
            for row in rows:
                row.pop("seconds")
    assert tables[0] == tables[1]


def test_one_process_at_a_time_works_in_a_folder(run, tmp_path):
    (tmp_path / "out" / "tan-cube").mkdir(parents=True)
    descriptor = os.open(tmp_path / "out" / "tan-cube", os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    assert "another process" in run("run", "tan-cube", "--output", "out", expect=DATA).stderr
    os.close(descriptor)
    run("run", "tan-cube", "--output", "out")


def test_restart_leaves_no_results_of_the_run_before(tmp_path, run):
    run("run", "tan-cube", "--output", "out")
    folder = tmp_path / "out" / "tan-cube"
    run("run", "tan-cube", "--output", "out", "--seed", 1, "--restart")
    assert results(folder)["seed"] == 1
    (folder / "journal.jsonl").unlink()
    (folder / "journal.jsonl" / "in the way").mkdir(parents=True)  # makes the run fail at once
    run("run", "tan-cube", "--output", "out", "--seed", 2, "--restart", expect=DATA)
    assert not (folder / "results.json").exists()


def test_names_and_folders_that_are_refused(run, tmp_path):
    assert "orthogonal-one-run" in run("run", "nonsense", "--output", "out", expect=USAGE).stderr
    assert not (tmp_path / "out").exists()
    run("run", "tan-cube", expect=USAGE)
    run("run", "tan-cube", "--output", "", expect=USAGE)
    run("run", "tan-cube", "--output", "out", "--threads", 0, expect=USAGE)
    run("run", "tan-cube", "--output", "out", "--tiny", "--full", expect=USAGE)
    (tmp_path / "file").write_text("")
    assert "file" in run("run", "tan-cube", "--output", "file", expect=DATA).stderr


@pytest.mark.parametrize("name", ["mnist", "digits", "denoising", "rate-distortion"])
def test_data_that_is_not_there(run, name):
    message = run("run", name, "--data", "nowhere", "--output", "out", expect=DATA).stderr
    assert "nowhere" in message and "get-data" in message
