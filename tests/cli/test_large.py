# SPDX-License-Identifier: Apache-2.0
"""Files that don't fit in memory: a limit on addresses stands for a machine that has little of it."""

import os
import resource
import shutil
import subprocess
import time

import harness
import numpy as np
import pytest

LIMIT = 500 << 20
ONE_WORKER = pytest.mark.xdist_group("large")  # so that only one worker creates the file
NEEDS_LIMIT = harness.unsanitized("its shadow memory alone takes more addresses than the limit")


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A file that is mapped where there is room, and read as it is used under the limit, of which it is more than half."""
    folder = tmp_path_factory.mktemp("large")
    harness.run_command("synth", "--dimension", 100, "--samples", 335_000, "--theta", 0.2, "--noise", 0.1, "--seed", 1,
                        "--output", "y.npy", cwd=folder)  # fmt: skip
    assert (folder / "y.npy").stat().st_size > LIMIT / 2
    return folder


def fit(folder, *options, limit=None, open_files=None):
    """Its peak of memory. Limits are of addresses, and of files: one that the process may raise, and how far."""
    limits = []
    if limit:
        limits.append((resource.RLIMIT_AS, (limit, limit)))
    if open_files:
        limits.append((resource.RLIMIT_NOFILE, open_files))
    return harness.peak_memory("fit", *options, cwd=folder, limits=limits, expect=(0, 4))


@ONE_WORKER
@NEEDS_LIMIT
@pytest.mark.parametrize(("threads", "options"), [
    (1, []),
    (3, ["--method", "msp", "--max-iterations", 3]),
], ids=["auto", "msp"])  # fmt: skip
def test_the_model_is_the_same(large, threads, options):
    fit(large, "y.npy", "--output", "mapped.npz", *options)
    memory = fit(large, "y.npy", "--output", "read.npz", "--threads", threads, *options, limit=LIMIT)
    assert memory < (large / "y.npy").stat().st_size
    assert (large / "read.npz").read_bytes() == (large / "mapped.npz").read_bytes()


@ONE_WORKER
@NEEDS_LIMIT
def test_hdf5_in_one_piece(large):
    h5py = pytest.importorskip("h5py")
    with h5py.File(large / "y.h5", "w") as file:
        file["group/y"] = np.load(large / "y.npy", mmap_mode="r")
    options = ["--method", "msp", "--max-iterations", 1, "--threads", 1]
    fit(large, "y.npy", "--output", "mapped.npz", *options)
    for name in ("y.h5", "y.h5:/group/y"):
        memory = fit(large, name, "--output", "read.npz", *options, limit=LIMIT)
        assert memory < (large / "y.h5").stat().st_size / 2
        assert (large / "read.npz").read_bytes() == (large / "mapped.npz").read_bytes()


@ONE_WORKER
@NEEDS_LIMIT
@pytest.mark.parametrize(("name", "how"), [
    ("chunked", {"chunks": (1000, 30)}),
    ("filtered", {"chunks": (4096, 100), "shuffle": True, "fletcher32": True}),
    ("swapped", {"dtype": ">f8"}),
])  # fmt: skip
def test_hdf5_that_is_unpacked(large, tmp_path, monkeypatch, name, how):
    """To a file without a name in the folder of TMPDIR, of which nothing is left."""
    h5py = pytest.importorskip("h5py")
    samples = np.load(large / "y.npy", mmap_mode="r")
    with h5py.File(tmp_path / "y.h5", "w") as file:
        file.create_dataset("y", data=samples, **how)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    options = ["--method", "msp", "--max-iterations", 1, "--threads", 1]
    fit(large, "y.npy", "--output", tmp_path / "mapped.npz", *options)
    memory = fit(tmp_path, "y.h5", "--output", "read.npz", *options, limit=LIMIT)
    assert memory < samples.nbytes / 2
    assert (tmp_path / "read.npz").read_bytes() == (tmp_path / "mapped.npz").read_bytes()
    assert list(scratch.iterdir()) == []


@ONE_WORKER
@NEEDS_LIMIT
def test_hdf5_that_cannot_be_unpacked(large, tmp_path, monkeypatch):
    h5py = pytest.importorskip("h5py")
    samples = np.load(large / "y.npy", mmap_mode="r")
    with h5py.File(tmp_path / "y.h5", "w") as file:
        file.create_dataset("chunked", data=samples, chunks=(1000, 100))
        file.create_dataset("columns", data=samples, chunks=(len(samples), 1))

    def refusal(name):
        done = subprocess.run([harness.BINARY, "fit", name], cwd=tmp_path, capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT)))  # fmt: skip
        assert done.returncode == 3
        return done.stderr

    assert "its chunks of 335000×1 are too high" in refusal("y.h5:/columns")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    message = refusal("y.h5:/chunked")
    assert "y.h5: is too large for memory, and a temporary file in" in message
    assert "No such file or directory; TMPDIR can name another folder" in message


@ONE_WORKER
@pytest.mark.parametrize("limit", [None, pytest.param(LIMIT, marks=NEEDS_LIMIT)], ids=["mapped", "read"])
def test_a_file_that_is_cut_off(large, tmp_path, limit):
    shutil.copy(large / "y.npy", tmp_path)
    process = subprocess.Popen(
        [str(harness.BINARY), "fit", "y.npy", "--method", "msp", "--tolerance", "0", "--max-iterations", "100000",
         "--threads", "1", "--checkpoint", "c", "--checkpoint-every", "0"], cwd=tmp_path, stderr=subprocess.PIPE,
        preexec_fn=(lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))) if limit else None)  # fmt: skip
    deadline = time.monotonic() + harness.TIMEOUT_SECONDS
    while not (tmp_path / "c").exists():  # wait until it runs
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    os.truncate(tmp_path / "y.npy", 1 << 20)
    _, message = process.communicate(timeout=harness.TIMEOUT_SECONDS)
    assert process.returncode == 3
    assert b"y.npy: was truncated while it was read" in message


def test_several_files_are_one(run, small, tmp_path):
    """Whatever their sizes, their types and how they are read; the model is that of the whole, to the byte."""
    run("fit", small.samples, "--output", "whole.npz")
    cuts = [0, 1, 130, 130, 2000, 4000]
    names = []
    for number, (first, last) in enumerate(zip(cuts, cuts[1:])):
        names.append(f"part-{number}.npy")
        np.save(tmp_path / names[-1], small.x[first:last])
    run("fit", *names, "--output", "joined.npz")
    assert (tmp_path / "joined.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()


def test_a_bad_value_is_named_by_its_file(run, small, tmp_path):
    bad = small.x[2000:].copy()
    bad[5, 3] = np.nan
    np.save(tmp_path / "one.npy", small.x[:2000])
    np.save(tmp_path / "two.npy", bad)
    assert "two.npy: sample 5, feature 3 is nan" in run("fit", "one.npy", "two.npy", expect=3).stderr


@harness.unsanitized("its shadow memory alone takes more addresses than the limit")
def test_files_that_are_large_together(run, tmp_path):
    """Four times 100 MB in 500 MB of addresses: each is small."""
    limit = 500 << 20
    run("synth", "--dimension", 100, "--samples", 500000, "--seed", 1, "--output", "whole.npy")
    values = np.load(tmp_path / "whole.npy", mmap_mode="r")
    names = [f"part-{i}.bin" for i in range(4)]
    for i, name in enumerate(names):
        values[i * 125000:(i + 1) * 125000].tofile(tmp_path / name)
    run("fit", "whole.npy", "--method", "msp", "--max-iterations", 2, "--output", "whole.npz", expect=4)
    parts = subprocess.run([harness.BINARY, "fit", *names, "--raw", "f64x100", "--method", "msp", "--max-iterations", "2",
                            "--threads", "1", "--output", "parts.npz"], cwd=tmp_path, capture_output=True, check=False,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))  # fmt: skip
    assert parts.returncode == 4, parts.stderr
    assert (tmp_path / "parts.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()


@ONE_WORKER
@NEEDS_LIMIT
def test_many_files(large, tmp_path):
    """Behind one that is mapped and fills what may be mapped, each of them stays open."""
    samples = np.load(large / "y.npy", mmap_mode="r")
    cuts = [0, *np.linspace(LIMIT // 2 // samples[0].nbytes, len(samples), 61, dtype=int)]
    names = [f"part-{i}.bin" for i in range(len(cuts) - 1)]
    for name, first, last in zip(names, cuts, cuts[1:]):
        samples[first:last].tofile(tmp_path / name)
    options = ["--method", "msp", "--max-iterations", 1, "--threads", 1]
    fit(large, "y.npy", "--output", tmp_path / "whole.npz", *options)
    fit(tmp_path, *names, "--raw", "f64x100", "--output", "parts.npz", *options, limit=LIMIT, open_files=(40, 80))
    assert (tmp_path / "parts.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()


def test_numbers_without_a_header(run, small, tmp_path):
    run("fit", small.samples, "--output", "whole.npz")
    small.x.tofile(tmp_path / "y.bin")
    run("fit", "y.bin", "--raw", "f64x10", "--output", "raw.npz")
    assert (tmp_path / "raw.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()


@pytest.mark.parametrize(("options", "code", "message"), [
    (["y.bin", "--raw", "f64"], 2, "--raw = f64"),
    (["y.bin", "--raw", "f64x"], 2, "--raw = f64x"),
    (["y.bin", "--raw", "f65x10"], 2, "TYPExFEATURES"),
    (["y.bin", "--raw", "f64x0"], 2, "--raw = f64x0"),
    (["y.bin", "--raw", "f64x10", "--columns"], 2, "--columns"),
    (["y.bin", "--raw", "f64x10", "--patch", "2x5"], 2, "--patch"),
    (["y.bin", "--raw", "f64x7"], 3, "y.bin: 800 bytes"),
    (["y.bin", "--raw", "f64x1000"], 2, "dimension = 1000"),
    (["none.bin", "--raw", "f64x10"], 3, "none.bin"),
    (["a.npy", "b.npy"], 3, "b.npy: 3 features, but a.npy has 2"),
])  # fmt: skip
def test_refusals(run, tmp_path, options, code, message):
    np.zeros(100).tofile(tmp_path / "y.bin")
    np.save(tmp_path / "a.npy", np.ones((5, 2)))
    np.save(tmp_path / "b.npy", np.ones((5, 3)))
    assert message in run("fit", *options, expect=code).stderr


@NEEDS_LIMIT
def test_too_little_memory_is_an_error(small):
    """OpenBLAS would wait forever for memory that it doesn't get."""
    limit = 120 << 20
    done = subprocess.run([harness.BINARY, "fit", small.samples], capture_output=True, timeout=harness.TIMEOUT_SECONDS,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))  # fmt: skip
    assert done.returncode == 3
    assert b"memory" in done.stderr


@NEEDS_LIMIT
def test_little_memory_means_few_threads(run, small, tmp_path):
    run("fit", small.samples, "--output", "one.npz", "--threads", 1)
    limit = 400 << 20
    done = subprocess.run([harness.BINARY, "fit", small.samples, "--output", tmp_path / "many.npz", "--threads", "64"],
                          capture_output=True, timeout=harness.TIMEOUT_SECONDS,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "many.npz").read_bytes() == (tmp_path / "one.npz").read_bytes()
