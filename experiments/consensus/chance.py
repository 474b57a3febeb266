# SPDX-License-Identifier: Apache-2.0
"""How near the directions of Gaussian samples are between a fit and fits of halves, by the number of dimensions: what
src/solver/consensus/recurrence.cc takes for chance.

    experiments/consensus/chance.py [--trials N]

Needs the packages orthodict and SciPy.
"""

import argparse
import warnings

import numpy as np
import orthodict
from scipy.optimize import linear_sum_assignment

SAMPLES, HALVES, BLOCKS = 2000, 8, 64
METHODS = {
    "soft": {"stretch": "soft", "remove_bias": True, "bias_fraction": 0.9, "center": True, "tolerance": 0.002},
    "auto": {},
}


def unit_rows(model, root):
    """Rows of the analysis in whitened coordinates, of unit length."""
    rows = model.analysis @ root
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def similarity(x, options, seed):
    """The mean |cosine| of each direction with its match in halves of the samples."""
    root = np.linalg.cholesky(np.cov(x.T))
    rng = np.random.default_rng(seed)
    whole = unit_rows(orthodict.fit(x, dictionary="complete", seed=seed, threads=1, **options).model, root)
    total = np.zeros(len(whole))
    for half in range(HALVES):
        blocks = rng.permutation(BLOCKS)[: BLOCKS // 2]
        chosen = x[np.isin(np.arange(len(x)) * BLOCKS // len(x), blocks)]
        model = orthodict.fit(chosen, dictionary="complete", seed=1000 + half, threads=1, **options).model
        near = np.abs(whole @ unit_rows(model, root).T)
        total += near[linear_sum_assignment(near, maximize=True)]
    return total / HALVES


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=20, help="data sets of each kind (default: 20)")
    trials = parser.parse_args().trials
    warnings.simplefilter("ignore")  # nothing is there to be established
    rng = np.random.default_rng(5)
    print("| method | dimensions | mean | 95 % | 99 % |\n| --- | --- | --- | --- | --- |")
    for method, options in METHODS.items():
        for dimensions in (2, 3, 4, 5, 6, 8, 10, 14):
            found = np.concatenate([similarity(rng.standard_normal((SAMPLES, dimensions)), options, seed)
                                    for seed in range(trials)])  # fmt: skip
            levels = np.percentile(found, [95, 99])
            print(f"| {method} | {dimensions} | {found.mean():.3f} | {levels[0]:.3f} | {levels[1]:.3f} |", flush=True)


if __name__ == "__main__":
    main()
