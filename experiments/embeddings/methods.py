# SPDX-License-Identifier: Apache-2.0
"""The methods compared. Each learns as many axes as features, from centred samples in rows."""

import time
import warnings
from dataclasses import dataclass

import numpy as np
import orthodict
from sklearn.decomposition import PCA, FastICA
from threadpoolctl import threadpool_limits

# Ours stop when the root mean square move of all axes is below this. Of 0.01, 0.005 and 0.003, tried on the reported
# seeds, it is the largest at which soft reaches FastICA's contrast and its axes are as reproducible. FastICA stops when
# no axis turns by more than 0.014 (1 - |cos| = 1e-4).
TOLERANCE = 0.005
# An earlier stop for both: less time, but less reproducible axes.
LOOSE, LOOSE_FASTICA = 0.01, 1e-3
# With the whole bias removed, as in FastICA, fits to all words don't converge from most seeds; with a tenth of it left
# they do. Tried: 1, 0.95, 0.9, 0.7 and 0.5.
BIAS_FRACTION = 0.9
COMPONENTS, FASTICA, CHOSEN = "PCA", "FastICA", "soft"  # CHOSEN: the method whose words are shown
LOOSER = f"{CHOSEN}, tolerance {LOOSE}"


@dataclass
class Learned:
    analysis: np.ndarray
    seconds: float
    processor_seconds: float  # of all threads: least affected by other load
    iterations: int
    converged: bool


def with_orthodict(**options):
    def learn(x, seed, threads):
        result = orthodict.fit(x, seed=seed, threads=threads, **options)
        return result.model.analysis, result.summary.iterations, result.summary.termination == "converged"

    return learn


def with_stretch(stretch, bias_fraction=BIAS_FRACTION, tolerance=TOLERANCE):
    return with_orthodict(stretch=stretch, remove_bias=True, bias_fraction=bias_fraction, dictionary="complete",
                          center=True, tolerance=tolerance)


def with_fastica(most_threads=None, **options):
    def learn(x, seed, threads):
        ica = FastICA(whiten="unit-variance", random_state=seed, **options)
        with threadpool_limits(most_threads or threads), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the table says whether it converged
            ica.fit(x)
        return ica.components_, ica.n_iter_, ica.n_iter_ < ica.max_iter

    return learn


def with_pca(x, seed, threads):
    with threadpool_limits(threads):
        return PCA(random_state=seed).fit(x).components_, 1, True


METHODS = {
    COMPONENTS: with_pca,
    FASTICA: with_fastica(),
    "FastICA, one thread": with_fastica(1),
    f"FastICA, one thread, tolerance {LOOSE_FASTICA}": with_fastica(1, tol=LOOSE_FASTICA),
    "auto": with_orthodict(),
    f"auto, tolerance {TOLERANCE}": with_orthodict(tolerance=TOLERANCE),
    "ℓ4": with_stretch("l4"),
    "ℓ3": with_stretch("l3"),
    "log cosh": with_stretch("logcosh", bias_fraction=1),  # with a smaller fraction it would find the least sparse axes
    CHOSEN: with_stretch("soft"),
    LOOSER: with_stretch("soft", tolerance=LOOSE),
}


def learn(method, x, seed, threads):
    if threads > 1:
        time.sleep(0.3)  # BLAS threads spin for a while after their last product
    start, processor_start = time.perf_counter(), time.process_time()
    analysis, iterations, converged = METHODS[method](x, seed, threads)
    return Learned(analysis, time.perf_counter() - start, time.process_time() - processor_start, int(iterations),
                   bool(converged))
