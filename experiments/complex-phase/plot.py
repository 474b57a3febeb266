# SPDX-License-Identifier: Apache-2.0
import numpy as np

from figures import METHODS, add_error_bar, phase_diagram, subplots
from finding import Finding

EXACT = 1e-10
FIELDS = ("real", "complex")


def mark_exact(ax, table):
    """Marks each cell in which all trials were exact with a dot."""
    worst, _, _ = table.pivot("theta", "p", "error", np.max)
    rows, columns = np.nonzero(worst < EXACT)
    ax.plot(columns, rows, "w.", markersize=3)


def draw(tables):
    methods = tables["real"].values("method")
    figure, axes = subplots(len(methods), rows=len(FIELDS), width=3.6, height=3.4, sharey="row")
    for row, field in zip(axes, FIELDS):
        for ax, (method, table) in zip(row, tables[field].groups("method")):
            image = phase_diagram(ax, table, "p", "theta", f"{METHODS[method]}, {field}")
            mark_exact(ax, table)
        for ax in row[1:]:
            ax.set_ylabel("")
    add_error_bar(figure, image, axes)
    trials = len(tables["real"].values("trial"))
    n = tables["real"]["n"][0]
    figure.suptitle(f"n = {n:g}, {trials} trials; white dot: all exact (error below {EXACT:g})", fontsize=10)
    return figure


def exact(table):
    """Whether all trials are exact, for each (theta, p)."""
    return table.pivot("theta", "p", "error", np.max)[0] < EXACT


def findings(tables):
    found = []
    for method in tables["real"].values("method"):
        real, other = (tables[field].where(method=method) for field in FIELDS)
        for field, table in zip(FIELDS, (real, other)):
            errors = table["error"]
            found.append(Finding(f"{METHODS[method]}, {field} samples: share of the grid that is exact (error below "
                                 f"{EXACT:g}); with an error below 2 %", "",
                                 f"{100 * np.mean(errors < EXACT):.0f} %; {100 * np.mean(errors < 0.02):.0f} %"))
        if method == "auto":
            found.append(Finding("points of the grid where all real trials are exact, and complex ones aren't; and the "
                                 "other way round", "",
                                 f"{np.sum(exact(real) & ~exact(other))}; {np.sum(exact(other) & ~exact(real))}"))
    return found
