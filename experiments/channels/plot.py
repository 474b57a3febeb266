# SPDX-License-Identifier: Apache-2.0
import numpy as np

from figures import drawable, legend_outside, subplots
from finding import Finding, spread


def text(value):
    return f"{value:.2g}"


def draw(tables):
    figure, (left, right) = subplots(2, width=5.4)
    for n, table in tables["random"].groups("n"):
        sizes = sorted(table.values("p"))
        middle = [np.median(table.where(p=p)["rms"]) for p in sizes]
        left.plot(np.array(sizes) / n, drawable(np.array(middle)), "o-", label=f"n = {n}")
    left.set(xscale="log", yscale="log", xlabel="samples per antenna", ylabel="rms deviation from a shifted DFT",
             title="line of sight, random angles")
    left.legend()
    table = tables["multipath"]
    counts = [1, 2, 4, 8]
    for model, rows in table.groups("model"):
        gains = [1 - rows.where(basis="auto")[f"energy_{k}"][0] for k in counts]
        of_dft = [1 - rows.where(basis="DFT")[f"energy_{k}"][0] for k in counts]
        right.plot(counts, np.array(gains) / of_dft, "o-", label=model)
    right.axhline(1, color="0.5", linestyle="--")
    right.set(xscale="log", xlabel="coefficients kept", ylabel="energy lost, auto over DFT", title="multipath",
              xticks=counts, xticklabels=counts)
    legend_outside(right)
    return figure


def findings(tables):
    found = []
    for n, table in tables["grid"].groups("n"):
        for method, rows in table.groups("method"):
            found.append(Finding(f"angles on the grid, n = {n}, {method}: largest deviation of an atom from the DFT", "",
                                 spread(rows["largest"], text)))
    for n, table in tables["equispaced"].groups("n"):
        found.append(Finding(f"8n equispaced frequencies, n = {n}: largest deviation from a DFT with one common shift", "",
                             spread(table["largest"], text)))
    for n, table in tables["random"].groups("n"):
        for p, rows in table.groups("p"):
            found.append(Finding(f"random angles, n = {n}, {p} samples: root mean square deviation from a shifted DFT", "",
                                 spread(rows["rms"], text)))
    for model, table in tables["multipath"].groups("model"):
        for basis, rows in table.groups("basis"):
            found.append(Finding(f"{model}: mean ‖Ay‖₄⁴ with {basis}; energy in 1, 2, 4 and 8 coefficients", "",
                                 f"{rows['fourth_power'][0]:.3f}; " + ", ".join(
                                     f"{100 * rows[f'energy_{k}'][0]:.1f} %" for k in (1, 2, 4, 8))))
    return found
