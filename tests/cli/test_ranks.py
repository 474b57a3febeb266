# SPDX-License-Identifier: Apache-2.0
"""Several processes under mpirun learn the model that one learns, to the byte, and end together."""

import json
import os
import re
import signal
import subprocess
import time

import harness
import numpy as np
import pytest

BAD_USAGE, BAD_DATA, NOT_CONVERGED, INTERRUPTED = 2, 3, 4, 130
# Parts of Open MPI are unloaded before leaks are reported, so suppressions must match callers: needs complete stacks.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "ASAN_OPTIONS": f"{os.environ.get('ASAN_OPTIONS', '')}:fast_unwind_on_malloc=0"}  # fmt: skip
ENDLESS = ["--method", "msp", "--step", "1e-7", "--tolerance", "0", "--max-iterations", "1000000000"]


def mpirun(ranks, *args):
    """The command line; more ranks than processors are allowed."""
    return ["mpirun", "--oversubscribe", "-n", str(ranks), str(harness.BINARY), *map(str, args)]


@pytest.fixture
def run_on(tmp_path):
    def run(ranks, *args, expect=0):
        done = subprocess.run(mpirun(ranks, *args), cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True,
                              timeout=harness.TIMEOUT_SECONDS, check=False)  # fmt: skip
        assert done.returncode == expect, done.stderr
        return done

    return run


@pytest.fixture
def start_on(tmp_path):
    """start(ranks, …) starts a job; gives it and the process numbers of its ranks, once they are at work."""
    jobs = []

    def start(ranks, *args):
        job = subprocess.Popen(mpirun(ranks, *args), cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)  # fmt: skip
        jobs.append(job)
        deadline = time.monotonic() + harness.TIMEOUT_SECONDS
        while not (tmp_path / "c.npz").exists():
            assert job.poll() is None, job.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        children = subprocess.run(["pgrep", "-P", str(job.pid), "orthodict"], capture_output=True, text=True, check=True)
        return job, [int(child) for child in children.stdout.split()]

    yield start
    for job in jobs:
        job.kill()
        job.communicate()


def learn(run_on, tmp_path, ranks, *args, **more):
    done = run_on(ranks, "fit", *args, "--output", "m.npz", "--json", **more)
    return json.loads(done.stdout), (tmp_path / "m.npz").read_bytes()


COURSES = {
    "exact": ([], []),
    "noise": (["--theta", 0.2, "--noise", 0.1], []),
    "complete": (["--theta", 0.2, "--noise", 0.02, "--condition", 4], ["--center"]),
    "msp": (["--condition", 3], ["--stretch", "l3", "--whiten", "zca", "--tolerance", 1e-4]),
    "single": (["--precision", "f32"], ["--stretch", "l4", "--tolerance", 1e-4]),
}


@pytest.mark.parametrize("course", COURSES)
def test_the_model_does_not_depend_on_ranks_and_threads(run, run_on, tmp_path, course):
    data, options = COURSES[course]
    run("synth", "--dimension", 20, "--samples", 9000, "--seed", 4, *data, "--output", "y.npy")
    run("fit", "y.npy", *options, "--output", "alone.npz")
    expected = (tmp_path / "alone.npz").read_bytes()
    for ranks, threads in ((1, 2), (2, 1), (3, 2), (4, 1), (8, 1)):
        summary, model = learn(run_on, tmp_path, ranks, "y.npy", *options, "--threads", threads)
        assert model == expected, f"{ranks} ranks"
        assert (summary["ranks"], summary["threads"]) == (ranks, threads)
        assert ("bytes_sent" in summary) == (ranks > 1)


