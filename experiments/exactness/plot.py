# SPDX-License-Identifier: Apache-2.0
import numpy as np

from figures import AXES, METHODS, STYLES, drawable, legend_outside, subplots
from finding import Finding, number, percent


def passes_to(run, level):
    """The number of passes over the data until the error is first below a level, in words."""
    there = run["passes"][run["error"] < level]
    if len(there) > 0:
        return number(there[0])
    return "not in the time allowed" if np.any(run.ended_by("time_limit")) else "never"


def draw(tables):
    figure, ax = subplots(1, width=7.2, height=4.2)
    for method, run in tables["errors"].groups("method"):
        # About fifteen markers per curve, for any number of iterations.
        every = max(1, len(run) // 15)
        ax.plot(run["passes"], drawable(run["error"]), markevery=every, label=METHODS[method], **STYLES[method])
    n = tables["errors"]["n"][0]
    ax.set(title=f"n = {n:g}, p = {400 * n:g}, θ = 0.3", xlabel="passes over the data", ylabel=AXES["error"],
           yscale="log")
    ax.set_xscale("symlog", linthresh=1, linscale=0.4)
    ax.set_xlim(left=0)
    legend_outside(ax)
    return figure


def findings(tables):
    return [
        Finding(f"{METHODS[method]}: least error; passes to 1 %; passes to 1e-10; passes in all", "",
                f"{percent(np.min(run['error']))}; {passes_to(run, 0.01)}; {passes_to(run, 1e-10)}; "
                f"{number(run['passes'][-1])}")
        for method, run in tables["errors"].groups("method")
    ]
