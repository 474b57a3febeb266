# SPDX-License-Identifier: Apache-2.0
from figures import legend_outside, subplots
from finding import Finding, how_many, spread


def draw(tables):
    figure, axes = subplots(2, sharey=True)
    for ax, (n, trials) in zip(axes, tables["trials"].groups("n")):
        ax.plot(trials["trial"], trials["first"], "s", label="start")
        ax.plot(trials["trial"], trials["last"], "o", label="end")
        ax.set(title=f"n = {n}", xlabel="trial", ylim=(0, 1.05))
    axes[0].set_ylabel(r"$\|A\|_4^4/n$")
    legend_outside(axes[-1])
    return figure


def findings(tables):
    found = []
    for n, trials in tables["trials"].groups("n"):
        found += [
            Finding(f"starts that end at the maximum, n = {n}", "100 of 100", how_many(trials["last"] > 1 - 1e-9)),
            Finding(f"iterations until nothing moves, n = {n}", "", spread(trials["iterations"])),
        ]
    return found
