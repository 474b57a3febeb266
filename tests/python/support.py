# SPDX-License-Identifier: Apache-2.0
"""Helpers of the package's tests: data, tolerances, the command and other interpreters.

Import it before scipy and scikit-learn: they read SCIPY_ARRAY_API once.
"""

import contextlib
import functools
import json
import os
import pathlib
import subprocess
import sys
import textwrap
import warnings

os.environ.setdefault("SCIPY_ARRAY_API", "1")

import numpy as np  # noqa: E402
import pytest  # noqa: E402

import orthodict  # noqa: E402

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("ORTHODICT", REPOSITORY / "build" / "orthodict")).resolve()

# make test PRESET=asan or tsan says so.
SANITIZED = "ORTHODICT_SANITIZER" in os.environ

# A child does its work in seconds; a busy machine may cost a factor of ten, and sanitizers another.
TIMEOUT_SECONDS = 1200 if SANITIZED else 120

EPSILON = np.finfo(np.float64).eps
EPSILON_F32 = np.finfo(np.float32).eps


def unsanitized(reason):
    """Marks a test that can't be run with a sanitizer; the list is in docs/reliability.md."""
    return pytest.mark.skipif(SANITIZED, reason=f"under a sanitizer: {reason}")


@functools.lru_cache(maxsize=None)
def sparse_data(dimension=10, samples=4000, theta=0.3, seed=1, **more):
    """Samples and true atoms, both in rows and read-only: fitted in milliseconds."""
    data = orthodict.synthetic(dimension, samples, theta=theta, seed=seed, **more)
    for array in data:
        array.flags.writeable = False
    return data


@functools.lru_cache(maxsize=None)
def gaussian_data(dimension=10, samples=2000, seed=0):
    """Samples without structure."""
    x = np.random.default_rng(seed).standard_normal((samples, dimension))
    x.flags.writeable = False
    return x


def exact(n, condition=1):
    """The paper's error of atoms that are right to the last digits.

    An entry of A D is off by n*eps times the condition of D; with sum |w|^3 <= sum w^2 = n that moves sum w^4 / n by
    four times as much, and so does scaling rows of norm 1 up to as much. Summing n^2 positive terms, n in all, errs by
    n^2*eps of their sum. Steps below 1e-9 end a fit, and the error is quadratic in what they leave.
    """
    return 2 * (8 * n + n * n) * EPSILON * condition


def product_rounding(left, right, epsilon=EPSILON):
    """Entrywise bound for how far two computations of left @ right may be apart, n + 1 roundings of each term."""
    return 2 * (left.shape[1] + 1) * epsilon * (np.abs(left) @ np.abs(right))


def model_of(fitted):
    """The model of a Model, a Result or a fitted DictionaryLearner."""
    return getattr(fitted, "model", getattr(fitted, "model_", fitted))


def same_bits(a, b):
    """Both are None, or arrays of one type and shape with the same bytes in C order."""
    if a is None or b is None:
        return a is b
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def same_model(a, b):
    """Atoms, analysis, mean and confidence are the same to the bit, whatever the models say of how they were made."""
    names = ("dictionary", "analysis", "mean", "confidence")
    return all(same_bits(getattr(model_of(a), name), getattr(model_of(b), name)) for name in names)


def command(*args, cwd, expect=(0,)):
    """Runs `orthodict ARGS` in the folder `cwd`, checks its exit code and gives its standard output."""
    done = subprocess.run([str(BINARY), *map(str, args)], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=TIMEOUT_SECONDS, check=False)  # fmt: skip
    assert done.returncode in expect, f"exit code {done.returncode}: {done.stderr.decode()}"
    return done.stdout.decode()


def child(code, *args, expect=0, **environment):
    """Runs Python code in a new interpreter, which finds the package as this one does, and this module.

    Gives the JSON value that it prints last. `args` are its sys.argv[1:].
    """
    paths = [str(pathlib.Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, args)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert done.returncode == expect, f"exit code {done.returncode}: {done.stdout.decode()}{done.stderr.decode()}"
    lines = done.stdout.decode().splitlines()
    return json.loads(lines[-1]) if lines else None


@contextlib.contextmanager
def unwarned():
    """For fits that aren't expected to converge, or to have a number of components of their own."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "the last principal component kept")
        yield


def on_a_full_disk(name, first, second):
    """Python code that writes to `path` twice, the second time with no room for it: a limit on files stands for the disk.

    Gives the OSError's text, whether the first file is still there, and what is in its folder.
    """
    return child(f"""
        import json, pathlib, resource, signal, tempfile
        import numpy as np, orthodict
        from support import listing

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / {name!r}
            {first}
            before = path.read_bytes()
            resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000))
            try:
                {second}
            except OSError as error:
                raised = str(error)
            else:
                raised = None
            print(json.dumps([raised, path.read_bytes() == before, listing(folder)]))
    """)


def listing(folder):
    """Everything in a folder, to see what a call left there."""
    return sorted(path.name for path in pathlib.Path(folder).iterdir())
