# SPDX-License-Identifier: Apache-2.0
import numpy as np

from figures import AXES, drawable, legend_outside, subplots
from finding import Finding, iterations_to_maximum

# The paper compares ℓ4 to ℓ10; ℓ3 comes from later work.
IN_PAPER = (4, 6, 8, 10)


def mean_errors(table):
    """Sample sizes, and the mean error over trials at each."""
    errors, _, sizes = table.pivot("order", "p", "error")
    return np.array(sizes), errors[0]


def samples_needed(table, level):
    """The least number of samples from which the mean error stays below a level, in words."""
    sizes, errors = mean_errors(table)
    above = np.flatnonzero(errors >= level)
    first = above[-1] + 1 if len(above) > 0 else 0
    return f"{sizes[first]:g}" if first < len(sizes) else f"more than {sizes[-1]:g}"


def draw(tables):
    figure, (left, right) = subplots(2)
    for number, (order, run) in enumerate(tables["convergence"].groups("order")):
        style = {"color": f"C{number}", "marker": "Dos^v"[number], "label": f"ℓ{order}"}
        left.plot(run["iteration"], run["value"], **style)
        sizes, errors = mean_errors(tables["samples"].where(order=order))
        right.plot(sizes, drawable(errors), **style)
    n = int(tables["convergence"]["n"][0])
    left.set(title=f"on the orthogonal group, n = {n}", xlabel="iteration", ylabel=r"$\|A\|_q^q/n$")
    trials = len(tables["samples"].values("trial"))
    right.set(title=f"learning, n = 10, θ = 0.3, {trials} trials", xlabel=AXES["p"], ylabel="mean " + AXES["error"],
              xscale="log", yscale="log")
    legend_outside(right)
    return figure


def findings(tables):
    found = []
    for order, run in tables["convergence"].groups("order"):
        claim = "fewer for higher order" if order in IN_PAPER else ""
        found.append(Finding(f"ℓ{order}: iterations to the maximum on the group", claim, iterations_to_maximum(run)))
    for order, trials in tables["samples"].groups("order"):
        claim = "grow drastically with the order" if order in IN_PAPER else ""
        found.append(Finding(f"ℓ{order}: samples for a mean error below 1 %", claim, samples_needed(trials, 0.01)))
    return found
