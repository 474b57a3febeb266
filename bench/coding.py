# SPDX-License-Identifier: Apache-2.0
"""Sparse codes of the same samples with the same dictionary: processor time of one thread, ours beside SPAMS's. Codes are
compared before anything is timed: supports, or for the lasso the objective of each sample. Then codes of a complete
dictionary, beside NumPy's product."""

import time

import numpy as np

REPEATS = 5
NOISE = 0.5  # rms beside that of the sparse part
CHECKED = 2000  # samples whose codes are compared

# dimension, atoms, nonzeros, samples
SIZES = ((64, 256, 5, 100_000), (128, 512, 10, 20_000), (32, 64, 3, 100_000))


def problem(dimension, atoms, nonzeros, samples, noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    dictionary = rng.standard_normal((atoms, dimension))
    dictionary /= np.linalg.norm(dictionary, axis=1, keepdims=True)
    codes = np.zeros((samples, atoms))
    for code in codes:
        code[rng.choice(atoms, nonzeros, replace=False)] = rng.standard_normal(nonzeros)
    sparse = codes @ dictionary
    return dictionary, sparse + noise * np.sqrt(np.mean(sparse**2)) * rng.standard_normal(sparse.shape)


def processor_seconds(call):
    """The least of several."""
    times = []
    for _ in range(REPEATS):
        before = time.process_time()
        call()
        times.append(time.process_time() - before)
    return min(times)


def same_supports(a, b):
    """The share of the rows with the same atoms."""
    return float(np.mean(((a[:CHECKED] != 0) != (b[:CHECKED] != 0)).sum(axis=1) == 0))


def excess(x, dictionary, penalty, ours, theirs):
    """By how much our objective is above theirs at most, relative to theirs."""
    def objective(codes):
        codes = codes[:CHECKED].toarray().astype(np.float64)
        return np.sum((x[:CHECKED] - codes @ dictionary) ** 2, axis=1) / 2 + penalty * np.sum(np.abs(codes), axis=1)
    return float(np.max(objective(ours) / objective(theirs) - 1))


def compare(report, results, name, x, dictionary, precision, options, theirs, penalty=None):
    import orthodict

    report(f"coding: {name}, {precision}")
    model = orthodict.Model(dictionary, None, np.zeros(dictionary.shape[1]))
    dtype = np.float64 if precision == "f64" else np.float32
    y, d = np.asfortranarray(x.T, dtype=dtype), np.asfortranarray(dictionary.T, dtype=dtype)
    ours = lambda: model.encode(x, precision=precision, sparse=True, threads=1, **options)
    a, b = ours(), theirs(y, d).T.tocsr()
    agreement = {"same_supports": same_supports(a, b)}
    if penalty:
        agreement["excess"] = excess(x, dictionary, penalty, a, b)
    results.append({"coder": name, "precision": precision, **agreement, "nonzeros": a.nnz / len(x), "samples": len(x),
                    "orthodict": processor_seconds(ours), "spams": processor_seconds(lambda: theirs(y, d))})


def pursuits(report, results):
    import spams

    for size in SIZES:
        dimension, atoms, nonzeros, _ = size
        dictionary, x = problem(*size)
        label = f"{dimension}×{atoms}"
        compare(report, results, f"OMP, {label}, {nonzeros} atoms", x, dictionary, "f64", {"nonzeros": nonzeros},
                lambda y, d: spams.omp(y, d, L=nonzeros, numThreads=1))
        _, noisy = problem(*size, noise=0.1)
        error = 0.2 * np.sqrt(np.mean(noisy**2))
        compare(report, results, f"OMP, {label}, to an error of 0.2", noisy, dictionary, "f64",
                {"error": error, "scale": 1.0},
                lambda y, d: spams.omp(y, d, eps=dimension * error**2, numThreads=1))


def lassos(report, results):
    import spams

    for size in SIZES:
        dimension, atoms, _, samples = size
        for noise, level, share in ((0.0, 0.3, 1), (NOISE, 1.0, 1), (NOISE, 0.3, 10), (NOISE, 0.1, 10)):
            dictionary, x = problem(*size[:3], samples // share, noise)
            penalty = level * np.sqrt(np.mean(x**2))
            for precision in ("f64", "f32"):
                compare(report, results, f"lasso, {dimension}×{atoms}, {level} rms, noise {noise}", x, dictionary, precision,
                        {"penalty": penalty, "scale": 1.0},
                        lambda y, d: spams.lasso(y, D=d, lambda1=penalty, numThreads=1), penalty)


def complete(report, results):
    import orthodict

    report("coding: complete dictionary")
    rng = np.random.default_rng(0)
    n, samples = 64, 200_000
    dictionary = np.linalg.qr(rng.standard_normal((n, n)))[0]
    model = orthodict.Model(dictionary, dictionary, np.zeros(n))
    x = rng.standard_normal((samples, n))
    calls = {"NumPy: product": lambda: x @ dictionary.T, "NumPy: copy": x.copy, "encode": lambda: model.encode(x, threads=1),
             "encode, top 5": lambda: model.encode(x, top=5, threads=1),
             "encode, top 32": lambda: model.encode(x, top=32, threads=1),
             "encode, top 5, sparse": lambda: model.encode(x, top=5, sparse=True, threads=1),
             "decode": lambda: model.decode(x, threads=1)}
    kept = np.abs(calls["NumPy: product"]())
    assert np.allclose(np.abs(calls["encode"]()), kept)
    assert np.all((calls["encode, top 5"]() != 0) == (kept >= np.sort(kept, axis=1)[:, -5:-4]))
    results.extend({"call": name, "seconds": processor_seconds(call)} for name, call in calls.items())
    one, count = x[:1], 2000

    def repeat(call):
        return lambda: [call() for _ in range(count)]

    for name, call in (("one row: NumPy's product", lambda: one @ dictionary.T),
                       ("one row: encode", lambda: model.encode(one)),
                       ("one row: decode", lambda: model.decode(one))):
        results.append({"call": name, "seconds": processor_seconds(repeat(call)) / count})


def run(report):
    results = []
    pursuits(report, results)
    lassos(report, results)
    complete(report, results)
    return results
