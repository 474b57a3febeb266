# SPDX-License-Identifier: Apache-2.0
"""Method auto with default options: accuracy, number of samples needed, robustness to noise, and speed."""

import time
import warnings

import numpy as np
from msp import numpy_msp, power
from orthodict_cli import error

# theta, p, the required error, and in how many of ten seeds; n = 50.
FEW_SAMPLES = [(0.1, 500, 1e-10, 9), (0.2, 500, 1e-10, 9), (0.3, 500, 1e-10, 9), (0.4, 1000, 1e-10, 9),
               (0.5, 1000, 1e-10, 9), (0.6, 2000, 1e-10, 9), (0.7, 5000, 1e-10, 9), (0.4, 500, 1e-10, 7),
               (0.6, 1000, 1e-10, 7), (0.7, 2000, 1e-10, 7), (0.8, 20000, 1e-8, 8)]
# n, p, theta, seeds.
MANY_ATOMS = [(400, 8000, 0.3, 3), (1000, 20000, 0.1, 1)]
# The disturbance of the data, and the required error; n = 100, p = 40000, theta = .3.
FAULTS = [("noise", 0.2, 7.5e-4), ("noise", 0.4, 4.6e-3), ("outliers", 0.2, 1e-8), ("outliers", 0.4, 1e-8),
          ("corruption", 0.2, 6.5e-3), ("corruption", 0.4, 2.3e-2)]
TABLE_2 = [25, 50, 100, 200, 400]


def fit(orthodict, n, p, theta, seed, *options, **faults):
    path, truth = orthodict.folder / "y.npy", orthodict.folder / "d.npy"
    orthodict("synth", "--dimension", n, "--samples", p, "--theta", theta, "--seed", seed, "--output", path, "--truth",
              truth, *(text for name, value in faults.items() for text in (f"--{name}", value)))
    return orthodict("fit", path, "--truth", truth, "--seed", seed, *options)


def few_samples(orthodict, seeds):
    rows = []
    for theta, p, wanted, needed in FEW_SAMPLES:
        reports = [fit(orthodict, 50, p, theta, seed) for seed in seeds]
        rows.append({"theta": theta, "p": p, "wanted": wanted, "needed": needed,
                     "reached": sum(r["error"] <= wanted for r in reports), "of": len(reports),
                     "worst": max(r["error"] for r in reports),
                     "seconds": float(np.median([r["seconds"] for r in reports]))})
    return rows


def many_atoms(orthodict, seeds):
    rows = []
    for n, p, theta, trials in MANY_ATOMS:
        reports = [fit(orthodict, n, p, theta, seed) for seed in seeds[:trials]]
        rows.append({"n": n, "p": p, "theta": theta, "errors": [r["error"] for r in reports],
                     "seconds": [r["seconds"] for r in reports]})
    return rows


def numpy_to_convergence(y, a):
    """The paper's l4-MSP in NumPy until the objective changes by less than 1e-8 relative. The cube is multiplied out,
    because z**3 is a slow pow() that takes three to ten times as long as the rest."""
    objective, steps = None, 0
    while True:
        z = a @ y
        cubes = z * z * z
        new = float(np.vdot(cubes, z))
        if objective is not None and abs(new - objective) <= 1e-8 * new:
            return a, steps
        objective = new
        u, _, vt = np.linalg.svd(cubes @ y.T)
        a = u @ vt
        steps += 1


