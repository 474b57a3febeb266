# SPDX-License-Identifier: Apache-2.0
"""Compares a fit of a file eight times larger than memory with one held in memory: rate, memory, and equal models.

    bench/large.py [--size 10] [--folder FOLDER] [--json FILE]

Writes SIZE GB of samples in single precision, fits them with little memory and with all memory of the machine, and
compares. Needs disk space and the right to create a control group (root).
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = ROOT / "build" / "orthodict"
GB = 10**9
TIMES = 8  # size of the file relative to memory
BLOCK = 100_000


def write_samples(path, size, features, theta=0.1, noise=0.05):
    """Writes samples of a random orthogonal dictionary, block by block."""
    random = np.random.default_rng(0)
    atoms = np.linalg.qr(random.standard_normal((features, features)))[0].astype(np.float32)
    rows = size // (4 * features) // BLOCK * BLOCK
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": "<f4", "fortran_order": False, "shape": (rows, features)})
        for _ in range(rows // BLOCK):
            codes = random.standard_normal((BLOCK, features), dtype=np.float32)
            codes *= random.random((BLOCK, features), dtype=np.float32) < theta
            samples = codes @ atoms
            samples += noise * random.standard_normal((BLOCK, features), dtype=np.float32)
            file.write(samples.tobytes())
        file.flush()
        os.fsync(file.fileno())
    return rows


class Group:
    """A control group (version 1 or 2) that limits memory, including the page cache of its processes."""

    def __init__(self, limit):
        first = pathlib.Path("/sys/fs/cgroup/memory")
        self.folder = (first if first.exists() else first.parent) / f"orthodict-{os.getpid()}"
        self.folder.mkdir()
        name = "memory.limit_in_bytes" if first.exists() else "memory.max"
        (self.folder / name).write_text(str(limit))

    def enter(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def close(self):
        self.folder.rmdir()


def forget(path):
    """Drops the file from the page cache."""
    with open(path, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def fit(path, output, options, group=None):
    """Runs a fit. Returns its JSON and its peak resident memory."""
    command = [str(BINARY), "fit", str(path), "--output", str(output), "--json", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, preexec_fn=group.enter if group else None)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 4):
        sys.exit(f"{' '.join(command)}: exit code {os.waitstatus_to_exitcode(status)}")
    return {**json.loads(text), "resident_peak": usage.ru_maxrss * 1024}


def disk_rate(path):
    """The rate of sequential reads from disk, in bytes per second."""
    forget(path)
    done = subprocess.run(["dd", f"if={path}", "of=/dev/null", "bs=4M", "count=500"], capture_output=True, text=True,
                          check=True)  # fmt: skip
    seconds = float(done.stderr.split(",")[-2].split()[0])
    return 500 * 4 * 2**20 / seconds


def measure(folder, size, features, options):
    path = folder / "y.npy"
    rows = write_samples(path, size, features)
    delivers = disk_rate(path)
    group = Group(size // TIMES)
    try:
        forget(path)
        small = fit(path, folder / "small.npz", options, group)
    finally:
        group.close()
    fit(path, folder / "warm.npz", options)  # now the file is in the page cache
    large = fit(path, folder / "large.npz", options)
    rate = {name: rows * r["passes"] / (r["pass_seconds"] + r["moments_seconds"])
            for name, r in (("small", small), ("large", large))}
    return {
        "bytes": path.stat().st_size, "samples": rows, "features": features, "options": options, "limit": size // TIMES,
        "passes": small["passes"], "disk_bytes_per_second": delivers,
        "samples_per_second": rate, "ratio": rate["small"] / rate["large"],
        "needed_bytes_per_second": rate["large"] * 4 * features,
        "resident_peak": small["resident_peak"],
        "same_model": (folder / "small.npz").read_bytes() == (folder / "large.npz").read_bytes(),
    }


def show(r):
    print(f"{r['bytes'] / GB:.1f} GB, {r['samples']} samples of {r['features']} features, {' '.join(r['options'])}; "
          f"{r['passes']} passes")
    print(f"with {r['limit'] / GB:.2f} GB of memory: {r['samples_per_second']['small'] / 1e6:.2f} million samples a second, "
          f"{r['ratio']:.2f} of the rate in memory; resident peak {r['resident_peak'] / 2**20:.0f} MiB")
    print(f"the disk delivers {r['disk_bytes_per_second'] / 1e6:.0f} MB/s, the rate in memory takes "
          f"{r['needed_bytes_per_second'] / 1e6:.0f} MB/s")
    print("the model is the same, to the byte" if r["same_model"] else "THE MODELS DIFFER")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=float, default=10, help="size of the file in GB (default: %(default)s)")
    parser.add_argument("--features", type=int, default=400, help="(default: %(default)s)")
    parser.add_argument("--folder", type=pathlib.Path, help="folder for the file (default: a temporary one)")
    parser.add_argument("--json", type=pathlib.Path, help="also write the figures to this file")
    parser.add_argument("options", nargs="*", help="options of fit (default: --method msp --max-iterations 3)")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(dir=arguments.folder))
    try:
        results = measure(folder, int(arguments.size * GB), arguments.features,
                          arguments.options or ["--method", "msp", "--max-iterations", "3"])
    finally:
        shutil.rmtree(folder)
    show(results)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    if not results["same_model"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
