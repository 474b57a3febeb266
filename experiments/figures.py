# SPDX-License-Identifier: Apache-2.0
"""What the pictures of several experiments share."""

from matplotlib.colors import Normalize
import matplotlib.pyplot as plt
import numpy as np

# Names of methods in pictures and tables.
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
# A method has the same colour and marker in every picture.
STYLES = {
    name: {"color": f"C{number % 9}", "marker": "osDv^<>PX*h"[number]} for number, name in enumerate(METHODS)
}
# Names of columns on axes.
AXES = {
    "p": "samples p",
    "n": "dimension n",
    "theta": "share of nonzeros θ",
    "error": r"error  $|1-\|AD_o\|_4^4/n|$",
}
# Below rounding there is nothing to draw.
ROUNDING = 1e-16


def subplots(columns, width=4.6, height=3.6, rows=1, **options):
    """A figure of `rows` × `columns` panels of the given size in inches, and its axes."""
    return plt.subplots(rows, columns, figsize=(width * columns, height * rows), **options)


def legend_outside(axes, **options):
    """A legend to the right of the data, never on it."""
    return axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), **options)


def drawable(values):
    """Values for a logarithmic axis: what is zero is at rounding."""
    return np.maximum(values, ROUNDING)


def plot_trials(axes, table, x, y, shift=1.0, **style):
    """Draws the median of `y` over trials against `x`, with bars from the least to the largest; `shift` times x keeps
    bars of several curves apart on a logarithmic axis."""
    at = np.array(table.values(x))
    trials = [drawable(table.where(**{x: value})[y]) for value in at]
    least, middle, most = np.array([(np.min(t), np.median(t), np.max(t)) for t in trials]).T
    style = {"marker": "o", "capsize": 2, "elinewidth": 0.8, **style}
    axes.errorbar(at * shift, middle, yerr=[middle - least, most - middle], **style)


def phase_diagram(axes, table, x, y, title):
    """Draws the mean error over trials at each value of the columns x and y: red where it is large, blue where it is
    small, as in the paper. Cells are of equal size; tick labels are the values. Returns the errors' image."""
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
