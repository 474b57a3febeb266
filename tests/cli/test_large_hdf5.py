# SPDX-License-Identifier: Apache-2.0
"""HDF5 files that fit in memory one by one, but not together."""

import resource
import subprocess

import harness
import numpy as np
import pytest

LIMIT = 500 << 20
OPTIONS = ["--method", "msp", "--max-iterations", "2", "--threads", "1"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Samples of 400 MB, and their model."""
    folder = tmp_path_factory.mktemp("whole")
    harness.run_command("synth", "--dimension", 100, "--samples", 500_000, "--seed", 1, "--output", "y.npy", cwd=folder)
    harness.run_command("fit", "y.npy", *OPTIONS, "--output", "model.npz", cwd=folder, expect=4)
    return folder


def write_part(file, values, how):
    if file.suffix == ".npy":
        np.save(file, values)
        return
    h5py = pytest.importorskip("h5py")
    with h5py.File(file, "w") as parts:
        parts.create_dataset("y", data=values, **how)


@pytest.mark.xdist_group("large together")  # only one worker creates the file
@harness.unsanitized("its shadow memory alone takes more addresses than the limit")
@pytest.mark.parametrize(("suffixes", "how"), [
    ([".h5"] * 4, {}),
    ([".h5"] * 4, {"chunks": (1000, 100)}),
    ([".h5", ".h5", ".npy", ".npy"], {}),
], ids=["in one piece", "unpacked", "mixed"])  # fmt: skip
def test_files_that_are_large_together(whole, tmp_path, suffixes, how):
    """Four times 100 MB in 500 MB of addresses: what was read into memory before counts, however it was read."""
    values = np.load(whole / "y.npy", mmap_mode="r")
    names = [f"part-{i}{suffix}" for i, suffix in enumerate(suffixes)]
    for name, part in zip(names, np.split(values, len(names))):
        write_part(tmp_path / name, part, how)
    done = subprocess.run([harness.BINARY, "fit", *names, *OPTIONS, "--output", "parts.npz"], cwd=tmp_path,
                          capture_output=True, check=False, timeout=harness.TIMEOUT_SECONDS,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT)))  # fmt: skip
    assert done.returncode == 4, done.stderr
    assert (tmp_path / "parts.npz").read_bytes() == (whole / "model.npz").read_bytes()
