# SPDX-License-Identifier: Apache-2.0
"""Measures of axes. Rows of an analysis matrix are axes: the coefficients of samples x are x @ analysis.T."""

import numpy as np
from scipy.optimize import linear_sum_assignment

GAUSSIAN_KURTOSIS = 3
LEADING = 10  # number of leading coefficients of a word, and of leading axes of a method


def coefficients(analysis, x):
    """Coefficients with mean 0, variance 1 and the longer tail on the positive side: the normalisation for
    comparisons."""
    z = x @ analysis.astype(x.dtype).T
    z -= z.mean(axis=0)
    z /= z.std(axis=0)
    return z * np.where(np.mean(z**3, axis=0) < 0, -1, 1).astype(x.dtype)


def kurtosis(z):
    """The kurtosis of each axis."""
    return np.mean(np.square(np.square(z)), axis=0)


def hoyer(z):
    """Hoyer's sparsity of each word: 0 if all coefficients have the same magnitude, 1 if only one is nonzero."""
    root = np.sqrt(z.shape[1])
    return (root - np.abs(z).sum(axis=1) / np.linalg.norm(z, axis=1)) / (root - 1)


def leading_share(z):
    """The share of each word's energy in its LEADING largest coefficients."""
    energy = np.sort(np.square(z), axis=1)
    return energy[:, -LEADING:].sum(axis=1) / energy.sum(axis=1)


def log_cosh(z):
    """FastICA's contrast, the mean of log cosh: smaller is sparser, and a Gaussian has 0.3746."""
    return np.mean(np.logaddexp(z, -z)) - np.log(2)


def spreads(analysis, covariance):
    """The standard deviation of the coefficients along each axis."""
    return np.sqrt(np.einsum("ij,jk,ik->i", analysis, covariance, analysis))


def variance_kept(analysis, covariance):
    """The share of the samples' variance in the span of the LEADING atoms with the most energy."""
    atoms = np.linalg.pinv(analysis).T
    energy = spreads(analysis, covariance) * np.linalg.norm(atoms, axis=1)
    basis, _ = np.linalg.qr(atoms[np.argsort(-energy)[:LEADING]].T)
    return np.trace(basis.T @ covariance @ basis) / np.trace(covariance)


def matched(first, second, covariance):
    """For each axis of the first analysis, the |correlation| between its coefficients and those of its partner in the
    second. Partners are matched one to one, for the largest sum."""
    correlation = np.abs(first @ covariance @ second.T)
    correlation /= np.outer(spreads(first, covariance), spreads(second, covariance))
    rows, columns = linear_sum_assignment(correlation, maximize=True)
    return correlation[rows, columns]
