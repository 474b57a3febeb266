# SPDX-License-Identifier: Apache-2.0
"""Processes that learn together by mpi4py get the same bits as one process."""

import hashlib
import json
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from support import TIMEOUT_SECONDS

import orthodict

# Open MPI leaks, and below Python its leaks can't be distinguished from ours (tests/cli/test_ranks.py checks those).
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "ASAN_OPTIONS": f"{os.environ.get('ASAN_OPTIONS', '')}:detect_leaks=0"}  # fmt: skip
PRELUDE = """
import hashlib, json, os, sys
import numpy as np
from mpi4py import MPI
import orthodict

comm = MPI.COMM_WORLD
X = np.array_split(np.load("x.npy"), comm.size)[comm.rank]

def digest(model):
    return hashlib.sha256(model.dictionary.tobytes() + model.analysis.tobytes()).hexdigest()

def tell(value):  # rank 0 prints the values of all ranks
    values = comm.gather(value)
    if comm.rank == 0:
        print(json.dumps(values))
"""


def digest(model):
    return hashlib.sha256(model.dictionary.tobytes() + model.analysis.tobytes()).hexdigest()


@pytest.fixture
def on_ranks(tmp_path):
    """on_ranks(count, code, x) runs the code on so many ranks; gives what they tell."""

    def run(count, code, x, expect=0):
        np.save(tmp_path / "x.npy", x)
        script = tmp_path / "script.py"
        script.write_text(PRELUDE + textwrap.dedent(code))
        done = subprocess.run(["mpirun", "--oversubscribe", "-n", str(count), sys.executable, "-m", "mpi4py", script],
                              cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=TIMEOUT_SECONDS,
                              check=False)  # fmt: skip
        assert done.returncode == expect, done.stderr
        return json.loads(done.stdout) if expect == 0 else done.stderr

    return run


@pytest.fixture(scope="module")
def x():
    return orthodict.synthetic(dimension=12, samples=4001, theta=0.2, noise=0.05, seed=3)[0]


@pytest.mark.parametrize("options", [{}, {"stretch": "l4"}, {"dictionary": "complete", "center": True}])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_fit_gives_the_same_bits(on_ranks, x, options, dtype):
    x = x.astype(dtype)
    expected = digest(orthodict.fit(x, **options).model)
    code = f"""
    result = orthodict.fit(X, comm=comm, **{options!r})
    tell([digest(result.model), result.summary.ranks, result.summary.samples, result.summary.bytes_sent > 0])
    """
    for count in (2, 3):
        assert on_ranks(count, code, x) == [[expected, count, len(x), True]] * count


def test_a_path_is_a_file_that_all_ranks_see(on_ranks, x):
    expected = digest(orthodict.fit(x).model)
    assert on_ranks(3, 'tell(digest(orthodict.fit("x.npy", comm=comm).model))', x) == [expected] * 3


def test_the_estimator(on_ranks, x):
    learner = orthodict.DictionaryLearner(random_state=5).fit(x)
    code = """
    from sklearn.base import clone
    learner = clone(orthodict.DictionaryLearner(random_state=5, comm=comm)).fit(X)
    drawn = orthodict.DictionaryLearner(comm=comm).fit(X)  # random_state is None, but all ranks use the same seed
    tell([digest(learner.model_), learner.n_samples_seen_, learner.transform(X).shape[0], digest(drawn.model_)])
    """
    told = on_ranks(3, code, x)
    assert [row[:2] for row in told] == [[digest(learner.model_), len(x)]] * 3
    assert sum(row[2] for row in told) == len(x)
    assert len({row[3] for row in told}) == 1


