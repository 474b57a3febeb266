# SPDX-License-Identifier: Apache-2.0
import numpy as np

from figures import AXES, legend_outside, plot_trials, subplots
from finding import Finding, spread


def power_law(x, y):
    """(exponent, factor) of the power law y = factor·x^exponent, fitted in logarithms."""
    exponent, offset = np.polyfit(np.log(x), np.log(y), 1)
    return exponent, np.exp(offset)


def draw(tables):
    table = tables["deviations"]
    figure, ax = subplots(1, width=6.4, height=3.8)
    plot_trials(ax, table, "p", "supremum", color="C0", linestyle="none", label="largest over A")
    plot_trials(ax, table, "p", "at_truth", color="C1", marker="s", linestyle="none", label=r"at $A=D_o^{T}$")
    exponent, factor = power_law(table["p"], table["supremum"])
    sizes = np.array(table.values("p"), dtype=float)
    ax.plot(sizes, factor * sizes**exponent, "-", color="C0", label=rf"fit, $p^{{{exponent:.2f}}}$")
    ax.plot(sizes, 2 * table["supremum"].max() * (sizes / sizes[0]) ** -0.5, "--", color="0.5", label=r"$p^{-1/2}$")
    ax.set(xscale="log", yscale="log", xlabel=AXES["p"], ylabel=r"$|\hat f(A,Y)-f(A)|/np$",
           title=f"n = {table['n'][0]:g}, θ = {table['theta'][0]:g}")
    legend_outside(ax)
    return figure


def findings(tables):
    table = tables["deviations"]
    exponent, _ = power_law(table["p"], table["supremum"])
    found = [Finding("exponent of p in the largest deviation over A", "−1/2 up to logarithms", f"{exponent:.3f}")]
    for p in (min(table.values("p")), max(table.values("p"))):
        found.append(Finding(f"largest deviation over A, p = {p}", "",
                             spread(table.where(p=p)["supremum"], "{:.2g}".format)))
    return found
