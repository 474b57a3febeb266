# SPDX-License-Identifier: Apache-2.0
"""What is measured of components. Sources are their coefficients, samples × components."""

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.stats import hypergeom, rankdata

FAR = 3  # standard deviations: samples beyond are a component's members
DISCOVERY_RATE = 1e-5  # of Benjamini and Hochberg, over all sets for one component; pymodulon's default


def standardized(sources):
    centred = sources - sources.mean(axis=0)
    return centred / centred.std(axis=0)


def matched(wanted, found):
    """For each column of `wanted` the |correlation| with its partner in `found`, which has at least as many columns.
    Partners are chosen, one for one, for the largest sum."""
    correlation = np.abs(standardized(wanted).T @ standardized(found)) / len(wanted)
    rows, columns = linear_sum_assignment(correlation, maximize=True)
    return correlation[rows, columns]


def again(sources, others):
    """How well each component comes again in other runs: the mean |correlation| with its partners there."""
    return np.mean([matched(sources, other) for other in others], axis=0)


def members(sources):
    """Which samples belong to which component, samples × components."""
    return np.abs(standardized(sources)) > FAR


def chances(chosen, sets):
    """The probability that a random choice of as many samples has as many of a set among them, or more; for each column
    of `chosen` and each of `sets`, both boolean (Fisher's exact test, one-sided)."""
    common = chosen.T.astype(float) @ sets
    return hypergeom.sf(common - 1, len(sets), sets.sum(axis=0), chosen.sum(axis=0)[:, np.newaxis])


def enriched(sources, sets):
    """For each component, whether its members are those of some set more often than by chance."""
    ordered = np.sort(chances(members(sources), sets), axis=1)
    count = ordered.shape[1]
    return np.any(ordered <= DISCOVERY_RATE * np.arange(1, count + 1) / count, axis=1)


def rank_auc(scores, labels):
    """The probability that one of the labelled has a larger score than one of the others; ties count half. One half
    where all or none are labelled."""
    positive, negative = np.count_nonzero(labels), np.count_nonzero(~labels)
    if positive == 0 or negative == 0:
        return 0.5
    return float((rankdata(scores)[labels].sum() - positive * (positive + 1) / 2) / (positive * negative))


def variance_kept(x, back):
    """The share of the samples' variance that reconstructions have."""
    return float(1 - np.sum((x - back) ** 2) / np.sum((x - x.mean(axis=0)) ** 2))
