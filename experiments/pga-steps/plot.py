# SPDX-License-Identifier: Apache-2.0
from figures import AXES, legend_outside, plot_trials, subplots
from finding import Finding, how_many, spread

# Table 1: iterations by dimension and step.
PAPER = {
    5: {1: 13, 10: 5, 100: 4, "inf": 4},
    25: {1: 23, 10: 7, 100: 5, "inf": 5},
    50: {1: 35, 10: 10, 100: 8, "inf": 6},
    100: {1: 63, 10: 12, 100: 9, "inf": 9},
    200: {1: 70, 10: 14, 100: 11, "inf": 9},
}
READINGS = {"gradient": "A + α·4A³, as Algorithm 3 is written", "cube": "A + α·A³, without the 4"}


def step_name(alpha):
    return "∞" if alpha == "inf" else f"{alpha:g}"


def draw(tables):
    figure, axes = subplots(2, sharey=True)
    for ax, (reading, title) in zip(axes, READINGS.items()):
        for number, (alpha, counts) in enumerate(tables["counts"].where(reading=reading).groups("alpha")):
            shift = 0.91 * 1.065**number
            style = {"color": f"C{number}", "marker": "os^v"[number]}
            plot_trials(ax, counts, "n", "iterations", shift, label=f"α = {step_name(alpha)}", **style)
            ax.plot([n * shift for n in PAPER], [row[alpha] for row in PAPER.values()], "x", color=style["color"],
                    markersize=7)
        ax.plot([], [], "kx", markersize=7, label="the paper's counts")
        ax.set(title=title, xlabel=AXES["n"], xscale="log", yscale="log")
        ax.set_xticks(list(PAPER), [str(n) for n in PAPER])
        ax.set_yticks([3, 5, 10, 20, 50], ["3", "5", "10", "20", "50"])
        ax.minorticks_off()
    axes[0].set_ylabel("iterations to the maximum")
    legend_outside(axes[-1])
    return figure


def findings(tables):
    counts = tables["counts"]
    found = []
    for n, row in PAPER.items():
        for reading, title in READINGS.items():
            ours = [counts.where(n=n, reading=reading, alpha=alpha)["iterations"] for alpha in row]
            found.append(Finding(f"O({n}), α = {', '.join(map(step_name, row))}; {title}",
                                 ", ".join(map(str, row.values())), ", ".join(map(spread, ours))))
    for reading, title in READINGS.items():
        within = []
        for n, row in PAPER.items():
            for alpha, count in row.items():
                ours = counts.where(n=n, reading=reading, alpha=alpha)["iterations"]
                within.append(min(ours) <= count <= max(ours))
        found.append(Finding(f"the paper's counts that are within the range of our starts; {title}", "",
                             how_many(within)))
    return found
