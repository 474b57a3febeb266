# SPDX-License-Identifier: Apache-2.0
"""Classes of data with a known truth, on which confidences are checked.

`problem(name, seed)` returns samples in rows, in the order of recording, and the true atoms in rows.
"""

import zlib
from dataclasses import dataclass
from typing import Callable, Optional

import numpy as np
import signals as s

NULL, CLEAN, OTHER = "null", "clean", "other"
FEATURES, SAMPLES = (8, 16, 32, 64), (2000, 5000, 10000, 20000)


@dataclass
class Problem:
    samples: np.ndarray  # p x n: (sources @ dictionary) and noise
    dictionary: Optional[np.ndarray] = None  # n x n, atoms in rows; None if nothing can be identified
    sources: Optional[np.ndarray] = None  # p x n
    identifiable: Optional[np.ndarray] = None  # one per atom; several Gaussian sources can't be identified


@dataclass
class DataClass:
    """kind: "null" (nothing to find), "clean" (exact zeros, no noise, independent) or "other"."""

    name: str
    kind: str
    generate: Callable  # (rng, n, p) -> Problem
    samples_per_feature: Optional[int] = None  # fixes p, if given

    def size(self, seed):
        n, p = sizes(seed)
        return n, p if self.samples_per_feature is None else self.samples_per_feature * n


