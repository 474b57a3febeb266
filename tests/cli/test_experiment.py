# SPDX-License-Identifier: Apache-2.0
"""orthodict-experiment: what it writes, and that an interrupted run goes on where it was."""

import csv
import functools
import json
import signal
import subprocess
import time

import harness
import numpy as np
import pytest

USAGE, DATA, INTERRUPTED = 2, 3, 130


@pytest.fixture
def run(tmp_path):
    """run(*args, expect=0) runs the command in tmp_path."""
    return functools.partial(harness.run_command, cwd=tmp_path, binary=harness.EXPERIMENT)


def results(folder):
    return json.loads((folder / "results.json").read_text())


def test_list_names_every_experiment(run):
    text = run("list").text
    assert len(text.splitlines()) == 16
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


@pytest.mark.parametrize("junk", [b"junk\n", b"{}\n", b"\x00\xff\n" * 100])
def test_a_journal_that_is_none(run, tmp_path, junk):
    folder = tmp_path / "out" / "tan-cube"
    folder.mkdir(parents=True)
    (folder / "journal.jsonl").write_bytes(junk)
    assert "journal.jsonl" in run("run", "tan-cube", "--output", "out", expect=DATA).stderr


def test_journal_lines_that_make_no_sense(run, tmp_path):
    run("run", "tan-cube", "--output", "out")
    path = tmp_path / "out" / "tan-cube" / "journal.jsonl"
    for line in ("{}", "[]", '{"table": 1, "key": 2, "rows": 3}', "7"):
        path.write_text(path.read_text().splitlines()[0] + "\n" + line + "\n")
        assert "journal.jsonl" in run("run", "tan-cube", "--output", "out", expect=DATA).stderr


def test_names_and_folders_that_are_refused(run, tmp_path):
    assert "orthogonal-one-run" in run("run", "nonsense", "--output", "out", expect=USAGE).stderr
    assert not (tmp_path / "out").exists()
    run("run", "tan-cube", expect=USAGE)
    (tmp_path / "file").write_text("")
    assert "file" in run("run", "tan-cube", "--output", "file", expect=DATA).stderr


def test_data_that_is_not_there(run):
    message = run("run", "mnist", "--data", "nowhere", "--output", "out", expect=DATA).stderr
    assert "nowhere" in message and "get-data" in message
