# SPDX-License-Identifier: Apache-2.0
from figures import legend_outside, subplots
from finding import Finding, how_many, spread

SERIES = {
    "last_truth": (r"end: $\|AD_o\|_4^4/n$", "o", "C0"),
    "last_objective": (r"end: $\|AY\|_4^4/3np\theta$", "s", "C1"),
    "first_truth": (r"start: $\|AD_o\|_4^4/n$", "^", "C2"),
    "first_objective": (r"start: $\|AY\|_4^4/3np\theta$", "v", "C3"),
}


def draw(tables):
    groups = tables["trials"].groups("n")
    figure, axes = subplots(2, rows=len(groups), height=3.1, squeeze=False)
    for (with_start, close_up), (n, trials) in zip(axes, groups):
        for column, (label, marker, color) in SERIES.items():
            with_start.plot(trials["trial"], trials[column], marker, color=color, label=label)
            if column.startswith("last"):
                close_up.plot(trials["trial"], trials[column], marker, color=color)
        setting = f"n = {n}, p = {trials['p'][0]:g}, θ = {trials['theta'][0]:g}"
        with_start.set(title=setting, ylim=(0, 1.1), ylabel="normalised value")
        close_up.set(title=setting + ", ends only")
    for ax in axes[-1]:
        ax.set_xlabel("trial")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside right center")
    return figure


def findings(tables):
    found = []
    for n, trials in tables["trials"].groups("n"):
        found += [
            Finding(f"trials that end at the dictionary (‖AD_o‖₄⁴/n > 0.99), n = {n}", "100 of 100",
                    how_many(trials["last_truth"] > 0.99)),
            Finding(f"last ‖AD_o‖₄⁴/n, n = {n}", "1 with minor errors", spread(trials["last_truth"], "{:.4f}".format)),
            Finding(f"last ‖AY‖₄⁴/3npθ, n = {n}", "1 with minor errors",
                    spread(trials["last_objective"], "{:.4f}".format)),
            Finding(f"iterations until nothing moves, n = {n}", "fewer than 30 to the maximum",
                    spread(trials["iterations"])),
        ]
    return found
