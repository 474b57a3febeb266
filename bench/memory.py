# SPDX-License-Identifier: Apache-2.0
"""Peak resident memory of a fit on a mapped file, beyond the file itself."""

import subprocess
import sys

# In a separate process, because the system reports the peak of all children.
CHILD = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
assert done.returncode in (0, 4), done.returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""

N, P = 400, 160_000


def run(orthodict, report):
    report(f"memory, n = {N}")
    *_, path = orthodict.problem(N, P)
    rows = []
    short = ("--method", "msp", "--max-iterations", "2")
    for options in ((), (*short, "--precision", "f64"), (*short, "--precision", "mixed", "--whiten", "zca", "--center")):
        command = [sys.executable, "-c", CHILD, orthodict.command, "fit", path, *options, "--output",
                   orthodict.folder / "model.npz"]
        kibibytes = int(subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout)
        rows.append({"n": N, "p": P, "options": " ".join(options), "data_mb": path.stat().st_size / 1e6,
                     "peak_mb": kibibytes * 1024 / 1e6})
    path.unlink()
    return rows