def table_2(orthodict, seeds):
    rows = []
    for n in TABLE_2:
        x, truth, path = orthodict.problem(n, 400 * n, seed=seeds[0])
        fits = [orthodict.fit(path, "--seed", seed) for seed in seeds[:3]]
        y = np.asfortranarray(x.T)
        start = np.linalg.qr(np.random.default_rng(seeds[0]).standard_normal((n, n)))[0]
        began = time.perf_counter()
        a, steps = numpy_to_convergence(y, start)
        numpy_seconds = time.perf_counter() - began
        ours = min(seconds for seconds, _, _ in fits)
        began = time.perf_counter()
        numpy_msp(y, start, 2, power)
        power_seconds = (time.perf_counter() - began) / 2 * steps
        rows.append({"n": n, "p": 400 * n, "error": max(error(atoms, truth) for _, atoms, _ in fits),
                     "passes": max(r["passes"] for _, _, r in fits), "seconds": ours, "numpy_error": error(a, truth),
                     "numpy_iterations": steps, "numpy_seconds": numpy_seconds, "speedup": numpy_seconds / ours,
                     "numpy_power_seconds": power_seconds, "speedup_over_power": power_seconds / ours})
        path.unlink()
    return rows


def cramer_rao(report, n, p, rms):
    """The Cramér–Rao bound of the error, (n - 1)/(p (I - 1)), where I is the Fisher information of a unit-variance
    coefficient with the density of the fitted mixture."""
    theta, noise = report["theta"], report["noise"] / rms
    signal = np.sqrt((1 - (1 - theta) * noise**2) / theta)
    z = np.linspace(-12, 12, 200001)
    parts = [(1 - theta, noise), (theta, signal)]
    density = sum(w / s * np.exp(-((z / s) ** 2) / 2) for w, s in parts) / np.sqrt(2 * np.pi)
    slope = sum(-w * z / s**3 * np.exp(-((z / s) ** 2) / 2) for w, s in parts) / np.sqrt(2 * np.pi)
    information = np.sum(slope**2 / np.maximum(density, 1e-300)) * (z[1] - z[0])
    return (n - 1) / (p * (information - 1))


def faults(orthodict, seeds):
    n, p, theta = 100, 40000, 0.3
    rows = []
    for kind, size, wanted in FAULTS:
        reports, bounds = [], []
        for seed in seeds:
            report = fit(orthodict, n, p, theta, seed, **{kind: size})
            reports.append(report)
            if kind != "outliers":
                rms = np.sqrt(np.mean(np.load(orthodict.folder / "y.npy", mmap_mode="r") ** 2))
                bounds.append(cramer_rao(report, n, p, rms))
        rows.append({"kind": kind, "size": size, "wanted": wanted, "errors": [r["error"] for r in reports],
                     "bound": float(np.mean(bounds)) if bounds else None, "theta": reports[0]["theta"],
                     "noise": reports[0]["noise"], "seconds": float(np.median([r["seconds"] for r in reports]))})
    return rows


def conditioned(orthodict, seeds):
    off = [1 - fit(orthodict, 50, 5000, 0.3, seed, condition=1000)["worst_cosine"] for seed in seeds]
    return {"off": off, "reached": sum(o <= 1e-9 for o in off)}


def gaussian(orthodict, seeds):
    path = orthodict.folder / "gaussian.npy"
    found = []
    for seed in seeds:
        np.save(path, np.random.default_rng(seed).standard_normal((5000, 50)))
        found.append(orthodict("fit", path, "--seed", seed)["termination"])
    return {"not_established": found.count("not_established"), "of": len(found)}


