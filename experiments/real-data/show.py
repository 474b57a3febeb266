# SPDX-License-Identifier: Apache-2.0
"""Writes the results of run.py as tables, and draws them.

    experiments/real-data/show.py OUTPUT           tables.md and genes.png in OUTPUT/real-data
    experiments/real-data/show.py OUTPUT --docs    also renews the tables of the README here
"""

import argparse
import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from draw import renew  # noqa: E402
from finding import how_many, number, spread  # noqa: E402
from genes import CLOSE, ESTABLISHED, NEAR, OURS  # noqa: E402
from table import Table  # noqa: E402


def markdown(head, rows):
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


def seldom(values):
    """Values that some methods lack."""
    return "–" if np.all(np.isnan(values)) else spread(values, "{:.2f}".format)


def gene_table(genes):
    rows = [[method, spread(runs["close"]), spread(runs["near"]), spread(runs["enriched"]),
             *(seldom(runs[f"auc_{score}"]) for score in ("confidence", "again", "kurtosis")),
             spread(runs["iterations"]), how_many(runs["converged"] > 0), spread(runs["seconds"], "{:.1f}".format),
             spread(runs["processor_seconds"], "{:.1f}".format)]
            for method, runs in Table(genes["runs"]).groups("method")]
    return markdown(["method", f"of {genes['of']} modules above {CLOSE}", f"above {NEAR}", "with a regulator",
                     "AUC of confidence", "of coming again", "of kurtosis", "iterations", "converged", "seconds",
                     "of the processor"], rows)


def established_table(genes):
    ours, null = Table(genes["runs"]).where(method=OURS), Table(genes["null"])
    rows = [["as it is", spread(ours["established"]), spread(ours["established_enriched"]), "–"],
            ["with random directions", spread(null["established"]), "–", spread(null["largest"], "{:.3f}".format)]]
    return markdown(["expression", f"of {genes['components']} components established", "of these with a regulator",
                     "largest confidence"], rows)


def accuracy_table(tables):
    rows = [[data, f"{count:g}", *(f"{run['accuracy']:.3f}" for run in runs.rows),
             *(f"{seconds:.1f}" for seconds in runs["processor_seconds"][:2])]
            for data, of_data in Table(tables["accuracy"]).groups("data") for count, runs in of_data.groups("count")]
    methods = Table(tables["accuracy"]).values("method")
    return markdown(["data", "components", *methods, *(f"seconds, {method}" for method in methods[:2])], rows)


def order_table(tables):
    rows = [[data, f"{runs['samples'][0]:g}×{runs['features'][0]:g}", f"{runs['components'][0]:g}",
             number(runs["code_at_unit_variance"].max()), number(runs["code"].max()), number(runs["condition"].max()),
             number(runs["condition_limit"][0]), f"{runs['reconstruction'].max():.0e}", spread(runs["established"])]
            for data, runs in Table(tables["order"]).groups("data")]
    return markdown(["data", "size", "components", "largest code at unit variance", "largest code", "condition",
                     "may be", "reconstruction", "established"], rows)


def wide_table(tables):
    runs = Table(tables["wide"])
    rows = [[f"{runs[column][0]:g}" for column in ("samples", "features", "count")]
            + [number(runs["ours"].min()), number(runs["pca"][0]), number(runs["ours_all"].min())]]
    return markdown(["samples", "features", "components", "variance kept, least", "PCA", "kept by all"], rows)


def patch_table(patches):
    runs = Table(patches["runs"])
    methods = runs.values("method")
    rows = [[data, *(f"{np.median(of_data.where(method=method)['kept']):.2f} %" for method in methods),
             *(f"{np.median(of_data.where(method=method)['processor_seconds']):.1f}"
               for method in methods)]
            for data, of_data in runs.groups("data")]
    return markdown(["data", *methods, *(f"seconds, {method}" for method in methods)], rows)


def demand_table(demands):
    rows = [[demand["what"], number(demand["value"]), f"{demand['relation']} {number(demand['limit'])}",
             "yes" if demand["passed"] else "**no**"] for demand in demands]
    return markdown(["what", "here", "demanded", "holds"], rows)


def to_tables(results):
    """The tables of all parts that were run, by the name of their place in the README."""
    texts = {}
    if "genes" in results:
        texts["genes"], texts["established"] = gene_table(results["genes"]), established_table(results["genes"])
    if "tables" in results:
        texts["accuracy"], texts["order"] = accuracy_table(results["tables"]), order_table(results["tables"])
        texts["wide"] = wide_table(results["tables"])
    if "patches" in results:
        texts["patches"] = patch_table(results["patches"])
    return {**texts, "demands": demand_table(results["demands"])}


def draw_modules(ax, genes):
    """Draws how closely each module is found, in descending order, with one line per run."""
    for place, (method, runs) in enumerate(Table(genes["runs"]).groups("method")):
        for run in runs.rows:
            ax.plot(range(1, genes["of"] + 1), sorted(run["modules"], reverse=True), color=f"C{place}", linewidth=1,
                    label=method if run["seed"] == 0 else None)
    for level in (CLOSE, NEAR):
        ax.axhline(level, color="0.5", linestyle=":")
    ax.set(xlabel="published module, by falling agreement", ylabel="|correlation| with its component",
           ylim=(0, 1.02), title="published modules found, each run")
    ax.legend(loc="lower left")


def draw_components(ax, genes):
    """Draws the confidence of our components against their reproducibility."""
    components = Table(genes["own_components"])
    for known, label, marker in ((1, "with a known regulator", "o"), (0, "without", "x")):
        chosen = components["enriched"] == known
        ax.plot(components["confidence"][chosen], components["again"][chosen], marker, color=f"C{known}", label=label)
    ax.axvline(ESTABLISHED, color="0.5", linestyle=":")
    ax.set(xlabel=f"confidence, {OURS}, seed 0", ylabel="|correlation| with other seeds",
           xlim=(-0.03, 1.03), ylim=(0, 1.02), title="components, and what is known of them")
    ax.legend(loc="lower right")


def draw(genes):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.4))
    draw_modules(left, genes)
    draw_components(right, genes)
    return figure


def show(folder, docs):
    """Draws the results in a folder, prints their tables and writes them; with `docs`, into the README too."""
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    texts = to_tables(results)
    text = "\n\n".join(texts.values())
    (folder / "tables.md").write_text(text + "\n", encoding="utf-8")
    print(text)
    if "genes" in results:
        with plt.style.context(HERE.parent / "orthodict.mplstyle"):
            figure = draw(results["genes"])
            figure.savefig(folder / "genes.png")
            plt.close(figure)
    if docs:
        for place, text in texts.items():
            renew(HERE / "README.md", place, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--docs", action="store_true", help="also update the tables in the README")
    arguments = parser.parse_args()
    folder = arguments.output / "real-data"
    if not (folder / "results.json").exists():
        parser.error(f"{folder} has no results: run experiments/real-data/run.py first")
    show(folder, arguments.docs)


if __name__ == "__main__":
    main()
