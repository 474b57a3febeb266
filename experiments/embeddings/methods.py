# SPDX-License-Identifier: Apache-2.0
"""The methods that are compared: each learns as many axes as there are features, from centred samples in rows."""

import time
import warnings
from dataclasses import dataclass

import numpy as np
import orthodict
from sklearn.decomposition import PCA, FastICA
from threadpoolctl import threadpool_limits

# Ours end when the root mean square of all axes' moves is below this: of 0.01, 0.005 and 0.003 the largest at which log
# cosh comes to FastICA's contrast on the default data. FastICA ends when no axis turns by more than 0.014 (1 - |cos| =
# 1e-4); the root mean square then is 0.003 to 0.005 there, so that its end is a little stricter.
TOLERANCE = 0.005
COMPONENTS, FASTICA, CHOSEN = "PCA", "FastICA", "log cosh"  # CHOSEN: the method whose words are shown
CUBE, L4 = "FastICA, cube", "ℓ4"  # both for the fourth moment, as FASTICA and CHOSEN both are for log cosh


@dataclass
class Learned:
    analysis: np.ndarray
    seconds: float
    processor_seconds: float  # of all threads: what a busy machine changes least
    iterations: int
    converged: bool


def with_orthodict(**options):
    def learn(x, seed, threads):
        result = orthodict.fit(x, seed=seed, threads=threads, **options)
        return result.model.analysis, result.summary.iterations, result.summary.termination == "converged"

    return learn


def with_stretch(stretch):
    return with_orthodict(stretch=stretch, remove_bias=True, dictionary="complete", center=True, tolerance=TOLERANCE)


def with_fastica(fun, precision=np.float32):
    def learn(x, seed, threads):
        x = x.astype(precision, copy=False)
        ica = FastICA(fun=fun, whiten="unit-variance", random_state=seed)
        with threadpool_limits(threads), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it doesn't converge is in the table
            ica.fit(x)
        return ica.components_, ica.n_iter_, ica.n_iter_ < ica.max_iter

    return learn


def with_pca(x, seed, threads):
    with threadpool_limits(threads):
        return PCA(random_state=seed).fit(x).components_, 1, True


METHODS = {
    COMPONENTS: with_pca,
    FASTICA: with_fastica("logcosh"),
    CUBE: with_fastica("cube", np.float64),  # float32 ends in NaN from most seeds
    "auto": with_orthodict(),
    f"auto, tolerance {TOLERANCE}": with_orthodict(tolerance=TOLERANCE),
    L4: with_stretch("l4"),
    "ℓ3": with_stretch("l3"),
    "soft": with_stretch("soft"),
    CHOSEN: with_stretch("logcosh"),
}


def learn(method, x, seed, threads):
    if threads > 1:
        time.sleep(0.3)  # threads of a BLAS spin on for a while after their last product
    start, processor_start = time.perf_counter(), time.process_time()
    analysis, iterations, converged = METHODS[method](x, seed, threads)
    return Learned(analysis, time.perf_counter() - start, time.process_time() - processor_start, int(iterations),
                   bool(converged))
