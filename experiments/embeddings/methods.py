# SPDX-License-Identifier: Apache-2.0
"""The methods that are compared: each learns as many axes as there are features, from centred samples in rows."""

import time
import warnings
from dataclasses import dataclass

import numpy as np
import orthodict
from sklearn.decomposition import PCA, FastICA
from threadpoolctl import threadpool_limits

# Ours end when the root mean square of all axes' moves is below this: of 0.01, 0.005 and 0.003 the largest at which soft
# comes to FastICA's contrast on the default data. FastICA ends when no axis turns by more than 0.014 (1 - |cos| = 1e-4).
TOLERANCE = 0.01
# The whole bias is removed for Newton's step, which FastICA's is too. Axes that are next to Gaussian then go back and forth
# without end on larger data; with a tenth of it left they come to rest.
BIAS_FRACTION = 0.9
COMPONENTS, FASTICA, CHOSEN = "PCA", "FastICA", "soft"  # CHOSEN: the method whose words are shown


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


def with_stretch(stretch, bias_fraction=BIAS_FRACTION):
    return with_orthodict(stretch=stretch, remove_bias=True, bias_fraction=bias_fraction, dictionary="complete",
                          center=True, tolerance=TOLERANCE)


def with_fastica(x, seed, threads):
    ica = FastICA(whiten="unit-variance", random_state=seed)
    with threadpool_limits(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it doesn't converge is in the table
        ica.fit(x)
    return ica.components_, ica.n_iter_, ica.n_iter_ < ica.max_iter


def with_pca(x, seed, threads):
    with threadpool_limits(threads):
        return PCA(random_state=seed).fit(x).components_, 1, True


METHODS = {
    COMPONENTS: with_pca,
    FASTICA: with_fastica,
    "FastICA, one thread": lambda x, seed, threads: with_fastica(x, seed, 1),
    "auto": with_orthodict(),
    f"auto, tolerance {TOLERANCE}": with_orthodict(tolerance=TOLERANCE),
    "ℓ4": with_stretch("l4"),
    "ℓ3": with_stretch("l3"),
    "log cosh": with_stretch("logcosh", bias_fraction=1),  # with less it would look for the least sparse axes
    CHOSEN: with_stretch("soft"),
}


def learn(method, x, seed, threads):
    if threads > 1:
        time.sleep(0.3)  # threads of a BLAS spin on for a while after their last product
    start, processor_start = time.perf_counter(), time.process_time()
    analysis, iterations, converged = METHODS[method](x, seed, threads)
    return Learned(analysis, time.perf_counter() - start, time.process_time() - processor_start, int(iterations),
                   bool(converged))
