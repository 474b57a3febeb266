# SPDX-License-Identifier: Apache-2.0
from figures import subplots
from finding import Finding, iterations_to_maximum


def draw(tables):
    figure, axes = subplots(2, sharey=True)
    for ax, (n, run) in zip(axes, tables["runs"].groups("n")):
        ax.plot(run["iteration"], run["value"], "o-")
        ax.set(title=f"n = {n}", xlabel="iteration", ylim=(0, 1.05))
    axes[0].set_ylabel(r"$\|A\|_4^4/n$")
    return figure


def findings(tables):
    return [
        Finding(f"iterations to the maximum, n = {n}", "fewer than 10", iterations_to_maximum(run))
        for n, run in tables["runs"].groups("n")
    ]
