# SPDX-License-Identifier: Apache-2.0
"""Findings of experiments, with the paper's values, and the formatting of numbers."""

from dataclasses import asdict, dataclass

import numpy as np


@dataclass
class Finding:
    what: str
    paper: str  # empty if the paper has no value
    ours: str


def to_markdown(findings):
    lines = ["| | paper | here |", "|---|---|---|"]
    lines += [f"| {f.what} | {f.paper or '–'} | {f.ours} |" for f in findings]
    return "\n".join(lines)


def to_json(findings):
    return [asdict(finding) for finding in findings]


def percent(value):
    """0.0034 → "0.34 %"; values at the level of rounding are named as such."""
    if value < 1e-12:
        return "0 to rounding"
    if value >= 0.1:
        return f"{100 * value:.0f} %"
    return f"{100 * value:.2g} %" if value >= 1e-5 else f"{value:.0e}"


def number(value):
    """Three digits: 0.0123, 1.5, 1530."""
    return f"{value:.3g}" if abs(value) < 999.5 else f"{value:.0f}"


def spread(values, text="{:g}".format):
    """[9, 12, 14] → "12 (9–14)": the median, and the range if there is one."""
    middle, least, most = text(np.median(values)), text(np.min(values)), text(np.max(values))
    return middle if least == most else f"{middle} ({least}–{most})"


def how_many(holds):
    """[True, False, True] → "2 of 3"."""
    return f"{np.count_nonzero(holds)} of {len(holds)}"


def cut_off(table):
    """The number of runs that hadn't converged at the iteration limit, as a finding. The error of such a run isn't the
    method's final error."""
    stopped = table.ended_by("max_iterations")
    text = how_many(stopped)
    if np.any(stopped):
        text += f", after {spread(table['iterations'][stopped])} iterations"
    return Finding("runs that were cut off while still moving", "", text)


def iterations_to(run, column, level):
    """The first iteration of a run at which a column is above a level, in words."""
    there = run["iteration"][run[column] > level]
    return f"{there[0]:g}" if len(there) > 0 else f"not within {run['iteration'][-1]:g}"


def iterations_to_maximum(run):
    """The first iteration of a run on the group whose value is indistinguishable, in a plot, from its maximum, 1."""
    return iterations_to(run, "value", 1 - 1e-3)
