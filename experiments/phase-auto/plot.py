# SPDX-License-Identifier: Apache-2.0
import numpy as np

from figures import METHODS, add_error_bar, phase_diagram, subplots
from finding import Finding

# The tables: the other parameter, and the fixed one.
GRIDS = {"theta_samples": ("theta", "n = 50"), "dimension_samples": ("n", "θ = 0.5")}
EXACT = 1e-10
GOOD = 0.02


def mark_exact(ax, table, y):
    """Marks each cell in which all trials were exact with a dot."""
    worst, _, _ = table.pivot(y, "p", "error", np.max)
    rows, columns = np.nonzero(worst < EXACT)
    ax.plot(columns, rows, "w.", markersize=3)


def draw(tables):
    methods = tables["theta_samples"].values("method")
    figure, axes = subplots(len(methods), rows=len(GRIDS), width=3.6, height=3.4, sharey="row")
    for row, (name, (y, fixed)) in zip(axes, GRIDS.items()):
        for ax, (method, table) in zip(row, tables[name].groups("method")):
            image = phase_diagram(ax, table, "p", y, f"{METHODS[method]}, {fixed}")
            mark_exact(ax, table, y)
        for ax in row[1:]:
            ax.set_ylabel("")
    add_error_bar(figure, image, axes)
    trials = len(tables["theta_samples"].values("trial"))
    figure.suptitle(f"{trials} trials; white dot: all exact (error below {EXACT:g})", fontsize=10)
    return figure


def findings(tables):
    found = []
    for name, (_, fixed) in GRIDS.items():
        for method, table in tables[name].groups("method"):
            errors = table["error"]
            found.append(Finding(
                f"{METHODS[method]}, {fixed}: share of the grid that is exact (error below {EXACT:g}); with an error "
                f"below {100 * GOOD:g} %; cut off while still moving", "",
                f"{100 * np.mean(errors < EXACT):.0f} %; {100 * np.mean(errors < GOOD):.0f} %; "
                f"{100 * np.mean(table.ended_by('max_iterations')):.0f} %"))
    return found
