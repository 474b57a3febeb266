# SPDX-License-Identifier: Apache-2.0
import numpy as np

from figures import legend_outside, subplots
from finding import Finding, how_many, spread

COLORS = {"O(n)": "C0", "U(n)": "C1"}


def ends(table):
    """The last iteration and value of each trial."""
    last = [(rows["iteration"][-1], rows["value"][-1]) for _, rows in table.groups("trial")]
    return np.array(last).T


def draw(tables):
    figure, axes = subplots(2, sharey=True)
    for ax, (n, of_size) in zip(axes, tables["iterations"].groups("n")):
        for group, table in of_size.groups("group"):
            for trial, rows in table.groups("trial"):
                ax.plot(rows["iteration"], rows["value"], "-", color=COLORS[group], alpha=0.25,
                        label=group if trial == 0 else None)
        ax.set(title=f"n = {n}", xlabel="iteration", ylim=(0, 1.05))
    axes[0].set_ylabel(r"$\|A\|_4^4/n$")
    legend_outside(axes[-1])
    return figure


def findings(tables):
    found = []
    for n, of_size in tables["iterations"].groups("n"):
        for group, table in of_size.groups("group"):
            iterations, values = ends(table)
            found += [Finding(f"{group}, n = {n}: starts that end at the maximum", "", how_many(values > 1 - 1e-9)),
                      Finding(f"{group}, n = {n}: iterations until nothing moves", "", spread(iterations))]
    return found
