# SPDX-License-Identifier: Apache-2.0
"""DictionaryLearner beside scikit-learn's estimators: fit() on the same data in the same run, time and the paper's error;
and what a call and an import cost.
"""

import statistics
import subprocess
import sys
import time
import warnings

from orthodict_cli import error

PROBLEMS = [(25, 10_000), (50, 20_000), (100, 40_000)]
REPEATS = 7
PATIENCE_SECONDS = 10  # slower methods are run once


def estimators(n):
    import orthodict
    from sklearn.decomposition import FastICA, MiniBatchDictionaryLearning

    ours = orthodict.DictionaryLearner(random_state=0)
    fast_ica = FastICA(fun="logcosh", whiten="unit-variance", random_state=0)
    mini_batch = MiniBatchDictionaryLearning(n, random_state=0)
    # Penalty and batch size for theta = .3, five passes, and the faster of its two solvers.
    tuned = MiniBatchDictionaryLearning(n, alpha=0.5, batch_size=64, max_iter=5, fit_algorithm="cd", random_state=0)
    return {
        "orthodict DictionaryLearner": (ours, lambda: ours.components_),
        "scikit-learn FastICA, logcosh": (fast_ica, lambda: fast_ica.mixing_.T),
        "scikit-learn MiniBatchDictionaryLearning": (mini_batch, lambda: mini_batch.components_),
        "the same, tuned": (tuned, lambda: tuned.components_),
    }


def seconds_of(call):
    time.sleep(0.3)  # BLAS threads spin for a while after their last product
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def run_problem(n, p, report):
    import orthodict

    x, truth = orthodict.synthetic(n, p, theta=0.3, seed=1)
    candidates = estimators(n)
    times = {name: [] for name in candidates}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # In turn, so that slow periods of the machine affect all.
        for repeat in range(REPEATS):
            for name, (estimator, _) in candidates.items():
                if repeat and times[name][0] > PATIENCE_SECONDS:
                    continue
                report(f"estimators, n = {n}: {name}")
                times[name].append(seconds_of(lambda fitted=estimator: fitted.fit(x)))
    return {"n": n, "p": p, "methods": {
        name: {"seconds": statistics.median(times[name]), "error": error(atoms(), truth)}
        for name, (_, atoms) in candidates.items()}}


def call_overhead():
    """Milliseconds of a fit of 100 samples with 10 features, and the part outside the library."""
    import orthodict

    x, _ = orthodict.synthetic(10, 100, theta=0.1, seed=1)
    learner = orthodict.DictionaryLearner(random_state=0).fit(x)
    whole, outside = [], []
    for _ in range(200):
        start = time.perf_counter()
        learner.fit(x)
        whole.append(1e3 * (time.perf_counter() - start))
        outside.append(whole[-1] - 1e3 * learner.summary_.total_seconds)
    return {"call_ms": statistics.median(whole), "overhead_ms": statistics.median(outside)}


def import_seconds():
    """Seconds of `import orthodict` after NumPy was imported; median of several new interpreters."""
    code = "import numpy, time; s = time.perf_counter(); import orthodict; print(time.perf_counter() - s)"
    runs = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
            for _ in range(5)]
    return statistics.median(runs)


def run(report):
    results = {"problems": [run_problem(n, p, report) for n, p in PROBLEMS]}
    report("estimators: cost of a call and of the import")
    return results | call_overhead() | {"import_seconds": import_seconds()}
