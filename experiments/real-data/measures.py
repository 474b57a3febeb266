# SPDX-License-Identifier: Apache-2.0
"""Measures of components. Sources are their coefficients, samples × components."""

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.stats import hypergeom, rankdata

FAR = 3  # in standard deviations: samples beyond are members of a component
DISCOVERY_RATE = 1e-5  # false discovery rate (Benjamini–Hochberg) over all sets for one component; pymodulon's default


def standardized(sources):
    centred = sources - sources.mean(axis=0)
    return centred / centred.std(axis=0)


def matched(wanted, found):
    """For each column of `wanted`, the |correlation| with its partner in `found`, which must have at least as many
    columns. Partners are matched one to one, for the largest sum."""
    correlation = np.abs(standardized(wanted).T @ standardized(found)) / len(wanted)
    rows, columns = linear_sum_assignment(correlation, maximize=True)
    return correlation[rows, columns]


def again(sources, others):
    """The reproducibility of each component: the mean |correlation| with its partners in other runs."""
    return np.mean([matched(sources, other) for other in others], axis=0)


def members(sources):
    """The membership of samples in components, samples × components."""
    return np.abs(standardized(sources)) > FAR


def chances(chosen, sets):
    """The probability that a random choice of the same size contains at least as many elements of a set, for each
    column of `chosen` and each of `sets`, both boolean (Fisher's exact test, one-sided)."""
    common = chosen.T.astype(float) @ sets
    return hypergeom.sf(common - 1, len(sets), sets.sum(axis=0), chosen.sum(axis=0)[:, np.newaxis])


def enriched(sources, sets):
    """For each component, whether its members are enriched in some set."""
    ordered = np.sort(chances(members(sources), sets), axis=1)
    count = ordered.shape[1]
    return np.any(ordered <= DISCOVERY_RATE * np.arange(1, count + 1) / count, axis=1)


def rank_auc(scores, labels):
    """The probability that a labelled element has a larger score than an unlabelled one; ties count half. One half if
    all or none are labelled."""
    positive, negative = np.count_nonzero(labels), np.count_nonzero(~labels)
    if positive == 0 or negative == 0:
        return 0.5
    return float((rankdata(scores)[labels].sum() - positive * (positive + 1) / 2) / (positive * negative))


def variance_kept(x, back):
    """The share of the samples' variance that the reconstructions have."""
    return float(1 - np.sum((x - back) ** 2) / np.sum((x - x.mean(axis=0)) ** 2))
