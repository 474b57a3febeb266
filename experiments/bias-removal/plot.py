# SPDX-License-Identifier: Apache-2.0
import numpy as np

from figures import AXES, legend_outside, plot_trials, subplots
from finding import Finding, cut_off, how_many, percent, spread


def all_found(trials):
    """Whether each trial found every atom, that is, has an atom within about 25 degrees of each true one."""
    return trials["worst_cosine"] > 0.9


def draw(tables):
    figure, (left, right) = subplots(2, width=5.4)
    for number, (n, runs) in enumerate(tables["iterations"].groups("n")):
        plot_trials(left, runs, "fraction", "iterations", color=f"C{number}", marker="os^"[number],
                    label=f"n = {n}, p = {runs['p'][0]:g}")
    left.set(title="iterations: median and range", xlabel=r"share of the bias $12p\theta^2A$ that is removed",
             ylabel="iterations until nothing moves")
    left.set_ylim(bottom=0)
    for number, (fraction, runs) in enumerate(tables["basin"].groups("fraction")):
        plot_trials(right, runs, "p", "error", 0.97 * 1.03**number, color=f"C{number + 3}", marker="Dv>"[number],
                    label=f"share {fraction:g} removed")
    basin = tables["basin"]
    right.set(title=f"errors, n = {basin['n'][0]:g}: median and range of {len(basin.values('trial'))} trials",
              xlabel=AXES["p"], ylabel=AXES["error"], xscale="log", yscale="log")
    right.set_xticks(basin.values("p"), [f"{p:g}" for p in basin.values("p")])
    right.set_yticks([0.01, 0.02, 0.05, 0.1, 0.2, 0.5], ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5"])
    right.minorticks_off()
    for ax in (left, right):
        legend_outside(ax)
    return figure


def findings(tables):
    found = []
    for n, runs in tables["iterations"].groups("n"):
        for fraction in (0, 0.5, 1):
            found.append(Finding(f"iterations with the share {fraction:g} of the bias removed, n = {n}",
                                 "fewer than without" if fraction > 0 else "",
                                 spread(runs.where(fraction=fraction)["iterations"])))
    for p, runs in tables["basin"].groups("p"):
        if np.all(all_found(runs)):
            continue
        for fraction, trials in runs.groups("fraction"):
            setting = f"n = {trials['n'][0]:g}, p = {p}, share {fraction:g} removed"
            found.append(Finding(f"trials that find every atom, and error; {setting}", "",
                                 f"{how_many(all_found(trials))}, {spread(trials['error'], percent)}"))
    return [*found, cut_off(tables["basin"])]
