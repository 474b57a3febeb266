# SPDX-License-Identifier: Apache-2.0
"""stabilized-ica on one thread, in an environment of its own: its version 2.0.0 needs scikit-learn before 1.4.

    stabilized.py SAMPLES.npy OUTPUT.npz COMPONENTS RUNS

run.py calls it. OUTPUT has `sources` (samples × components), `index` (their stability) and `seconds` (CPU time).
"""

import os
import sys
import time
import warnings

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402
from sica.base import StabilizedICA  # noqa: E402


def main():
    samples, output, components, runs = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    x = np.ascontiguousarray(np.load(samples).T)  # its rows are mixtures, and its columns samples of them
    warnings.simplefilter("ignore")
    start = time.process_time()
    ica = StabilizedICA(n_components=components, n_runs=runs, n_jobs=1, reorientation=False).fit(x)
    seconds = time.process_time() - start
    np.savez(output, sources=ica.S_.T, index=np.asarray(ica.stability_indexes_), seconds=seconds)


if __name__ == "__main__":
    main()
