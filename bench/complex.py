#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Complex samples. By default: l4-MSP over the unitary group and method auto, against the same MSP in plain NumPy, in one
run; answers are checked before they are timed. With --recovery: how often auto is exact, beside as many real samples."""

import argparse
import pathlib
import tempfile

import numpy as np
from msp import timed
from orthodict_cli import Orthodict

# n, iterations of MSP: p = 400 n and theta = .3, as for real samples.
ROWS = [(25, 20), (50, 20), (100, 10), (200, 4)]
REPEATS = 3
# theta, p of the samples to recover from; n = 50.
FEW_SAMPLES = [(0.1, 250), (0.2, 250), (0.3, 250), (0.4, 500), (0.5, 500), (0.6, 1000), (0.7, 2000)]
EXACT = 1e-10


def polar(g):
    u, _, vh = np.linalg.svd(g)
    return u @ vh


def numpy_step(y, a):
    """A <- polar((|Z|^2 Z) Y^H) with Z = A Y, in straightforward NumPy. Y is n x p."""
    z = a @ y
    return polar((np.abs(z) ** 2 * z) @ y.conj().T)


def numpy_msp(y, a, iterations):
    for _ in range(iterations):
        a = numpy_step(y, a)
    return a


def numpy_to_convergence(y, a):
    """Until the objective changes by less than 1e-8 relative."""
    objective = None
    while True:
        z = a @ y
        squares = np.abs(z) ** 2
        new = float(np.sum(squares**2))
        if objective is not None and abs(new - objective) <= 1e-8 * new:
            return a
        objective = new
        a = polar((squares * z) @ y.conj().T)


def compare(orthodict, n, iterations):
    path, truth = orthodict.folder / "y.npy", orthodict.folder / "d.npy"
    orthodict("synth", "--complex", "--dimension", n, "--samples", 400 * n, "--seed", 1, "--output", path, "--truth", truth)
    y = np.asfortranarray(np.load(path).T)
    random = np.random.default_rng(n)
    start = polar(random.standard_normal((n, n)) + 1j * random.standard_normal((n, n)))
    start_path = orthodict.folder / "start.npy"
    np.save(start_path, start.conj())  # atoms in rows; their conjugates compute the codes
    single_path = orthodict.folder / "single.npy"
    np.save(single_path, np.ascontiguousarray(y.T.astype(np.complex64)))
    y_single, start_single = y.astype(np.complex64), start.astype(np.complex64)
    fixed = ("--method", "msp", "--init", start_path, "--max-iterations", iterations, "--tolerance", 0)

    def ours(file, *options):
        seconds, atoms, _ = orthodict.fit(file, *options)
        return seconds, atoms.conj()

    contenders = {
        "numpy c128": lambda: timed(lambda: numpy_msp(y, start, iterations)),
        "orthodict c128": lambda: ours(path, *fixed, "--precision", "f64"),
        "numpy c64": lambda: timed(lambda: numpy_msp(y_single, start_single, iterations)),
        "orthodict c64": lambda: ours(single_path, *fixed, "--precision", "f32"),
        "numpy to convergence": lambda: timed(lambda: numpy_to_convergence(y, start)),
        "auto": lambda: ours(path),
    }
    best, answers = {}, {}
    for _ in range(REPEATS):
        for name, run in contenders.items():
            seconds, answers[name] = run()
            best[name] = min(best.get(name, np.inf), seconds)
    for name, allowed in (("orthodict c128", 1e-10), ("orthodict c64", 1e-3)):
        off = float(np.max(1 - np.max(np.abs(answers[name] @ answers["numpy c128"].conj().T), axis=1)))
        if off > allowed:
            raise RuntimeError(f"n = {n}: {name} is {off} away from NumPy's answer")
    products = np.abs(answers["auto"] @ np.load(truth).T)
    return best, abs(1 - np.sum(products**4) / n)


def exact(orthodict, theta, samples, seed, *options):
    path, truth = orthodict.folder / "y.npy", orthodict.folder / "d.npy"
    orthodict("synth", "--dimension", 50, "--samples", samples, "--theta", theta, "--seed", seed, "--output", path,
              "--truth", truth, *options)
    return orthodict("fit", path, "--truth", truth, "--seed", seed)["error"] <= EXACT


def print_recovery(orthodict, seeds):
    print(f"{'theta':>5} {'p':>6} {'real':>6} {'complex':>8}   exact of {seeds}, n = 50")
    for theta, samples in FEW_SAMPLES:
        real, other = (sum(exact(orthodict, theta, samples, seed, *options) for seed in range(1, seeds + 1))
                       for options in ((), ("--complex",)))
        print(f"{theta:>5} {samples:>6} {real:>6} {other:>8}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orthodict", default=pathlib.Path(__file__).resolve().parent.parent / "build/orthodict")
    parser.add_argument("--n", type=int, nargs="*", help="only these sizes")
    parser.add_argument("--recovery", action="store_true", help="how often auto is exact")
    parser.add_argument("--seeds", type=int, default=10)
    asked = parser.parse_args()
    if asked.recovery:
        with tempfile.TemporaryDirectory() as folder:
            print_recovery(Orthodict(asked.orthodict, pathlib.Path(folder)), asked.seeds)
        return
    print(f"{'n':>4} {'p':>6} {'MSP':>6} {'numpy c128':>11} {'orthodict':>10} {'ratio':>6} {'numpy c64':>10} "
          f"{'orthodict':>10} {'ratio':>6} {'numpy, all':>11} {'auto':>8} {'ratio':>6} {'error':>8}")
    with tempfile.TemporaryDirectory() as folder:
        orthodict = Orthodict(asked.orthodict, pathlib.Path(folder))
        for n, iterations in ROWS:
            if asked.n and n not in asked.n:
                continue
            t, error = compare(orthodict, n, iterations)
            print(f"{n:>4} {400 * n:>6} {iterations:>6} {t['numpy c128']:>11.4f} {t['orthodict c128']:>10.4f} "
                  f"{t['numpy c128'] / t['orthodict c128']:>6.1f} {t['numpy c64']:>10.4f} {t['orthodict c64']:>10.4f} "
                  f"{t['numpy c64'] / t['orthodict c64']:>6.1f} {t['numpy to convergence']:>11.4f} {t['auto']:>8.4f} "
                  f"{t['numpy to convergence'] / t['auto']:>6.1f} {error:>8.0e}", flush=True)


if __name__ == "__main__":
    main()