def laplace(orthodict, seeds):
    """Compares with scikit-learn's FastICA on the same data."""
    from sklearn.decomposition import FastICA

    path, truth_path = orthodict.folder / "laplace.npy", orthodict.folder / "laplace-truth.npy"
    rows = []
    for seed in seeds:
        generator = np.random.default_rng(seed)
        truth = np.linalg.qr(generator.standard_normal((50, 50)))[0]
        x = generator.laplace(size=(5000, 50)) @ truth
        np.save(path, x)
        np.save(truth_path, truth)
        ours = orthodict("fit", path, "--truth", truth_path, "--seed", seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ica = FastICA(fun="logcosh", whiten="unit-variance", random_state=seed, max_iter=1000, tol=1e-6).fit(x)
        rows.append({"error": ours["error"], "fastica_error": error(ica.mixing_.T, truth),
                     "established": ours["established"]})
    return rows


def units(orthodict, seeds):
    """The effect of the units of features: the distance of atoms from those learned without scaling, after
    unscaling."""
    path, scaled_path = orthodict.folder / "y.npy", orthodict.folder / "scaled.npy"
    off = []
    for seed in seeds:
        fit(orthodict, 50, 5000, 0.3, seed, condition=10)
        x = np.load(path)
        factors = 10.0 ** np.random.default_rng(seed).uniform(-6, 6, 50)
        np.save(scaled_path, x * factors)
        _, atoms, _ = orthodict.fit(path, "--seed", seed, "--dictionary", "complete")
        _, scaled, _ = orthodict.fit(scaled_path, "--seed", seed)
        scaled = scaled / factors
        scaled /= np.linalg.norm(scaled, axis=1, keepdims=True)
        off.append(float(1 - np.abs(atoms @ scaled.T).max(axis=1).min()))
    return off


def trace(orthodict, path, truth, *options):
    """Samples seen, in passes, and the error after each iteration."""
    file = orthodict.folder / "trace.csv"
    orthodict("fit", path, "--truth", truth, "--trace", file, *options)
    rows = np.genfromtxt(file, delimiter=",", names=True, dtype=None, encoding="utf-8")
    total = rows["samples"].max()
    # Measuring the moments is a pass too.
    return [float(x) for x in 1 + np.cumsum(rows["samples"]) / total], [float(e) for e in rows["error"]]


def per_pass(orthodict, seeds):
    """The error against samples seen, n = 100, p = 40000, theta = .3, clean and with noise .2."""
    path, truth = orthodict.folder / "y.npy", orthodict.folder / "d.npy"
    methods = {"auto": (), "l4": ("--stretch", "l4"), "l3": ("--stretch", "l3"),
               "soft, bias removed": ("--stretch", "soft", "--remove-bias")}
    results = {}
    for noise in (0, 0.2):
        orthodict("synth", "--dimension", 100, "--samples", 40000, "--noise", noise, "--seed", seeds[0], "--output",
                  path, "--truth", truth)
        for name, options in methods.items():
            results[f"{name}, noise {noise}"] = trace(orthodict, path, truth, "--seed", seeds[0],
                                                      "--max-iterations", 400, *options)
    return results


PHASE_THETA = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
PHASE_SAMPLES = [150, 250, 500, 1000, 2000, 5000, 10000, 20000]


def phase(orthodict, seeds):
    """Share of seeds with error <= 1e-8 (auto) and with error <= 1 % (l4, which has a floor), n = 50."""
    grids = {"auto": np.zeros((len(PHASE_THETA), len(PHASE_SAMPLES)))}
    grids["l4"] = grids["auto"].copy()
    for i, theta in enumerate(PHASE_THETA):
        for j, p in enumerate(PHASE_SAMPLES):
            for seed in seeds[:3]:
                grids["auto"][i, j] += fit(orthodict, 50, p, theta, seed)["error"] <= 1e-8
                grids["l4"][i, j] += fit(orthodict, 50, p, theta, seed, "--stretch", "l4")["error"] <= 1e-2
    return {name: (grid / 3).tolist() for name, grid in grids.items()}


def run(orthodict, report, seeds=range(1, 11), parts=None):
    seeds = list(seeds)
    every = {"few_samples": few_samples, "many_atoms": many_atoms, "table_2": table_2, "faults": faults,
             "conditioned": conditioned, "gaussian": lambda o, s: gaussian(o, [*s, *(x + 1000 for x in s)]),
             "laplace": lambda o, s: laplace(o, s[:3]), "units": lambda o, s: units(o, s[:3]),
             "per_pass": per_pass, "phase": phase}
    results = {}
    for name, part in every.items():
        if parts and name not in parts:
            continue
        report(f"recovery: {name}")
        results[name] = part(orthodict, seeds)
    return results
