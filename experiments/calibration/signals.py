# SPDX-License-Identifier: Apache-2.0
"""Signals for sources and noise. Arrays are p x n: a column is a signal, a row is a point in time.

Functions of (rng, n, p) return independent columns, of unit variance unless stated otherwise.
"""

import numpy as np
from scipy.signal import lfilter

REPEATS = 5
UPSAMPLING = 4


def gaussian(rng, n, p):
    return rng.standard_normal((p, n))


def laplace(rng, n, p):
    return rng.laplace(scale=np.sqrt(0.5), size=(p, n))


def uniform(rng, n, p):
    return rng.uniform(-np.sqrt(3), np.sqrt(3), (p, n))


def student(rng, n, p):
    """Student's t with three degrees of freedom: the fourth moment is infinite."""
    return rng.standard_t(3, (p, n)) / np.sqrt(3)


def exponential(rng, n, p):
    """Skewed, with a peak at zero and mean one."""
    return rng.exponential(size=(p, n))


def sparse(theta, values=gaussian):
    """Values of which a share theta is nonzero. The mean square is that of the values."""

    def draw(rng, n, p):
        return values(rng, n, p) * (rng.random((p, n)) < theta) / np.sqrt(theta)

    return draw


def binary(rng, n, p):
    """1 with probability 0.3, otherwise 0; not of unit variance."""
    return (rng.random((p, n)) < 0.3).astype(float)


def signs(rng, n, p):
    return rng.choice([-1.0, 1.0], (p, n))


def scaled(values, ratio):
    """The same, with standard deviations from 1 to `ratio`."""
    return lambda rng, n, p: values(rng, n, p) * np.geomspace(1, ratio, n)


def halves(first, second):
    """The first n // 2 columns are of one kind and the others of another."""
    return lambda rng, n, p: np.hstack([first(rng, n // 2, p), second(rng, n - n // 2, p)])


def with_first(count, first, others):
    """The first `count` columns are of one kind and the others of another."""
    return lambda rng, n, p: np.hstack([first(rng, count, p), others(rng, n - count, p)])


def sinusoid(rng, n, p):
    periods = rng.uniform(20, 200, n)
    return np.sqrt(2) * np.sin(2 * np.pi * np.arange(p)[:, None] / periods + rng.uniform(0, 2 * np.pi, n))


def autoregressive(memory, values=gaussian):
    """s_t = memory * s_(t-1) + innovation, from a start that makes it stationary to second order."""

    def draw(rng, n, p):
        innovations = values(rng, n, p) * np.sqrt(1 - memory**2)
        innovations[0] /= np.sqrt(1 - memory**2)
        return lfilter([1], [1, -memory], innovations, axis=0)

    return draw


def bursts(rng, n, p):
    """Cubes of Laplace variables: mostly tiny, rarely very large."""
    return laplace(rng, n, p) ** 3 / np.sqrt(90)


def walk(rng, n, p):
    """Gaussian random walks; not of unit variance."""
    return np.cumsum(gaussian(rng, n, p), axis=0)


def walk_windows(rng, n, p):
    """Windows of n steps of one Gaussian random walk; not of unit variance."""
    return np.lib.stride_tricks.sliding_window_view(walk(rng, 1, p + n - 1)[:, 0], n)


def pink(rng, n, p):
    """Gaussian noise with a power spectrum of 1 / frequency."""
    spectrum = np.fft.rfft(gaussian(rng, n, p), axis=0)
    spectrum *= np.maximum(np.arange(len(spectrum)), 1)[:, None] ** -0.5
    noise = np.fft.irfft(spectrum, p, axis=0)
    return noise / noise.std()


def slow(rng, n, p, waves=6):
    """Smooth Gaussian curves with a spectrum up to `waves` periods in all."""
    phases = np.pi * np.outer(np.arange(p) / p, np.arange(1, 2 * waves + 1))
    basis = np.hstack([np.cos(phases), np.sin(phases)])
    return basis @ rng.standard_normal((basis.shape[1], n)) / np.sqrt(2 * waves)


def contrast(rng, p):
    """A factor for each sample: log-normal, of unit mean square."""
    return np.exp(rng.normal(scale=0.6, size=(p, 1)) - 0.36)


def same_contrast(values):
    """Every sample is multiplied by a random contrast."""
    return lambda rng, n, p: values(rng, n, p) * contrast(rng, p)


def elliptical_student(rng, n, p):
    """Multivariate t with three degrees of freedom, the same in all directions."""
    return gaussian(rng, n, p) / np.sqrt(rng.chisquare(3, (p, 1)))


def shared_support(values, groups, theta=0.3):
    """Samples that are active or not, in all columns of a group at once."""

    def draw(rng, n, p):
        active = rng.random((p, groups)) < theta
        return values(rng, n, p) * active[:, np.arange(n) % groups] / np.sqrt(theta)

    return draw


def oversampled(values):
    """Repeats a tenth of the samples ten times, so that copies are about half of all, in random order."""

    def draw(rng, n, p):
        once = values(rng, n, p // 2 + 1)
        minority = rng.integers(len(once) // 10, size=p - len(once))
        return np.concatenate([once, once[minority]])[rng.permutation(p)]

    return draw


def repeated(values, shuffled=False):
    """Repeats every sample REPEATS times: consecutively, or in random order."""

    def draw(rng, n, p):
        rows = np.arange(p) // REPEATS
        return values(rng, n, rows[-1] + 1)[rng.permutation(rows) if shuffled else rows]

    return draw


def upsampled(values):
    """UPSAMPLING samples for one, by linear interpolation."""

    def draw(rng, n, p):
        time = np.arange(p) / UPSAMPLING
        before, part = time.astype(int), (time % 1)[:, None]
        coarse = values(rng, n, before[-1] + 2)
        return (1 - part) * coarse[before] + part * coarse[before + 1]

    return draw


def sorted_classes(values, classes=5):
    """Samples sorted by class. In each class columns have different standard deviations, from 1/3 to 3."""

    def draw(rng, n, p):
        scales = np.exp(rng.uniform(-np.log(3), np.log(3), (classes, n)))
        return values(rng, n, p) * scales[np.sort(rng.integers(classes, size=p))]

    return draw


def drifting(values):
    """Every column has a slowly changing amplitude; one standard deviation is a factor of two."""
    return lambda rng, n, p: values(rng, n, p) * np.exp(np.log(2) * slow(rng, n, p))


def rhythms(rng, n, p):
    """Signals as in an electroencephalogram: Laplace noise through a resonance (one pair of poles per column), in
    bursts."""
    radius, angle = rng.uniform(0.85, 0.95, n), 2 * np.pi * rng.uniform(0.01, 0.2, n)
    innovations = laplace(rng, n, p)
    waves = [lfilter([1], [1, -2 * r * np.cos(w), r * r], column) for r, w, column in zip(radius, angle, innovations.T)]
    spells = np.exp(0.6 * slow(rng, n, p, waves=max(p // 100, 6)))
    signals = np.array(waves).T * spells
    return signals / signals.std(axis=0)
