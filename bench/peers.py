# SPDX-License-Identifier: Apache-2.0
"""Alternatives that users might choose, on the same data in the same run: time and the paper's error side by side.

A peer gets the samples in rows and returns atoms in rows. Parameters are the package's defaults, except where a comment
says otherwise. A package that isn't installed is reported as such.
"""

import importlib
import os
import time
import warnings

import numpy as np

from orthodict_cli import error

PROBLEMS = [(25, 10_000), (50, 20_000)]
REPEATS = 3


def numpy_until_converged(x):
    """ℓ4-MSP until the objective changes by less than 1e-8 of itself."""
    y = np.asfortranarray(x.T)
    a = np.linalg.qr(np.random.default_rng(0).standard_normal((len(y), len(y))))[0]
    objective = 0.0
    for _ in range(500):
        z = a @ y
        cubed = z**3
        previous, objective = objective, np.vdot(z, cubed)
        if abs(objective - previous) <= 1e-8 * objective:
            break
        u, _, vt = np.linalg.svd(cubed @ y.T)
        a = u @ vt
    return a


def fast_ica(fun):
    def run(x):
        from sklearn.decomposition import FastICA

        model = FastICA(fun=fun, whiten="unit-variance", max_iter=500, random_state=0).fit(x)
        return model.mixing_.T

    return run


def mini_batch(x):
    from sklearn.decomposition import MiniBatchDictionaryLearning

    # Penalty and batch size for theta = .3, and the faster of its two solvers.
    model = MiniBatchDictionaryLearning(x.shape[1], alpha=0.5, batch_size=64, max_iter=5, fit_algorithm="cd",
                                        random_state=0)
    return model.fit(x).components_


def picard_o(x):
    import picard

    # Ten FastICA iterations first, as its documentation recommends for distant starts.
    k, w, _ = picard.picard(x.T, ortho=True, fun="tanh", fastica_it=10, random_state=0)
    return np.linalg.inv(w @ k).T


def spams_online(*penalties):
    def run(x):
        import spams

        y = np.asfortranarray(x.T)
        d = None
        for penalty in penalties:  # each starts from the previous dictionary
            start = {} if d is None else {"D": d}
            # numThreads is spams' own setting; BLAS must not add threads (27 times slower otherwise).
            d = spams.trainDL(y, K=x.shape[1], lambda1=penalty, iter=300, batchsize=512, numThreads=os.cpu_count(),
                              verbose=False, **start)
        return d.T

    return run


PEERS = {
    "NumPy ℓ4-MSP": ("numpy", numpy_until_converged),
    "scikit-learn FastICA, cube": ("sklearn", fast_ica("cube")),
    "scikit-learn FastICA, logcosh": ("sklearn", fast_ica("logcosh")),
    "scikit-learn MiniBatchDictionaryLearning": ("sklearn", mini_batch),
    "Picard-O, tanh": ("picard", picard_o),
    "SPAMS trainDL": ("spams", spams_online(0.5)),
    "SPAMS trainDL, falling penalty": ("spams", spams_online(0.5, 0.1, 0.02)),
}

OURS = {
    "orthodict": (),
    "orthodict l4": ("--stretch", "l4"),
    "orthodict l4, mixed": ("--stretch", "l4", "--precision", "mixed"),
    "orthodict l3": ("--stretch", "l3"),
    "orthodict soft, bias removed": ("--stretch", "soft", "--remove-bias"),
    "orthodict logcosh": ("--stretch", "logcosh"),
    "K-SVD, ours": ("--method", "ksvd"),
}


def run_peer(package, function, x, truth=None, repeats=REPEATS):
    """Seconds, and the error if the truth is known; or the reason for failure: not installed, or an exception."""
    best = np.inf
    try:
        importlib.import_module(package)
        for _ in range(repeats):
            start = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                atoms = function(x)
            best = min(best, time.perf_counter() - start)
            if best > 5:
                break
    except Exception as reason:  # an exception in one package must not stop the others
        return {"failure": f"{type(reason).__name__}: {reason}"}
    return {"seconds": best} | ({} if truth is None else {"error": error(atoms, truth)})


def run(orthodict, report):
    results = []
    for n, p in PROBLEMS:
        x, truth, path = orthodict.problem(n, p)
        methods = {}
        for name, (package, function) in PEERS.items():
            report(f"peers, n = {n}: {name}")
            methods[name] = run_peer(package, function, x, truth)
        for name, options in OURS.items():
            report(f"peers, n = {n}: {name}")
            runs = [orthodict.fit(path, *options) for _ in range(REPEATS)]
            methods[name] = {"seconds": min(seconds for seconds, _, _ in runs), "error": error(runs[0][1], truth)}
        results.append({"n": n, "p": p, "methods": methods})
    return results
