# SPDX-License-Identifier: Apache-2.0
import functools
import types

import harness
import numpy as np
import pytest


def pytest_report_header():
    return f"orthodict under test: {harness.BINARY}"


def pytest_configure():
    if not harness.BINARY.is_file():
        raise pytest.UsageError(f"{harness.BINARY}: not there; build it, or say where it is in ORTHODICT")


@pytest.fixture
def run(tmp_path):
    """run(*args, stdin=None, expect=0) runs the command in tmp_path; relative names mean files there."""
    return functools.partial(harness.run_command, cwd=tmp_path)


def make_data(folder, *options):
    harness.run_command("synth", *options, "--output", "y.npy", "--truth", "d.npy", cwd=folder)
    return types.SimpleNamespace(
        samples=folder / "y.npy", truth=folder / "d.npy", x=np.load(folder / "y.npy"), d=np.load(folder / "d.npy")
    )


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """Small enough for a fit in milliseconds; 15.6 blocks of 256 samples, so the last block and lane are ragged."""
    options = ("--dimension", 10, "--samples", 4000, "--theta", 0.3, "--seed", 1)
    return make_data(tmp_path_factory.mktemp("small"), *options)


@pytest.fixture(scope="session")
def skewed(tmp_path_factory):
    """A dictionary that isn't orthogonal: for whitening."""
    options = ("--dimension", 10, "--samples", 4000, "--theta", 0.3, "--condition", 4, "--seed", 2)
    return make_data(tmp_path_factory.mktemp("skewed"), *options)


@pytest.fixture(scope="session")
def small_model(small, tmp_path_factory):
    """The path of a model of the small data set."""
    folder = tmp_path_factory.mktemp("model")
    harness.run_command("fit", small.samples, "--output", "model.npz", cwd=folder)
    return folder / "model.npz"
