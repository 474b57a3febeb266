#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Convergence on real data: log-cosh by second order (accelerate), by plain steps, and Picard-O, to the same gradient norm.

    bench/accelerate.py [--data digits genes embeddings] [--seeds N] [--no-plain]

CPU seconds of one thread, from the samples to the model, whitening included; methods take turns in one run. The gradient
norm is computed here, from the model alone, and is Picard's: the largest entry of the relative gradient. Needs the
packages orthodict, scikit-learn, python-picard and threadpoolctl, and what `scripts/get-data genes` and
`scripts/get-data embeddings` fetch.
"""

import argparse
import pathlib
import time
import warnings

import numpy as np
import orthodict
from threadpoolctl import threadpool_limits

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
TOLERANCE = 1e-6
LEVELS = (1e-2, 1e-3, 1e-6)  # gradient norms whose iterations are reported
MOST_PLAIN = 3000  # iterations of plain steps
CHECKED = 1.05  # plain iterations are checked at numbers that grow by this factor


def digits():
    from sklearn.datasets import load_digits

    x = load_digits().data
    return x[:, x.std(axis=0) > 0], None


def genes():
    return np.load(DATA / "genes" / "x.npy"), 187  # 99 % of the variance


def embeddings():
    vectors = np.load(DATA / "embeddings" / "vectors.npy", mmap_mode="r")[:50_000]
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True), None


SETS = {"digits": digits, "genes": genes, "embeddings": embeddings}


def gradient_norm(analysis, x):
    """The largest |<s_i tanh(z_i) z_j> - <s_j tanh(z_j) z_i>| / 2 for coefficients of unit variance, where s_i is the sign
    for which atom i is near a maximum."""
    z = (x - x.mean(axis=0)) @ analysis.T
    z /= z.std(axis=0)
    t = np.tanh(z)
    products = t.T @ z / len(z)
    signs = np.sign(np.diag(products) - np.mean(1 - t * t, axis=0))
    products *= signs[:, None]
    return float(np.abs(products - products.T).max() / 2)


def by_orthodict(x, atoms, seed, **options):
    return orthodict.fit(x, method="msp:logcosh", whiten="pca", center=True, atoms=atoms, seed=seed, threads=1,
                         tolerance=TOLERANCE, max_iterations=MOST_PLAIN, **options)  # fmt: skip


def accelerated(x, atoms, seed):
    result = by_orthodict(x, atoms, seed, accelerate=True)
    return result.model.analysis, result.summary.iterations


def picard_o(warm_up):
    def learn(x, atoms, seed):
        import picard

        k, w, _, iterations = picard.picard(x.T, n_components=atoms, ortho=True, tol=TOLERANCE, max_iter=MOST_PLAIN,
                                            fastica_it=warm_up, random_state=seed, return_n_iter=True)  # fmt: skip
        return w @ k, iterations + (warm_up or 0)

    return learn


METHODS = {"accelerate": accelerated, "Picard-O": picard_o(None), "Picard-O, 10 FastICA steps first": picard_o(10)}


def measured(learn, x, atoms, seed):
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the gradient norm tells whether it converged
        analysis, iterations = learn(x, atoms, seed)
    seconds = time.process_time() - began
    return {"seconds": seconds, "iterations": iterations, "gradient": gradient_norm(analysis, x.astype(float))}


def race(x, atoms, seeds):
    """All methods from each seed, in turn, so that slow periods of the machine affect all."""
    rows = {name: [] for name in METHODS}
    for seed in range(seeds):
        for name, learn in METHODS.items():
            rows[name].append(measured(learn, x, atoms, seed))
    return rows


def iterations_to_levels(x, atoms, seed, **options):
    """The first iteration checked whose gradient norm is below each level; nothing where none is."""
    reached, due, wide = {}, 0, x.astype(float)

    def look(iterate):
        nonlocal due
        if iterate.iteration < due:
            return False
        due = max(due + 1, int(iterate.iteration * CHECKED))
        norm = gradient_norm(iterate.model().analysis, wide)
        for level in LEVELS:
            if norm <= level:
                reached.setdefault(level, iterate.iteration)
        return len(reached) == len(LEVELS)

    result = by_orthodict(x, atoms, seed, callback=look, **options)
    last = gradient_norm(result.model.analysis, wide)  # the last iteration needn't be one of those that were checked
    return [reached.get(level, result.summary.iterations if last <= level else None) for level in LEVELS]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--no-plain", action="store_true", help="leave out the iterations of plain steps, which take longest")
    arguments = parser.parse_args()
    for name in arguments.data:
        x, atoms = SETS[name]()
        print(f"\n{name}, {len(x)}×{x.shape[1]}, {atoms or x.shape[1]} atoms", flush=True)
        rows = race(x, atoms, arguments.seeds)
        ours = np.median([row["seconds"] for row in rows["accelerate"]])
        print("| method | CPU s | of ours | iterations | largest gradient norm |\n|---|---|---|---|---|")
        for method, runs in rows.items():
            seconds = np.median([row["seconds"] for row in runs])
            print(f"| {method} | {seconds:.3g} | {seconds / ours:.1f} | {[row['iterations'] for row in runs]} | "
                  f"{max(row['gradient'] for row in runs):.1e} |")  # fmt: skip
        courses = {"accelerate": {"accelerate": True}} | ({} if arguments.no_plain else {"plain steps": {}})
        print(f"\n| iterations to a gradient norm of | {' | '.join(f'{level:g}' for level in LEVELS)} |\n|---|---|---|---|")
        for course, options in courses.items():
            found = iterations_to_levels(x, atoms, 0, **options)
            print(f"| {course} | {' | '.join(f'not in {MOST_PLAIN}' if n is None else str(n) for n in found)} |", flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
