# SPDX-License-Identifier: Apache-2.0
"""Shared by the figures of several experiments."""

from matplotlib.colors import Normalize
import matplotlib.pyplot as plt
import numpy as np

# Names of methods in figures and tables.
METHODS = {
    "auto": "auto",
    "msp": "ℓ4-MSP",
    "msp:l3": "ℓ3-MSP",
    "ksvd": "K-SVD",
    "ksvd_fixed": "K-SVD, T = θn",
    "online": "online learning",
    "subgradient": "subgradient",
    "subgradient_oracle": "subgradient, stopped by the truth",
    "fastica": "FastICA",
    "fastica_deflation": "FastICA, deflation",
    "pca": "PCA",
}
# The colour and marker of each method, the same in every figure.
STYLES = {
    name: {"color": f"C{number % 9}", "marker": "osDv^<>PX*h"[number]} for number, name in enumerate(METHODS)
}
# Axis labels of columns.
AXES = {
    "p": "samples p",
    "n": "dimension n",
    "theta": "share of nonzeros θ",
    "error": r"error  $|1-\|AD_o\|_4^4/n|$",
}
# Smaller values are at the level of rounding.
ROUNDING = 1e-16


def subplots(columns, width=4.6, height=3.6, rows=1, **options):
    """A figure of `rows` × `columns` panels of the given size in inches, and its axes."""
    return plt.subplots(rows, columns, figsize=(width * columns, height * rows), **options)


def legend_outside(axes, **options):
    """A legend to the right of the data, never on it."""
    return axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), **options)


def drawable(values):
    """Values for a logarithmic axis, with zeros raised to the level of rounding."""
    return np.maximum(values, ROUNDING)


def plot_trials(axes, table, x, y, shift=1.0, **style):
    """Draws the median of `y` over trials against `x`, with bars from the minimum to the maximum. x is multiplied by
    `shift`, to separate the bars of several curves on a logarithmic axis."""
    at = np.array(table.values(x))
    trials = [drawable(table.where(**{x: value})[y]) for value in at]
    least, middle, most = np.array([(np.min(t), np.median(t), np.max(t)) for t in trials]).T
    style = {"marker": "o", "capsize": 2, "elinewidth": 0.8, **style}
    axes.errorbar(at * shift, middle, yerr=[middle - least, most - middle], **style)


def phase_diagram(axes, table, x, y, title):
    """Draws the mean error over trials at each value of the columns x and y: red if large, blue if small, as in the
    paper. Cells have equal size; tick labels are the values. Returns the image of errors."""
    errors, ys, xs = table.pivot(y, x, "error")
    image = axes.imshow(errors, origin="lower", aspect="auto", cmap="RdYlBu_r", norm=Normalize(0, 1))
    axes.set(title=title, xlabel=AXES[x], ylabel=AXES[y])
    for axis, values in ((axes.xaxis, xs), (axes.yaxis, ys)):
        every = int(np.ceil(len(values) / 10))
        axis.set_ticks(range(0, len(values), every), [f"{value:g}" for value in values[::every]])
    axes.tick_params(axis="x", rotation=45)
    axes.grid(False)
    return image


def add_error_bar(figure, image, axes):
    """The colour bar of phase diagrams."""
    figure.colorbar(image, ax=axes, label="mean " + AXES["error"])
