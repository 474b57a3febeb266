# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of a run: `draw(folder)`, or `draw.py FOLDER` on the command line."""

import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import judge  # noqa: E402
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
import pandas  # noqa: E402
from classes import NULL  # noqa: E402

STYLE = pathlib.Path(__file__).resolve().parents[1] / "orthodict.mplstyle"


def reliability(atoms):
    """Mean cos^2 against mean confidence, and the number of atoms, per bin."""
    bins = judge.bin_table(atoms)
    judged = (bins["atoms"] >= judge.BIN_ATOMS) & (bins["fits"] >= judge.BIN_FITS)
    figure, (above, below) = plt.subplots(2, figsize=(4.8, 6), sharex=True, height_ratios=[3, 1])
    ends = np.array([0, 1])
    above.plot(ends, ends, color="C6", linewidth=0.8, label="calibrated")
    above.plot(ends, ends - judge.LIMITS["bin"], color="C8", linestyle=":", label="limit")
    above.plot(bins["confidence"], bins["cos2"], color="C0")
    above.plot(bins["confidence"][judged], bins["cos2"][judged], "o", color="C0", label="atoms by confidence")
    above.plot(bins["confidence"][~judged], bins["cos2"][~judged], "o", color="C0", mfc="white", label="few atoms")
    above.set(xlim=(0, 1), ylim=(0, 1.02), ylabel="mean cos² with the true atom", title="Is confidence right?")
    above.legend(loc="lower right")
    below.bar(bins["from"], bins["atoms"], width=0.9 / judge.BINS, align="edge", color="C0")
    below.set(yscale="log", xlabel="confidence", ylabel="atoms")
    return figure


def rates(axes, table, columns):
    """Dots, with one colour per column of rates and one row per class."""
    for number, (column, label) in enumerate(columns.items()):
        if column in table:
            axes.plot(table[column], np.arange(len(table)), "os^"[number], color=f"C{number}", label=label)
    axes.set(xlim=(-0.03, 1.03), ylim=(len(table) - 0.5, -0.5))
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(columns))


def by_class(classes):
    """Accuracy and rates of each class with a truth; below them, shares for the null classes."""
    known, null = classes[classes["kind"] != NULL].copy(), classes[classes["kind"] == NULL]
    if "best_peer" in known:
        known["peer"] = [row.get(row["best_peer"], np.nan) for _, row in known.iterrows()]
    parts = [part for part in (known, null) if len(part)]
    figure, grid = plt.subplots(len(parts), 2, figsize=(10, 0.2 * len(classes) + 1 + len(parts)), sharey="row",
                                squeeze=False, height_ratios=[len(part) + 2 for part in parts])  # fmt: skip
    for row, part in zip(grid, parts):
        if part is null:
            rates(row[0], part, {"confident": "atoms above 0.9, nothing to find", "not_doubted": "above 0.5"})
            row[1].axis("off")
        else:
            rates(row[0], part, {"ours": "mean cos²", "peer": "best peer"})
            rates(row[1], part, {"missed": "missed", "confident_wrong": "confident, wrong", "sure": "right, confident"})
        row[0].set_yticks(range(len(part)), part["class"])
    return figure


def read(path):
    """Reads a table of a run. The kind "null" is text, which pandas would take for a missing value."""
    return pandas.read_csv(path, keep_default_na=False, na_values=[""])


def draw(folder):
    folder = pathlib.Path(folder)
    atoms, classes = read(folder / "atoms.csv"), read(folder / "classes.csv")
    with plt.style.context(STYLE):
        for name, figure in (("reliability", reliability(atoms)), ("classes", by_class(classes))):
            figure.savefig(folder / f"{name}.png")
            plt.close(figure)


if __name__ == "__main__":
    draw(sys.argv[1])