def test_each_rank_may_read_files_of_its_own(run, run_on, tmp_path):
    run("synth", "--dimension", 12, "--samples", 5000, "--theta", 0.2, "--output", "y.npy")
    run("fit", "y.npy", "--output", "alone.npz")
    x = np.load(tmp_path / "y.npy")
    for rank, part in enumerate(np.split(x, [1000, 1001, 4000])):
        np.save(tmp_path / f"part-{rank}.npy", part)
    _, model = learn(run_on, tmp_path, 4, "part-{rank}.npy")
    assert model == (tmp_path / "alone.npz").read_bytes()
    np.save(tmp_path / "whole-0.npy", x)
    _, model = learn(run_on, tmp_path, 1, "whole-{rank}.npy")
    assert model == (tmp_path / "alone.npz").read_bytes()
    _, model = learn(run_on, tmp_path, 2, *(f"part-{rank}.npy" for rank in range(4)))
    assert model == (tmp_path / "alone.npz").read_bytes()


def test_threads_are_shared_by_the_ranks_of_a_machine(small, run_on, tmp_path):
    summary, _ = learn(run_on, tmp_path, 2, small.samples)
    assert summary["threads"] == max(1, len(os.sched_getaffinity(0)) // 2)


def messages(done):
    return [line for line in done.stderr.splitlines() if line.startswith("orthodict:")]


def test_one_rank_speaks_for_all(small, run_on, tmp_path):
    """Bad usage, bad options, bad data: one message."""
    assert len(messages(run_on(3, "fit", "--no-such", expect=BAD_USAGE))) == 1
    assert "theta" in messages(run_on(3, "fit", small.samples, "--stretch", "l4", "--theta", 2, expect=BAD_USAGE))[0]
    x = small.x.copy()
    x[3500, 2] = np.nan
    np.save(tmp_path / "nan.npy", x)
    done = run_on(3, "fit", "nan.npy", expect=BAD_DATA)
    assert len(messages(done)) == 1
    assert "sample 3500, feature 2 is nan" in messages(done)[0]
    for args, word in (
        (["encode", "m.npz", small.samples, "--output", "c.npy"], "encode runs in one process"),
        (["fit", "-"], "standard input"),
        (["fit", small.samples, "--method", "pca"], "several ranks"),
        (["fit", small.samples, "--output", "m.txt"], "--output"),
        (["fit", small.samples, "part-{rank}.npy"], "{rank}"),
    ):
        done = run_on(2, *args, expect=BAD_USAGE)
        assert len(messages(done)) == 1
        assert word in messages(done)[0]


def test_commands_of_a_script_that_runs_on_ranks(small, tmp_path):
    """ORTHODICT_ALONE: each process on its own."""
    script = f'{harness.BINARY} fit {small.samples} --threads 1 --output "alone-$OMPI_COMM_WORLD_RANK.npz"'
    subprocess.run(["mpirun", "--oversubscribe", "-n", "2", "sh", "-c", script], cwd=tmp_path, check=True,
                   env={**ENVIRONMENT, "ORTHODICT_ALONE": "1"}, capture_output=True, timeout=harness.TIMEOUT_SECONDS)  # fmt: skip
    assert (tmp_path / "alone-0.npz").read_bytes() == (tmp_path / "alone-1.npz").read_bytes()


def test_a_checkpoint_that_ranks_see_differently_is_refused(small, run, run_on, tmp_path):
    for folder, iterations in (("0", 3), ("1", 5)):
        (tmp_path / folder).mkdir()
        run("fit", small.samples, *ENDLESS[:-1], iterations, "--checkpoint", f"{folder}/c.npz", expect=NOT_CONVERGED)
    script = f'cd "$OMPI_COMM_WORLD_RANK" && {harness.BINARY} fit {small.samples} {" ".join(ENDLESS)} --resume c.npz'
    done = subprocess.run(["mpirun", "--oversubscribe", "-n", "2", "sh", "-c", script], cwd=tmp_path, env=ENVIRONMENT,
                          check=False, capture_output=True, text=True, timeout=harness.TIMEOUT_SECONDS)  # fmt: skip
    assert done.returncode == BAD_DATA
    assert len(messages(done)) == 1
    assert "other ranks resume from" in messages(done)[0]


def test_samples_of_a_rank_arent_overwritten(small, run_on, tmp_path):
    for rank in range(2):
        np.save(tmp_path / f"part-{rank}.npy", small.x)
    done = run_on(2, "fit", "part-{rank}.npy", "--checkpoint", "part-1.npy", expect=BAD_USAGE)
    assert "another file than what is read" in done.stderr


def run_apart(tmp_path, *commands):
    """Each rank has a command of its own."""
    apart = [part for command in commands for part in (":", "-n", "1", str(harness.BINARY), *map(str, command))][1:]
    return subprocess.run(["mpirun", "--oversubscribe", *apart], cwd=tmp_path, env=ENVIRONMENT, capture_output=True,
                          text=True, timeout=harness.TIMEOUT_SECONDS, check=False)  # fmt: skip


def test_ranks_that_see_different_files(small, tmp_path):
    """Of the same name and shape, as a stale copy is."""
    for name, samples in (("a.npy", small.x), ("b.npy", small.x[::-1])):
        np.save(tmp_path / name, samples)
    done = run_apart(tmp_path, ["fit", "a.npy"], ["fit", "b.npy"])
    assert done.returncode == BAD_DATA
    assert "ranks must have the same options and samples" in done.stderr


def test_a_rank_that_is_called_wrongly_says_so(small, tmp_path):
    done = run_apart(tmp_path, ["fit", small.samples], ["fit", small.samples, "--nonsense"])
    assert done.returncode == BAD_USAGE
    assert [line for line in done.stderr.splitlines() if "rank 1" in line and "--nonsense" in line]


def test_a_name_with_a_rank_needs_ranks(run):
    assert "{rank}" in run("fit", "part-{rank}.npy", expect=BAD_USAGE).stderr


def test_a_rank_that_fails_on_its_own_ends_the_job(small, run_on, tmp_path):
    np.save(tmp_path / "part-0.npy", small.x)
    done = run_on(2, "fit", "part-{rank}.npy", expect=BAD_DATA)
    assert len(messages(done)) == 1
    assert re.match(r"orthodict: rank 1: .*part-1\.npy", messages(done)[0])


def test_a_rank_that_dies_ends_the_job_and_others_go_on_from_the_checkpoint(small, start_on, run_on, tmp_path):
    options = [small.samples, *ENDLESS[:-1], 4000]
    _, expected = learn(run_on, tmp_path, 2, *options, expect=NOT_CONVERGED)
    job, ranks = start_on(4, "fit", *options, "--checkpoint", "c.npz", "--checkpoint-every", 0)
    os.kill(ranks[1], signal.SIGKILL)
    _, errors = job.communicate(timeout=harness.TIMEOUT_SECONDS)
    assert job.returncode != 0
    assert "signal 9 (Killed)" in errors
    for count in (3, 1):
        (tmp_path / "again.npz").write_bytes((tmp_path / "c.npz").read_bytes())
        _, model = learn(run_on, tmp_path, count, *options, "--resume", "again.npz", expect=NOT_CONVERGED)
        assert model == expected


def test_a_stop_of_one_rank_stops_all(small, start_on, run_on, tmp_path):
    job, ranks = start_on(3, "fit", small.samples, *ENDLESS, "--output", "m.npz", "--checkpoint", "c.npz",
                          "--checkpoint-every", 0, "--json")  # fmt: skip
    os.kill(ranks[2], signal.SIGINT)
    output, errors = job.communicate(timeout=harness.TIMEOUT_SECONDS)
    assert job.returncode == INTERRUPTED, errors
    assert json.loads(output)["termination"] == "stopped"
    assert (tmp_path / "m.npz").exists()


def test_the_time_limit_is_that_of_all(small, run_on, tmp_path):
    summary, _ = learn(run_on, tmp_path, 3, small.samples, *ENDLESS, "--time-limit", 0.2, expect=NOT_CONVERGED)
    assert summary["termination"] == "time_limit"
