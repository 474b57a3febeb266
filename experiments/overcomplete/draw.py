#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what run.py and reliability.py wrote to OUTPUT/overcomplete: where the atoms are found (reach.png) and what
confidence means (reliability.png). --docs also renews those of docs/overcomplete.md."""

import argparse
import json
import pathlib
import shutil

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import reliability
import run

HERE = pathlib.Path(__file__).resolve().parent


def draw_phase(axes, shares):
    image = axes.imshow(np.array(shares), origin="lower", aspect="auto", cmap="RdYlBu", vmin=0, vmax=1)
    axes.set(title=f"exact atoms, n = {run.PHASE['n']}, {run.PHASE['samples_per_atom']} samples per atom",
             xlabel="nonzeros of a code", ylabel="m/n")
    axes.set_xticks(range(len(run.PHASE["nonzeros"])), run.PHASE["nonzeros"])
    axes.set_yticks(range(len(run.PHASE["ratios"])), run.PHASE["ratios"])
    axes.grid(False)
    axes.figure.colorbar(image, ax=axes)


def draw_curve(axes, name, points):
    at = [point["at"] for point in points]
    axes.plot(at, [np.mean([one["hits"] for one in point["results"]]) for point in points], "o-", label="true atoms hit")
    axes.plot(at, [np.mean([one["atoms"] for one in point["results"]]) / 128 for point in points], "s--",
              label="atoms found / 128")
    axes.set(title="64×128, 4 nonzeros", xlabel=name, ylim=(0, 1.3))
    axes.legend(loc="lower right")


def draw_reach(results):
    figure, axes = plt.subplots(2, 2, figsize=(9.2, 7.2), layout="constrained")
    draw_phase(axes[0, 0], results["phase"])
    for panel, (name, points) in zip(axes.flat[1:], results["curves"].items()):
        draw_curve(panel, name, points)
    axes[0, 1].set_xscale("log")
    return figure


def draw_reliability(found):
    figure, axes = plt.subplots(figsize=(4.6, 4.2), layout="constrained")
    lines = reliability.bins_of([pair for pairs in found.values() for pair in pairs])
    axes.plot([0, 1], [0, 1], color="grey", linewidth=0.8)
    axes.scatter([line["confidence"] for line in lines], [line["squared_cosine"] for line in lines],
                 s=[8 * np.sqrt(line["atoms"]) for line in lines])
    axes.set(xlabel="mean confidence", ylabel="mean cos² to the closest true atom", xlim=(0, 1.02), ylim=(0, 1.02))
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--docs", action="store_true")
    arguments = parser.parse_args()
    plt.style.use(HERE.parent / "orthodict.mplstyle")
    folder = arguments.output / "overcomplete"
    pictures = {"reach.png": ("results.json", draw_reach), "reliability.png": ("reliability.json", draw_reliability)}
    for name, (source, draw) in pictures.items():
        if not (folder / source).exists():
            continue
        draw(json.loads((folder / source).read_text())).savefig(folder / name)
        if arguments.docs:
            shutil.copy(folder / name, HERE.parents[1] / "docs" / f"overcomplete-{name}")


if __name__ == "__main__":
    main()
