# SPDX-License-Identifier: Apache-2.0
"""Accuracy of learned atoms."""

import numpy as np
from scipy.optimize import linear_sum_assignment


def energies(analysis, problem):
    """K x n: the share of each true source in the variance of each learned coefficient, without noise."""
    gains = np.square(analysis @ problem.dictionary.T * problem.sources.std(axis=0))
    return gains / np.maximum(gains.sum(axis=1, keepdims=True), np.finfo(float).tiny)


def partners(analysis, problem):
    """The true atom matched to each learned one, one to one, for the largest sum of energies. Matching is by sources,
    with their amplitudes, because nearly parallel atoms can't be distinguished in the samples' space."""
    rows, columns = linear_sum_assignment(energies(analysis, problem), maximize=True)
    assert np.array_equal(rows, np.arange(len(analysis))), "no more atoms than true ones"
    return columns


def cosines_squared(atoms, partner, problem):
    """cos^2 of the angle between each learned atom and its partner, in the space of the samples."""
    truth = problem.dictionary[partner]
    products = np.square(np.sum(atoms * truth, axis=1))
    return products / (np.sum(np.square(atoms), axis=1) * np.sum(np.square(truth), axis=1))


def score(atoms, analysis, problem):
    """cos^2 between each learned atom and its partner, and whether the partner is identifiable."""
    partner = partners(analysis, problem)
    return cosines_squared(atoms, partner, problem), problem.identifiable[partner]
