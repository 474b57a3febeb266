# SPDX-License-Identifier: Apache-2.0
import numpy as np

from figures import add_error_bar, phase_diagram, subplots
from finding import Finding, cut_off, percent
from table import Table

# Possible error levels of the boundary of the working range. Halfway is where learning begins to work. At a low level
# and a small dimension, the error of successful runs, from few samples, also matters.
HALFWAY = 0.5
LEVELS = (0.1, 0.2, HALFWAY)


def boundary(tables, level):
    """Points (n, p) where the mean error falls below a level, for dimensions at which this happens within the grid; p
    is interpolated linearly in log p. For a dimension in both grids, the one with more trials counts."""
    points = {}
    for name in ("large", "small"):
        errors, dimensions, sizes = tables[name].pivot("n", "p", "error")
        for n, row in zip(dimensions, errors):
            above = np.flatnonzero(row >= level)
            if len(above) > 0 and above[-1] + 1 < len(row):
                at = slice(above[-1], above[-1] + 2)
                points[n] = np.exp(np.interp(-level, -row[at], np.log(sizes[at])))
    return sorted(points.items())


def exponent(points):
    """The exponent e of p ∝ n^e, fitted in logarithms; NaN for fewer than two points."""
    if len(points) < 2:
        return np.nan
    n, p = np.log(points).T
    return np.polyfit(n, p, 1)[0]


def draw(tables):
    figure, axes = subplots(2, width=5, height=4.2)
    for ax, table in zip(axes, (tables["small"], tables["large"])):
        trials = len(table.values("trial"))
        title = f"θ = {table['theta'][0]:g}, {'one trial' if trials == 1 else f'mean of {trials} trials'}"
        image = phase_diagram(ax, table, "p", "n", title)
    add_error_bar(figure, image, axes)
    return figure


def findings(tables):
    found = [
        Finding(f"p at which the mean error falls through {percent(HALFWAY)}, n = {n}", "",
                f"{p:.0f} = {p / n**2:.2f} n²")
        for n, p in boundary(tables, HALFWAY)
    ]
    for level in LEVELS:
        points = boundary(tables, level)
        found.append(Finding(f"e of p ∝ n^e where the mean error falls through {percent(level)}, {len(points)} points",
                             "2", f"{exponent(points):.2f}"))
    return [*found, cut_off(Table(tables["small"].rows + tables["large"].rows))]
