# SPDX-License-Identifier: Apache-2.0
import numpy as np

from figures import legend_outside, subplots
from finding import Finding

QUARTER = np.pi / 4


def fixed_points(table):
    """The fixed points as multiples of π/4: attracting and repelling ones. A fixed point is attracting if the map moves
    its neighbours closer to it."""
    angle, measured, fixed = table["angle"], table["measured"], table["fixed"]
    stable, unstable = [], []
    for i in np.flatnonzero(fixed):
        neighbours = [j for j in (i - 1, i + 1) if 0 <= j < len(angle)]
        away = np.abs(np.remainder(measured[neighbours] - angle[i] + np.pi, 2 * np.pi) - np.pi)
        nearer = np.all(away < np.abs(angle[neighbours] - angle[i]))
        (stable if nearer else unstable).append(angle[i] / QUARTER)
    return np.array(stable), np.array(unstable)


def draw(tables):
    table = tables["map"]
    angle = table["angle"]
    stable, unstable = fixed_points(table)
    figure, axes = subplots(2, height=3.8)
    for ax, half in zip(axes, (2, 4)):
        inside = np.abs(angle) <= half * QUARTER + 1e-9
        ax.plot(angle[inside], angle[inside], "-", color="0.8", linewidth=1, label="identity")
        ax.plot(angle[inside], table["expected"][inside], "-", color="C0", label=r"$\tan\theta'=\tan^3\theta$")
        few = np.flatnonzero(inside)[:: 5 * half // 2]
        ax.plot(angle[few], table["measured"][few], ".", color="C1", label="one step of Algorithm 1")
        for points, name, face in ((stable, "stable fixed point", "black"), (unstable, "unstable", "white")):
            points = points[np.abs(points) <= half] * QUARTER
            ax.plot(points, points, "ko", markersize=7, markerfacecolor=face, label=name)
        ticks = np.arange(-half, half + 1, half // 2)
        names = {-4: "−π", -2: "−π/2", -1: "−π/4", 0: "0", 1: "π/4", 2: "π/2", 4: "π"}
        ax.set_xticks(ticks * QUARTER, [names[tick] for tick in ticks])
        ax.set_yticks(ticks * QUARTER, [names[tick] for tick in ticks])
        ax.set(xlabel="angle θ before the step", box_aspect=1)
    axes[0].set_ylabel("angle θ' after the step")
    legend_outside(axes[-1])
    return figure


def findings(tables):
    table = tables["map"]
    stable, unstable = fixed_points(table)

    def multiples(points):
        return "k = " + ", ".join(f"{k:g}".replace("-", "−") for k in np.round(points, 9))

    return [
        Finding("largest distance from the map in radians", "0", f"{table['deviation'].max():.0e}"),
        Finding("stable fixed points kπ/4", "even k", multiples(stable)),
        Finding("unstable fixed points kπ/4", "odd k", multiples(unstable)),
    ]
