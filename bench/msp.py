# SPDX-License-Identifier: Apache-2.0
"""The paper's ℓ4-MSP, orthodict compared with plain NumPy: same data, start, number of iterations, and cores."""

import time

import numpy as np

# n, iterations: p = 400 n and theta = .3, the rows of the paper's Table 2.
ROWS = [(25, 20), (50, 20), (100, 10), (200, 4), (400, 2)]
REPEATS = 3


def power(z):
    return z**3


def product(z):
    """The same without pow(), which takes longer in NumPy than both matrix products."""
    return z * z * z


def numpy_msp(y, a, iterations, cube=power):
    """A <- polar((A Y)^3 Y^T) in straightforward NumPy. Y is n x p."""
    for _ in range(iterations):
        u, _, vt = np.linalg.svd(cube(a @ y) @ y.T)
        a = u @ vt
    return a


def timed(function):
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def disagreement(a, b):
    """The distance of |A B^T| from a permutation: 0 if the rows are equal up to order and signs."""
    return float(np.max(1 - np.max(np.abs(a @ b.T), axis=1)))


def compare(orthodict, n, iterations):
    x, _, path = orthodict.problem(n, 400 * n)
    y = np.asfortranarray(x.T)
    start = np.linalg.qr(np.random.default_rng(n).standard_normal((n, n)))[0]
    start_path = orthodict.folder / "start.npy"
    np.save(start_path, start)
    single_path = orthodict.folder / "single.npy"
    np.save(single_path, x.astype(np.float32))
    y_single, start_single = y.astype(np.float32), start.astype(np.float32)
    fixed = ("--method", "msp", "--init", start_path, "--max-iterations", iterations, "--tolerance", 0)

    def ours(file, precision):
        seconds, atoms, _ = orthodict.fit(file, *fixed, "--precision", precision)
        return seconds, atoms

    contenders = {
        "numpy_f64": lambda: timed(lambda: numpy_msp(y, start, iterations)),
        "numpy_product_f64": lambda: timed(lambda: numpy_msp(y, start, iterations, product)),
        "orthodict_f64": lambda: ours(path, "f64"),
        "numpy_f32": lambda: timed(lambda: numpy_msp(y_single, start_single, iterations)),
        "orthodict_f32": lambda: ours(single_path, "f32"),
        "orthodict_mixed": lambda: ours(single_path, "mixed"),
    }
    best, answers = {}, {}
    for _ in range(REPEATS):
        for name, run in contenders.items():
            seconds, answers[name] = run()
            best[name] = min(best.get(name, np.inf), seconds)
    for name, answer in answers.items():
        allowed = 1e-10 if name.endswith("f64") else 1e-3
        off = disagreement(answer.astype(float), answers["numpy_f64"])
        if off > allowed:
            raise RuntimeError(f"n = {n}: {name} is {off} away from NumPy's answer")
    path.unlink()
    single_path.unlink()
    return {"n": n, "p": 400 * n, "iterations": iterations, "seconds": best,
            "speedup_f64": best["numpy_f64"] / best["orthodict_f64"],
            "speedup_f64_over_product": best["numpy_product_f64"] / best["orthodict_f64"],
            "speedup_f32": best["numpy_f64"] / best["orthodict_f32"],
            "speedup_mixed": best["numpy_f64"] / best["orthodict_mixed"],
            "speedup_f32_over_f32": best["numpy_f32"] / best["orthodict_f32"]}


def run(orthodict, report):
    results = []
    for n, iterations in ROWS:
        report(f"MSP against NumPy, n = {n}")
        results.append(compare(orthodict, n, iterations))
    return results
