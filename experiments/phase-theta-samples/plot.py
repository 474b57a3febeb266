# SPDX-License-Identifier: Apache-2.0
from figures import add_error_bar, phase_diagram, subplots
from finding import Finding, cut_off, percent


def largest_theta(table, level):
    """The largest θ whose mean error is below a level, in words."""
    errors, thetas, _ = table.pivot("theta", "p", "error")
    below = [theta for theta, error in zip(thetas, errors[:, -1]) if error < level]
    return f"{max(below):g}" if below else "none"


def draw(tables):
    table = tables["errors"]
    figure, ax = subplots(1, width=6.4, height=4.4)
    trials = len(table.values("trial"))
    image = phase_diagram(ax, table, "p", "theta", f"ℓ4-MSP, n = {table['n'][0]:g}, mean of {trials} trials")
    add_error_bar(figure, image, ax)
    return figure


def findings(tables):
    table = tables["errors"]
    most = max(table.values("p"))
    found = [
        Finding(f"largest θ with a mean error below {percent(level)}, p = {most}", "about 0.6 if p is large enough",
                largest_theta(table.where(p=most), level))
        for level in (0.02, 0.1)
    ]
    steps = sorted(table.values("theta"))
    found.append(Finding("step of the grid in θ", "", f"{steps[1] - steps[0]:.3g}"))
    return [*found, cut_off(table)]
