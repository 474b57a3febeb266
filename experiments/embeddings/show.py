# SPDX-License-Identifier: Apache-2.0
"""Draws the results of run.py, and writes them as tables.

    experiments/embeddings/show.py [OUTPUT]           tables.md and embeddings.png in OUTPUT/embeddings
    experiments/embeddings/show.py [OUTPUT] --docs    also renews docs/embeddings.md, its picture, and the README here
"""

import argparse
import json
import pathlib
import shutil
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent)]
from draw import renew  # noqa: E402
from finding import how_many, spread  # noqa: E402
from measures import GAUSSIAN_KURTOSIS, LEADING  # noqa: E402
from methods import CHOSEN, FASTICA  # noqa: E402
from table import Table  # noqa: E402

PRINCIPAL = 5  # number of principal axes in the table
LEAST_OPPOSITE = 0.75  # the shorter tail is shown if its words reach at least this share of the longer one
MARKERS = "osDv^<>PX*h"


def markdown(head, rows):
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


def quality_table(results):
    """Means over axes or words, and their medians over seeds."""
    rows = []
    for method, runs in results["runs"].groups("method"):
        again = results["agreement"].where(method=method, other=method)
        rows.append([method, f"{np.median(runs['kurtosis']):.2f}", f"{np.median(runs['log_cosh']):.4f}",
                     f"{np.median(runs['hoyer']):.3f}", f"{100 * np.median(runs['leading_share']):.1f} %",
                     f"{100 * np.median(runs['variance_kept']):.0f} %",
                     f"{np.mean(again['mean']):.2f}" if len(again) else "1",
                     f"{100 * np.mean(again['above_0.9']):.0f} %" if len(again) else "100 %"])
    return markdown(["method", "kurtosis", "log cosh", "Hoyer", f"top {LEADING}", f"variance in {LEADING} axes",
                     "again", "above 0.9"], rows)


def time_table(results):
    fastica = np.median(results["runs"].where(method=FASTICA)["seconds"])
    rows = [[method, spread(runs["iterations"]), how_many(runs["converged"] > 0),
             spread(runs["seconds"], "{:.2f}".format), spread(runs["processor_seconds"], "{:.2f}".format),
             f"{fastica / np.median(runs['seconds']):.1f}×"]
            for method, runs in results["runs"].groups("method")]
    seconds = f"seconds, {results['threads']} thread{'s' if results['threads'] > 1 else ''}"
    return markdown(["method", "iterations", "converged", seconds, "of the processors", "FastICA takes"], rows)


def name(axis):
    """The words of an axis; those of the shorter tail only if it isn't much shorter."""
    text = ", ".join(axis["words"])
    if axis["opposite_reach"] >= LEAST_OPPOSITE * axis["reach"]:
        text += " … *against* " + ", ".join(axis["opposite_words"])
    return text.replace("|", "\\|")


def component_table(components):
    return markdown(["component", "words"], [[str(number), name(axis)] for number, axis in enumerate(components, 1)])


def same_axes(results):
    rows = results["agreement"].where(method=CHOSEN, other=FASTICA)
    return (f"Axes of {CHOSEN} that FastICA finds from the same seed: mean |correlation| {np.mean(rows['mean']):.2f}, "
            f"{100 * np.mean(rows['above_0.9']):.0f} % above 0.9.")


def tables(results):
    """All tables of the documentation, by the name of their place."""
    return {
        "quality": quality_table(results),
        "time": time_table(results),
        "same axes": same_axes(results),
        "larger quality": quality_table(results["larger"]),
        "larger time": time_table(results["larger"]),
        "components": component_table(results["components"][:PRINCIPAL]),
    }


def draw_map(ax, coefficients, title):
    image = ax.imshow(coefficients, aspect="auto", cmap="RdBu_r", vmin=-8, vmax=8)
    ax.set(title=title, xticks=[])
    ax.tick_params(length=0, labelsize=7)
    ax.grid(False)
    return image


def draw_heights(ax, results):
    for number, (method, heights) in enumerate(results["kurtosis"].items()):
        ax.plot(range(1, len(heights) + 1), heights, color=f"C{number}", marker=MARKERS[number],
                markevery=max(1, len(heights) // 8), label=method)
    ax.axhline(GAUSSIAN_KURTOSIS, color="0.5", linestyle=":")
    ax.set(yscale="log", xlabel="axis, by falling kurtosis", ylabel="kurtosis (dotted: Gaussian)")
    ax.set_yticks([3, 5, 10, 20], ["3", "5", "10", "20"])
    ax.minorticks_off()
    ax.legend(fontsize=8)


def draw_times(ax, results):
    for number, (method, runs) in enumerate(results["runs"].groups("method")):
        ax.plot(runs["seconds"], runs["hoyer"], MARKERS[number], color=f"C{number}", label=method)
    ax.set(xscale="log", xlabel="seconds of each run", ylabel="Hoyer's sparsity, mean over words")


def draw(results):
    figure = plt.figure(figsize=(11, 7.4))
    left, right = figure.subfigures(1, 2, width_ratios=(6, 4.4))
    learned, components = left.subplots(1, 2, sharey=True)
    words = results["map"]["words"]
    draw_map(learned, results["map"]["learned"], f"{len(results['map']['learned'][0])} learned axes")
    image = draw_map(components, results["map"]["components"], "as many principal components")
    learned.set_yticks(range(len(words)), words)
    left.colorbar(image, ax=[learned, components], location="bottom", shrink=0.5,
                  label="coefficient of a word, in standard deviations")
    above, below = right.subplots(2, 1)
    draw_heights(above, results)
    draw_times(below, results)
    return figure


def show(folder, docs):
    """Draws the results in a folder and writes their tables; with `docs`, into the documentation too."""
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    for part in (results, results["larger"]):
        part.update((table, Table(rows)) for table, rows in part.pop("tables").items())
    with plt.style.context(HERE.parent / "orthodict.mplstyle"):
        figure = draw(results)
        figure.savefig(folder / "embeddings.png")
        plt.close(figure)
    texts = tables(results)
    (folder / "tables.md").write_text("\n\n".join(texts.values()) + "\n", encoding="utf-8")
    if not docs:
        return
    (ROOT / "docs" / "images").mkdir(exist_ok=True)
    shutil.copy(folder / "embeddings.png", ROOT / "docs" / "images")
    for place, text in texts.items():
        renew(ROOT / "docs" / "embeddings.md", place, text)
    for place in ("quality", "time"):
        renew(HERE / "README.md", place, texts[place])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path, nargs="?", default=ROOT / "reproduced", help="default: reproduced")
    parser.add_argument("--docs", action="store_true", help="also update the documentation")
    arguments = parser.parse_args()
    folder = arguments.output / "embeddings"
    if not (folder / "results.json").exists():
        parser.error(f"{folder} has no results: run experiments/embeddings/run.py first")
    show(folder, arguments.docs)


if __name__ == "__main__":
    main()
