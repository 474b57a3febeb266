# SPDX-License-Identifier: Apache-2.0
"""Sparse codes of the same samples with the same dictionary: processor time of one thread, ours beside SPAMS's. Codes are
compared before anything is timed."""

import resource

import numpy as np

DIMENSION, ATOMS, NONZEROS, SAMPLES = 64, 256, 5, 100_000
REPEATS = 5


def problem(seed=0):
    rng = np.random.default_rng(seed)
    dictionary = rng.standard_normal((ATOMS, DIMENSION))
    dictionary /= np.linalg.norm(dictionary, axis=1, keepdims=True)
    codes = np.zeros((SAMPLES, ATOMS))
    for code in codes:
        code[rng.choice(ATOMS, NONZEROS, replace=False)] = rng.standard_normal(NONZEROS)
    return dictionary, codes @ dictionary


def processor_seconds(call):
    """The least of several."""
    times = []
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        call()
        times.append(resource.getrusage(resource.RUSAGE_SELF).ru_utime - before)
    return min(times)


def run(report):
    import orthodict
    import spams

    dictionary, x = problem()
    model = orthodict.Model(dictionary, None, np.zeros(DIMENSION))
    results = []
    for precision, dtype in (("f64", np.float64), ("f32", np.float32)):
        y, d = np.asfortranarray(x.T, dtype=dtype), np.asfortranarray(dictionary.T, dtype=dtype)
        penalty = 0.3 * np.sqrt(np.mean(x**2))
        pairs = {
            f"OMP, {NONZEROS} atoms": (
                lambda p=precision: model.encode(x, nonzeros=NONZEROS, precision=p, sparse=True, threads=1),
                lambda y=y, d=d: spams.omp(y, d, L=NONZEROS, numThreads=1)),
            "lasso, 0.3 rms": (
                lambda p=precision: model.encode(x, penalty=penalty, scale=1.0, precision=p, sparse=True, threads=1),
                lambda y=y, d=d: spams.lasso(y, D=d, lambda1=penalty, numThreads=1)),
        }
        if precision == "f32":
            del pairs[f"OMP, {NONZEROS} atoms"]  # SPAMS's returns empty codes
        for name, (ours, theirs) in pairs.items():
            report(f"coding: {name}, {precision}")
            a, b = ours(), theirs().T.tocsr()
            same = np.mean(((a[:5000] != 0) != (b[:5000] != 0)).sum(axis=1) == 0)
            seconds = {"orthodict": processor_seconds(ours), "spams": processor_seconds(theirs)}
            results.append({"coder": name, "precision": precision, "same_supports": float(same), **seconds})
    return results