def test_ranks_end_together(on_ranks, x):
    code = """
    def callback(iterate):
        return comm.rank == 1 and iterate.iteration == 3
    stopped = orthodict.fit(X, stretch="l4", tolerance=0, comm=comm, callback=callback).summary
    late = orthodict.fit(X, stretch="l4", tolerance=0, max_iterations=10**9, step=1e-7, time_limit=0.2, comm=comm).summary
    try:
        bad = X.copy()
        bad[0, 0] = np.nan if comm.rank == 1 else 0
        orthodict.fit(bad, comm=comm)
        error = ""
    except ValueError as failure:
        error = str(failure)
    tell([stopped.termination, stopped.iterations, late.termination, error])
    """
    for row in on_ranks(2, code, x):
        assert row[:3] == ["stopped", 3, "time_limit"]
        assert "samples of rank 1: sample 0, feature 0 is nan" in row[3]


def test_what_is_refused(on_ranks, x):
    code = """
    messages = []
    for call in (lambda: orthodict.fit(X, comm=3), lambda: orthodict.fit(X, comm=comm, method="pca"),
                 lambda: orthodict.fit(X, comm=comm, seed=comm.rank),
                 lambda: orthodict.DictionaryLearner(comm=comm).partial_fit(X)):
        try:
            call()
        except (TypeError, ValueError) as failure:
            messages.append(str(failure))
    tell(messages)
    """
    for messages in on_ranks(2, code, x):
        for message, word in zip(messages, ("communicator", "several ranks", "same options", "comm must be None")):
            assert word in message
        assert len(messages) == 4


@pytest.mark.parametrize(("call", "message"), [
    ("orthodict.fit(X, comm=comm, tolerance=-1 if one else 0)", "tolerance"),
    ("orthodict.fit(X, comm=comm, stretch='none' if one else 'l4')", "stretch"),
    ("orthodict.fit(X, comm=comm, seed='a' if one else 1)", "seed"),
    ("orthodict.fit(X, comm=comm, threads=-1 if one else 1)", "threads"),
    ("orthodict.fit('gone.npy' if one else 'x.npy', comm=comm)", "gone.npy"),
    ("orthodict.fit('script.py' if one else 'x.npy', comm=comm)", "script.py"),
    ("orthodict.fit(np.array([['a', 'b']]) if one else X, comm=comm)", "X"),
    ("orthodict.fit(X, comm=comm, resume='gone' if one else None)", "gone"),
    ("orthodict.DictionaryLearner(comm=comm).fit(X[0] if one else X)", "array"),
    ("orthodict.DictionaryLearner(comm=comm, tol=-1 if one else 0.1).fit(X)", "tol"),
])  # fmt: skip
def test_what_is_wrong_on_one_rank_is_an_error_on_all(on_ranks, x, call, message):
    """Without mpi4py's help: all of them go on."""
    code = f"""
    one = comm.rank == 1
    try:
        {call}
        tell("")
    except Exception as failure:
        tell([isinstance(failure, OSError), isinstance(failure, TypeError), str(failure)])
    """
    others, own = on_ranks(2, code, x)
    assert message in own[2]
    assert others[2].startswith("rank 1: ") and message in others[2]
    assert others[:2] == own[:2]


def test_a_callback_that_raises_raises_on_all(on_ranks, x):
    code = """
    def callback(iterate):
        if comm.rank == 1 and iterate.iteration == 2:
            raise RuntimeError("had enough")
    try:
        orthodict.fit(X, stretch="l4", comm=comm, callback=callback)
        tell("")
    except Exception as failure:
        tell(repr(failure))
    """
    others, own = on_ranks(2, code, x)
    assert "callback" in others
    assert "had enough" in own


def test_a_rank_may_have_no_samples_and_other_threads(on_ranks, x):
    expected = digest(orthodict.fit(x, seed=5).model)
    code = """
    X = np.load("x.npy")[: None if comm.rank == 1 else 0]
    learner = orthodict.DictionaryLearner(random_state=5, comm=comm, n_jobs=2 if comm.rank else None).fit(X)
    tell(digest(learner.model_))
    """
    assert on_ranks(2, code, x) == [expected] * 2


def test_a_rank_that_raises_on_its_own_ends_the_job(on_ranks, x):
    code = """
    if comm.rank == 1:
        raise RuntimeError("out of luck")
    orthodict.fit(X, comm=comm)
    """
    assert "out of luck" in on_ranks(2, code, x, expect=1)
