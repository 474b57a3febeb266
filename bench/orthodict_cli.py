# SPDX-License-Identifier: Apache-2.0
"""orthodict's command from Python: synthetic problems, fits, and the paper's error."""

import json
import subprocess
import time

import numpy as np


class Orthodict:
    def __init__(self, command, folder):
        self.command, self.folder = str(command), folder

    def __call__(self, *arguments):
        # Exit code 4 means that the iterations were used up, as in runs of a given length.
        done = subprocess.run([self.command, *map(str, arguments), "--json"], capture_output=True, text=True)
        if done.returncode not in (0, 4):
            raise RuntimeError(f"orthodict {' '.join(map(str, arguments))}: {done.stderr}")
        return json.loads(done.stdout)

    def problem(self, n, p, theta=0.3, seed=1):
        """Returns samples (rows), the true atoms (rows), and the file of samples."""
        path = self.folder / f"y-{n}-{p}.npy"
        truth = self.folder / f"d-{n}.npy"
        self("synth", "--dimension", n, "--samples", p, "--theta", theta, "--seed", seed, "--output", path, "--truth",
             truth)
        return np.load(path), np.load(truth), path

    def fit(self, path, *options):
        """Returns seconds inside fit(), the learned atoms (rows), and the report."""
        time.sleep(0.3)  # NumPy's BLAS threads spin for a while after their last product
        model = self.folder / "model.npz"
        report = self("fit", path, "--output", model, *options)
        with np.load(model) as arrays:
            return report["seconds"], arrays["dictionary"], report


def error(atoms, truth):
    """The paper's |1 - ||A D_o||_4^4 / n| for unit-norm rows of `atoms` and of `truth`."""
    a = atoms / np.linalg.norm(atoms, axis=1, keepdims=True)
    product = a @ truth.T
    product /= np.linalg.norm(product, axis=1, keepdims=True)
    return abs(1 - np.sum(product**4) / len(truth))
