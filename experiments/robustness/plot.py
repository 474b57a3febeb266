# SPDX-License-Identifier: Apache-2.0
import numpy as np

from figures import AXES, METHODS, STYLES, legend_outside, plot_trials, subplots
from finding import Finding, how_many, percent, spread
from table import Table

KINDS = {
    "noise": ("Gaussian noise", "standard deviation of the noise"),
    "outliers": ("outliers", "share of samples that are N(0, I)"),
    "corruption": ("corrupted entries", "share of entries with ±1 added"),
}
CLAIM = "generalises well"


def draw(tables):
    figure, axes = subplots(len(KINDS), width=4, sharey=True)
    for ax, (kind, (title, label)) in zip(axes, KINDS.items()):
        for method, runs in tables["errors"].where(kind=kind).groups("method"):
            plot_trials(ax, runs, "level", "error", label=METHODS[method], **STYLES[method])
            stopped = [row for row, is_so in zip(runs.rows, runs.ended_by("max_iterations")) if is_so]
            if stopped:
                ax.plot(Table(stopped)["level"], Table(stopped)["error"], linestyle="none", markerfacecolor="white",
                        markersize=6, zorder=3, **STYLES[method])
        ax.set(title=title, xlabel=label, yscale="log")
    axes[0].set_ylabel(AXES["error"])
    axes[-1].plot([], [], "o", color="0.5", markerfacecolor="white", markersize=6, label="open: cut off, still moving")
    legend_outside(axes[-1])
    return figure


def in_words(trials):
    """The error of the trials at one level, with a note if some were cut off."""
    stopped = trials.ended_by("max_iterations")
    text = spread(trials["error"], percent)
    return f"{text} ({how_many(stopped)} cut off while still moving)" if np.any(stopped) else text


def findings(tables):
    found = []
    for kind, (title, _) in KINDS.items():
        for method, runs in tables["errors"].where(kind=kind).groups("method"):
            levels = runs.values("level")
            picked = [levels[0], levels[len(levels) // 2], levels[-1]]
            errors = [in_words(runs.where(level=level)) for level in picked]
            found.append(Finding(f"{title}, {METHODS[method]}: error at level {', '.join(f'{x:g}' for x in picked)}",
                                 CLAIM if method == "msp" else "", ", ".join(errors)))
    return found
