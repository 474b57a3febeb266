# SPDX-License-Identifier: Apache-2.0
from figures import legend_outside, subplots
from finding import Finding, iterations_to


def draw(tables):
    figure, axes = subplots(2, sharey=True)
    for ax, (n, run) in zip(axes, tables["runs"].groups("n")):
        ax.plot(run["iteration"], run["truth"], "o-", label=r"$\|AD_o\|_4^4/n$")
        ax.plot(run["iteration"], run["objective"], "s-", label=r"$\|AY\|_4^4/3np\theta$")
        ax.set(title=f"n = {n}, p = {run['p'][0]:g}, θ = {run['theta'][0]:g}", xlabel="iteration", ylim=(0, 1.05))
    axes[0].set_ylabel("normalised value")
    legend_outside(axes[-1])
    return figure


def findings(tables):
    found = []
    for n, run in tables["runs"].groups("n"):
        truth, objective = run["truth"], run["objective"]
        found += [
            Finding(f"iterations until ‖AD_o‖₄⁴/n is within 0.001 of its last value, n = {n}", "around 20",
                    iterations_to(run, "truth", truth[-1] - 1e-3)),
            Finding(f"the same for ‖AY‖₄⁴/3npθ, n = {n}", "at the same time",
                    iterations_to(run, "objective", objective[-1] - 1e-3)),
            Finding(f"last ‖AD_o‖₄⁴/n, n = {n}", "1 with minor errors", f"{truth[-1]:.4f}"),
            Finding(f"last ‖AY‖₄⁴/3npθ, n = {n}", "1 with minor errors", f"{objective[-1]:.4f}"),
        ]
    return found
