# SPDX-License-Identifier: Apache-2.0
"""Statistics of atoms and fits: per class, and whether calibration as a whole is within its limits.

`atoms` is a pandas table with one row per learned atom, `fits` one with one row per fit. Its columns `ours`, and one
for each peer, are means of cos^2 over the identifiable atoms.
"""

import numpy as np
import pandas
from classes import NULL

CONFIDENT, DOUBTED = 0.9, 0.5  # confidence above, and below
RIGHT, WRONG = 0.95, 0.7  # cos^2 above, and below
ENOUGH_ATOMS = 20  # least number of atoms for a rate
BINS, BIN_ATOMS, BIN_FITS = 10, 200, 20
LIMITS = {
    "null_confident": 0.01,  # share of the atoms of all null classes above CONFIDENT
    "null_not_doubted": 0.03,  # the same above DOUBTED
    "confident_wrong": 0.05,  # share of a class's confident atoms
    "missed": 0.25,  # share of the right atoms of a solvable class
    "sure": 0.7,  # least share of the same
    "mean_confident_wrong": 0.01,  # over classes
    "mean_missed": 0.1,
    "bin": 0.05,  # largest amount by which the mean cos^2 may be below the mean confidence
    "accuracy": 0.01,  # largest amount below the best peer
}
SOLVED, PEER_SOLVED = 0.95, 0.7  # mean cos^2 of a class: of any method, to count misses; of a peer, to compare with it
STANDARD_ERRORS = 2


def rate(part, whole):
    """The share of `whole` that is also in `part`; NaN if there are too few."""
    return (part & whole).sum() / whole.sum() if whole.sum() >= ENOUGH_ATOMS else np.nan


def compared(fits, peers):
    """Compares ours with the peer of the best mean: the difference over fits, and its standard error."""
    means = {peer: fits[peer].mean() for peer in peers}
    row = {"ours": fits["ours"].mean(), **means, "best_peer": None, "difference": np.nan, "standard_error": np.nan}
    if means:
        row["best_peer"] = best = max(means, key=means.get)
        differences = fits["ours"] - fits[best]
        row["difference"] = differences.mean()
        row["standard_error"] = differences.std() / np.sqrt(len(fits)) if len(fits) > 1 else np.nan
    return row


def class_row(atoms, fits, peers):
    """One row of classes.csv."""
    name, kind = fits["class"].iloc[0], fits["kind"].iloc[0]
    confident, doubted = atoms["confidence"] > CONFIDENT, atoms["confidence"] < DOUBTED
    row = {"class": name, "kind": kind, "fits": len(fits), "atoms": len(atoms), "seconds": fits["seconds"].sum(),
           "confident": confident.mean(), "not_doubted": (atoms["confidence"] > DOUBTED).mean()}  # fmt: skip
    if kind == NULL:
        return row
    right = (atoms["cos2"] > RIGHT) & atoms["identifiable"].astype(bool)
    wrong = atoms["cos2"] < WRONG
    row |= {"right": right.sum(), "confident_wrong": rate(wrong, confident), "missed": rate(doubted, right),
            "sure": rate(confident, right), **compared(fits, peers)}  # fmt: skip
    row["solved"] = max(row["ours"], *(row[peer] for peer in peers), 0) >= SOLVED
    return row


def class_table(atoms, fits, peers):
    groups = fits.groupby("class", sort=False)
    return pandas.DataFrame([class_row(atoms[atoms["class"] == name], group, peers) for name, group in groups])


def bin_table(atoms):
    """Atoms of classes with a truth, binned by confidence into BINS equal parts of [0, 1]."""
    known = atoms[atoms["kind"] != NULL]
    number = np.minimum((known["confidence"] * BINS).astype(int), BINS - 1).rename("bin")
    rows = [{"from": b / BINS, "atoms": len(group), "fits": len(group[["class", "seed"]].drop_duplicates()),
             "confidence": group["confidence"].mean(), "cos2": group["cos2"].mean()}
            for b, group in known.groupby(number)]  # fmt: skip
    return pandas.DataFrame(rows, columns=["from", "atoms", "fits", "confidence", "cos2"])


def check(what, values, limit, at_most=True):
    """Checks a limit for each of the values (a series, by name); NaN values are skipped."""
    values = values.astype(float).dropna()
    failing = values[values > limit] if at_most else values[values < limit]
    worst = (values.max() if at_most else values.min()) if len(values) else None
    return {"what": what, "limit": limit, "judged": len(values), "worst": worst, "passed": failing.empty,
            "failing": {str(name): float(value) for name, value in failing.items()}}  # fmt: skip


def class_checks(known):
    solved = known[known["solved"].astype(bool)]
    yield check("confident atoms of a class that are wrong", known["confident_wrong"], LIMITS["confident_wrong"])
    yield check("right atoms of a solvable class that are missed", solved["missed"], LIMITS["missed"])
    yield check("right atoms of a solvable class that are confident", solved["sure"], LIMITS["sure"], at_most=False)
    for column in ("confident_wrong", "missed"):
        mean = pandas.Series({"mean": known[column].mean()})
        yield check(f"mean over classes: {column.replace('_', ' ')}", mean, LIMITS["mean_" + column])
    held = known[[row.get(row["best_peer"], 0) >= PEER_SOLVED for _, row in known.iterrows()]]
    allowed = np.maximum(STANDARD_ERRORS * held["standard_error"].fillna(0), LIMITS["accuracy"])
    shortfall = (-held["difference"]).where(held["difference"] < -allowed, 0)
    yield check("mean cos^2 below the best peer's, beyond two standard errors", shortfall, LIMITS["accuracy"])


def checks(classes, bins):
    table = classes.set_index("class")
    null, known = table[table["kind"] == NULL], table[table["kind"] != NULL]
    for column, least in (("confident", CONFIDENT), ("not_doubted", DOUBTED)):
        share = (null[column] * null["atoms"]).sum() / max(null["atoms"].sum(), 1)
        yield check(f"atoms of null classes above {least}", pandas.Series({"all": share}), LIMITS["null_" + column])
    if len(known):
        yield from class_checks(known)
    full = bins[(bins["atoms"] >= BIN_ATOMS) & (bins["fits"] >= BIN_FITS)].set_index("from")
    yield check("confidence above cos^2 in a bin", full["confidence"] - full["cos2"], LIMITS["bin"])