def sizes(seed):
    """Numbers of features and samples. Sixteen consecutive seeds cover all pairs, four cover all values of both."""
    return FEATURES[seed % 4], SAMPLES[(seed + seed // 4) % 4]


def problem(name, seed):
    data_class = CLASSES[name]
    return data_class.generate(np.random.default_rng([seed, zlib.crc32(name.encode())]), *data_class.size(seed))


# Dictionaries: functions of (rng, n).


def gaussian_atoms(rng, n):
    atoms = rng.standard_normal((n, n))
    return atoms / np.linalg.norm(atoms, axis=1, keepdims=True)


def orthogonal_atoms(rng, n):
    return np.linalg.qr(rng.standard_normal((n, n)))[0]


def conditioned_atoms(condition):
    def draw(rng, n):
        return (orthogonal_atoms(rng, n) * np.geomspace(1, 1 / condition, n)) @ orthogonal_atoms(rng, n)

    return draw


def smooth_atoms(rng, n):
    """Bumps at random positions on a ring of sensors, of random sign, one sensor wide."""
    places = np.arange(n) + rng.uniform(-0.25, 0.25, n)
    distances = (np.arange(n) - places[:, None] + n / 2) % n - n / 2
    atoms = np.exp(-0.5 * distances**2) * rng.choice([-1, 1], (n, 1))
    return atoms / np.linalg.norm(atoms, axis=1, keepdims=True)


# Noise and other disturbances: functions of (rng, samples).


def rms(samples):
    return np.sqrt(np.mean(samples**2))


def white(level):
    """Noise with the same standard deviation in all features: `level` times the samples' root mean square."""
    return lambda rng, x: x + level * rms(x) * rng.standard_normal(x.shape)


def uneven(level):
    """The same with a different standard deviation per feature, from a tenth of that to all of it."""
    return lambda rng, x: x + level * rms(x) * rng.uniform(0.1, 1, x.shape[1]) * rng.standard_normal(x.shape)


def sensor_noise(level):
    """White noise and 1/f noise, each with `level`."""
    return lambda rng, x: white(level)(rng, x) + level * rms(x) * s.pink(rng, x.shape[1], x.shape[0])


def outliers(count, factor):
    """Replaces `count` samples by Gaussian ones with `factor` times the root mean square."""

    def spoil(rng, x):
        rows = rng.choice(len(x), count, replace=False)
        x[rows] = factor * rms(x) * rng.standard_normal((count, x.shape[1]))
        return x

    return spoil


def mixture(sources, atoms=gaussian_atoms, then=None, gaussians=None, shuffled=False):
    """A generator of problems with a known truth. `gaussians(n)` is the number of Gaussian sources, which come
    first."""

    def generate(rng, n, p):
        coefficients, dictionary = sources(rng, n, p), atoms(rng, n)
        samples = coefficients @ dictionary
        if then:
            samples = then(rng, samples)
        if shuffled:
            order = rng.permutation(p)
            samples, coefficients = samples[order], coefficients[order]
        identifiable = np.arange(n) >= (gaussians(n) if gaussians else 0)
        return Problem(samples, dictionary, coefficients, identifiable)

    return generate


def structureless(signals, then=None):
    """A generator of problems whose samples have no directions to find."""

    def generate(rng, n, p):
        samples = signals(rng, n, p) @ gaussian_atoms(rng, n)
        return Problem(then(rng, samples) if then else samples)

    return generate


GAUSSIAN_SPARSE, LAPLACE_SPARSE = s.sparse(0.3), s.sparse(0.3, s.laplace)


def null_classes():
    yield "gaussian", structureless(s.gaussian)
    yield "gaussian-ar-0.99", structureless(s.autoregressive(0.99))
    yield "gaussian-ar-0.9", structureless(s.autoregressive(0.9))
    yield "gaussian-walk", structureless(s.walk)
    yield "gaussian-walk-windows", structureless(s.walk_windows)
    yield "gaussian-pink", structureless(s.pink)
    yield "elliptical", structureless(s.same_contrast(s.gaussian))
    yield "elliptical-student", structureless(s.elliptical_student)
    yield "gaussian-upsampled", structureless(s.upsampled(s.gaussian))
    yield "gaussian-repeated", structureless(s.repeated(s.gaussian))
    yield "gaussian-repeated-shuffled", structureless(s.repeated(s.gaussian, shuffled=True))
    yield "gaussian-oversampled", structureless(s.oversampled(s.gaussian))
    yield "gaussian-outliers", structureless(s.gaussian, outliers(3, 100))
    yield "gaussian-few", structureless(s.gaussian), 3


def clean_classes():
    for theta in (0.1, 0.3, 0.5):
        yield f"sparse-{theta}-orthogonal", mixture(s.sparse(theta), orthogonal_atoms)
    yield "sparse", mixture(GAUSSIAN_SPARSE)
    yield "sparse-condition-1000", mixture(GAUSSIAN_SPARSE, conditioned_atoms(1000))
    yield "sparse-exponential", mixture(s.sparse(0.3, s.exponential))
    yield "sparse-laplace", mixture(LAPLACE_SPARSE)
    yield "sparse-scales-10", mixture(s.scaled(GAUSSIAN_SPARSE, 10))


def noisy_classes():
    for level in (0.05, 0.1, 0.2):
        yield f"sparse-noise-{level}", mixture(GAUSSIAN_SPARSE, then=white(level))
    yield "sparse-laplace-noise-0.1", mixture(LAPLACE_SPARSE, then=white(0.1))
    yield "sparse-laplace-noise-uneven", mixture(LAPLACE_SPARSE, then=uneven(0.3))
    yield "condition-100-noise-0.1", mixture(GAUSSIAN_SPARSE, conditioned_atoms(100), white(0.1))
    yield "condition-1000-noise-0.01", mixture(GAUSSIAN_SPARSE, conditioned_atoms(1000), white(0.01))
    yield "ternary-noise-0.1", mixture(s.sparse(0.2, s.signs), then=white(0.1))
    yield "sparse-noise-few", mixture(GAUSSIAN_SPARSE, then=white(0.05)), 8
    for count, factor in ((1, 1000), (3, 100), (10, 30)):
        yield f"outliers-{count}-of-{factor}", mixture(LAPLACE_SPARSE, then=outliers(count, factor))


def distributions():
    yield "laplace", mixture(s.laplace)
    yield "laplace-scales-100", mixture(s.scaled(s.laplace, 100))
    yield "student", mixture(s.student)
    yield "uniform", mixture(s.uniform)
    yield "laplace-and-uniform", mixture(s.halves(s.laplace, s.uniform))
    yield "exponential", mixture(s.exponential)
    yield "binary", mixture(s.binary)
    yield "sinusoid-among-sparse", mixture(s.with_first(1, s.sinusoid, GAUSSIAN_SPARSE))
    yield "two-gaussian", mixture(s.with_first(2, s.gaussian, s.laplace), gaussians=lambda n: 2)
    yield "half-gaussian", mixture(s.halves(s.gaussian, s.sparse(0.2)), gaussians=lambda n: n // 2)
    yield "half-gaussian-few", mixture(s.halves(s.gaussian, s.sparse(0.2)), gaussians=lambda n: n // 2), 20
    yield "laplace-few", mixture(s.laplace), 20


def dependent_classes():
    """Classes with dependent samples or dependent sources."""
    yield "shared-support", mixture(s.shared_support(s.laplace, groups=1))
    yield "shared-support-groups", mixture(s.shared_support(s.laplace, groups=4))
    yield "contrast", mixture(s.same_contrast(s.sparse(0.2)))
    yield "laplace-repeated", mixture(s.repeated(s.laplace))
    yield "laplace-repeated-shuffled", mixture(s.repeated(s.laplace, shuffled=True))
    yield "laplace-upsampled", mixture(s.upsampled(s.laplace))
    yield "laplace-sorted", mixture(s.sorted_classes(s.laplace))
    yield "laplace-drifting", mixture(s.drifting(s.laplace))
    yield "bursts-ar-0.9", mixture(s.autoregressive(0.9, s.bursts))
    yield "recording", mixture(s.rhythms, smooth_atoms, sensor_noise(0.03))
    yield "recording-shuffled", mixture(s.rhythms, smooth_atoms, sensor_noise(0.03), shuffled=True)


def listed():
    for kind, families in ((NULL, [null_classes]), (CLEAN, [clean_classes]),
                           (OTHER, [noisy_classes, distributions, dependent_classes])):  # fmt: skip
        for family in families:
            for name, generate, *fixed in family():
                yield DataClass(name, kind, generate, *fixed)


CLASSES = {data_class.name: data_class for data_class in listed()}
