# SPDX-License-Identifier: Apache-2.0
import numpy as np

from figures import add_error_bar, phase_diagram, subplots
from finding import Finding, cut_off, percent
from table import Table

# Errors that may be taken for the boundary of the working range. Halfway is where learning begins to work; at a low
# level and a small dimension the error of a run that did work, from few samples, counts as well.
HALFWAY = 0.5
LEVELS = (0.1, 0.2, HALFWAY)


def boundary(tables, level):
    """(n, p) where the mean error falls through a level, for the dimensions at which it does so within the grid; p is
    interpolated, linearly in log p. A dimension of both grids is taken from the one of more trials."""
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
    """The e of p ∝ n^e nearest to the points in logarithms; NaN if they are fewer than two."""
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
