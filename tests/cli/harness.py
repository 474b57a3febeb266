# SPDX-License-Identifier: Apache-2.0
"""Helpers that run the command under test, and NumPy references for its results."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("ORTHODICT", REPOSITORY / "build" / "orthodict")).absolute()

EXPERIMENT = BINARY.with_name("orthodict-experiment")

# make test PRESET=asan or tsan says so.
SANITIZED = "ORTHODICT_SANITIZER" in os.environ

# A run here takes milliseconds; a busy machine may cost a factor of a hundred, and sanitizers one of ten.
TIMEOUT_SECONDS = 1800 if SANITIZED else 60

# Output of processes that crash.
CRASH_MESSAGES = (b"terminate called", b"Sanitizer", b"runtime error:", b"Traceback", b"Segmentation", b"Assertion")

EPSILON = np.finfo(np.float64).eps
EPSILON_F32 = np.finfo(np.float32).eps


def unsanitized(reason):
    """Marks a test that can't be run with a sanitizer; the list is in docs/reliability.md."""
    return pytest.mark.skipif(SANITIZED, reason=f"under a sanitizer: {reason}")


class Answer:
    """The exit code and output of a run."""

    def __init__(self, code, stdout, stderr):
        self.code = code
        self.stdout = stdout
        self.stderr = stderr.decode()

    @property
    def text(self):
        return self.stdout.decode()

    @property
    def json(self):
        """The one JSON object that --json promises; anything before or after it is an error here."""
        text = self.text
        assert text.startswith("{") and text.endswith("}\n"), text

        def refuse(constant):
            raise AssertionError(f"{constant} isn't JSON: {text}")

        return json.loads(text, parse_constant=refuse)


def temporaries(folder):
    return sorted(path.name for path in pathlib.Path(folder).glob(".orthodict-*"))


def check_alive(answer_code, stderr, folder):
    """Checks that hold after every run."""
    for message in CRASH_MESSAGES:
        assert message not in stderr, stderr.decode(errors="replace")
    assert answer_code >= 0, f"killed by signal {-answer_code}: {stderr.decode(errors='replace')}"
    assert temporaries(folder) == []


def run_command(*args, cwd, stdin=None, stdout=subprocess.PIPE, expect=0, binary=BINARY, **more):
    """Runs `orthodict ARGS` in the folder `cwd`, with the bytes `stdin`, and checks its exit code."""
    if stdin is None:
        more["stdin"] = subprocess.DEVNULL
    done = subprocess.run(
        [str(binary), *map(str, args)],
        cwd=cwd,
        input=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=TIMEOUT_SECONDS,
        check=False,
        **more,
    )
    check_alive(done.returncode, done.stderr, cwd)
    answer = Answer(done.returncode, done.stdout, done.stderr)
    assert answer.code == expect, f"exit code {answer.code} instead of {expect}: {answer.stderr}{done.stdout!r}"
    if expect == 0 and "-" not in args:  # with output to standard output, fit reports on standard error
        complaints = [line for line in answer.stderr.splitlines() if not line.startswith("warning: ")]
        assert complaints == [], "a command that succeeds has nothing to complain about"
    return answer


def peak_memory(*args, cwd, limits=(), expect=(0,)):
    """The most memory, in bytes, that `orthodict ARGS` had at a time; pages of a mapped file count.

    `limits` are pairs for resource.setrlimit. A small interpreter starts the command, since what a process had when it
    forked counts as its child's too.
    """
    code = (
        "import json, os, resource, sys\n"
        "for kind, limit in json.loads(sys.argv[1]): resource.setrlimit(kind, limit)\n"
        "code = os.spawnv(os.P_WAIT, sys.argv[2], sys.argv[2:])\n"
        "print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code, json.dumps(limits), str(BINARY), *map(str, args)],
                          cwd=cwd, capture_output=True, timeout=TIMEOUT_SECONDS, check=True)  # fmt: skip
    answer, kibibytes = map(int, done.stdout.split()[-2:])
    assert answer in expect, done.stderr.decode()
    return 1024 * kibibytes


class Model:
    """A model file as NumPy alone sees it."""

    def __init__(self, file):
        with np.load(file) as arrays:
            of_atoms = {"confidence", "stability", "found", "resampled_stability", "resampled_found"}
            assert set(arrays.files) - of_atoms == {"analysis", "dictionary", "mean", "metadata"}
            self.dictionary = arrays["dictionary"]
            self.analysis = arrays["analysis"]
            self.mean = arrays["mean"]
            self.metadata = json.loads(str(arrays["metadata"]))
            self.confidence = arrays["confidence"] if "confidence" in arrays.files else None
        # Method auto estimates the confidence of each atom; msp doesn't.
        assert (self.confidence is not None) == (self.metadata["options"]["method"] == "auto")
        assert self.confidence is None or self.confidence.shape == self.dictionary.shape[:1]

    @property
    def atoms(self):
        return self.dictionary.shape[0]

    def codes(self, x):
        return (x - self.mean) @ self.analysis.T


def paper_error(analysis, truth):
    """The paper's |1 - ||A D_o||_4^4 / n|; `truth` has the true atoms in its rows."""
    return abs(1 - np.sum((analysis @ truth.T) ** 4) / len(analysis))


def scale_free_error(analysis, truth):
    """paper_error with the rows of A D_o scaled to unit norm: the same for orthogonal A and D_o, and for others without
    the scale of the codes, which data can't tell."""
    w = analysis @ (truth / np.linalg.norm(truth, axis=1, keepdims=True)).T
    return paper_error(w / np.linalg.norm(w, axis=1, keepdims=True), np.eye(len(truth)))


def paper_error_rounding(n):
    """How far two computations of paper_error for orthogonal n x n matrices may be apart.

    An entry of A D_o errs by n*eps; with sum |w|^3 <= sum w^2 = n that moves sum w^4 / n by 4n*eps, and so does scaling
    rows whose norm is 1 up to n*eps. Summing n^2 positive terms, n in all, errs by n^2*eps of their sum. Both
    computations may err.
    """
    return 2 * (8 * n + n * n) * EPSILON


def product_rounding(left, right):
    """Entrywise bound for how far two computations of left @ right may be apart: 2n*eps |left| @ |right|."""
    return 2 * left.shape[1] * EPSILON * (np.abs(left) @ np.abs(right))


def power_sum_rounding(z, x, q):
    """How far two computations of sum |z|^q may be apart, for codes z of the samples x by unit-norm atoms.

    A code errs by n*eps*||x||, which |z|^q multiplies by q |z|^(q-1); the power itself errs by q + 1 roundings, and the
    sum by its number of terms (every term is positive).
    """
    n = x.shape[1]
    norms = np.linalg.norm(x, axis=1, keepdims=True)
    z = np.abs(z)
    return 2 * EPSILON * (q * n * np.sum(z ** (q - 1) * norms) + (q + 1 + z.size) * np.sum(z**q))


def canonical(a, x):
    """The rows of `a` as a model keeps them: largest entry positive, by falling energy on the samples x."""
    leading = a[np.arange(len(a)), np.argmax(np.abs(a), axis=1)]
    energy = np.mean((x @ a.T) ** 2, axis=0)
    return (a * np.sign(leading)[:, None])[np.argsort(-energy)]


def polar(g):
    u, _, vt = np.linalg.svd(g, full_matrices=False)
    return u @ vt


def listing(folder):
    """Everything in a folder, to see what a command left there."""
    return sorted(path.name for path in pathlib.Path(folder).iterdir())
