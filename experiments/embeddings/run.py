# SPDX-License-Identifier: Apache-2.0
"""Axes of word embeddings: sparsity, words, stability and time of orthodict, FastICA and PCA on the same data.

    experiments/embeddings/run.py [OUTPUT]            results.json, tables.md and embeddings.png in OUTPUT/embeddings
    experiments/embeddings/run.py [OUTPUT] --docs     also renews docs/embeddings.md, its picture, and the README here

Needs the packages orthodict, scikit-learn and matplotlib, and the data that `scripts/get-data embeddings` fetches.
"""

import argparse
import itertools
import json
import os
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
from measures import coefficients, hoyer, kurtosis, leading_share, log_cosh, matched, variance_kept  # noqa: E402
from methods import CHOSEN, COMPONENTS, FASTICA, LOOSER, METHODS, learn  # noqa: E402
from show import show  # noqa: E402

TOP = 10  # number of words that name an end of an axis
MAPPED_AXES, MAPPED_WORDS = 12, 3  # numbers of axes, and of words per axis, in the figure


def load(folder, count):
    """The `count` most frequent words, and their vectors at unit length, centred."""
    vectors = np.load(folder / "vectors.npy", mmap_mode="r")[:count]
    words = (folder / "words.txt").read_text(encoding="utf-8").split("\n")[: len(vectors)]
    x = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return words, x - x.mean(axis=0)


def describe(learned, x, covariance):
    """The measures of one run."""
    z = coefficients(learned.analysis, x)
    return {"seconds": learned.seconds, "processor_seconds": learned.processor_seconds,
            "iterations": learned.iterations, "converged": learned.converged,
            "kurtosis": float(np.mean(kurtosis(z))), "hoyer": float(np.mean(hoyer(z))),
            "leading_share": float(np.mean(leading_share(z))), "log_cosh": float(log_cosh(z)),
            "variance_kept": float(variance_kept(learned.analysis, covariance))}


def run_all(methods, x, covariance, seeds, threads):
    """Runs each method from every seed, in turn, so that slow periods of the machine affect all."""
    rows, axes = [], {}
    for seed, method in itertools.product(range(seeds), methods):
        learned = learn(method, x, seed, threads)
        rows.append({"method": method, "seed": seed, **describe(learned, x, covariance)})
        axes[method, seed] = learned.analysis
        print(f"{method}, seed {seed}: {learned.seconds:.2f} s, {learned.iterations} iterations", file=sys.stderr)
    return rows, axes


def agreement(pairs, axes, covariance):
    """How well the axes of one (method, seed) are reproduced by another, for pairs of them."""
    rows = []
    for one, other in pairs:
        found = matched(axes[one], axes[other], covariance)
        rows.append({"method": one[0], "seed": one[1], "other": other[0], "other_seed": other[1],
                     "mean": float(found.mean()), "above_0.9": float(np.mean(found > 0.9))})
    return rows


def across_seeds(methods, seeds):
    """Pairs of the same method from different seeds."""
    return [((method, first), (method, second)) for method in methods
            for first, second in itertools.combinations(range(seeds), 2)]


def ends(words, z):
    """The words at both ends of an axis, and their distance from its middle in standard deviations."""
    order = np.argsort(-z)
    top, bottom = order[:TOP], order[: -TOP - 1 : -1]
    return {"words": [words[i] for i in top], "reach": float(z[top].mean()),
            "opposite_words": [words[i] for i in bottom], "opposite_reach": float(-z[bottom].mean())}


def name_axes(words, z, again):
    """All axes with their words, in order of decreasing kurtosis; `again` is their reproducibility over seeds."""
    heights = kurtosis(z)
    return [{"axis": int(axis), "kurtosis": float(heights[axis]), "again": float(again[axis]),
             **ends(words, z[:, axis])} for axis in np.argsort(-heights)]


def map_words(words, named, learned, components):
    """Coefficients of the first words of the first named axes: on these axes, and on as many of PCA's."""
    named = named[:MAPPED_AXES]
    shown = list(dict.fromkeys(word for row in named for word in row["words"][:MAPPED_WORDS]))
    places = [words.index(word) for word in shown]
    return {"words": shown, "learned": learned[np.ix_(places, [row["axis"] for row in named])].tolist(),
            "components": components[places, : len(named)].tolist()}


def measure(words, x, seeds, threads):
    covariance = np.cov(x.T.astype(np.float64))
    runs, axes = run_all(METHODS, x, covariance, seeds, threads)
    learned = [method for method in METHODS if method != COMPONENTS]
    pairs = across_seeds(learned, seeds) + [((CHOSEN, seed), (FASTICA, seed)) for seed in range(seeds)]
    z = {method: coefficients(axes[method, 0], x) for method in METHODS}
    again = np.mean([matched(axes[CHOSEN, 0], axes[CHOSEN, seed], covariance) for seed in range(1, seeds)], axis=0)
    named = name_axes(words, z[CHOSEN], again)
    return {
        "words": len(words), "features": x.shape[1], "threads": threads,
        "kurtosis": {method: sorted(kurtosis(z[method]).tolist(), reverse=True) for method in METHODS},
        "map": map_words(words, named, z[CHOSEN], z[COMPONENTS]),
        "components": [ends(words, axis) for axis in z[COMPONENTS].T[:MAPPED_AXES]],
        "tables": {"runs": runs, "agreement": agreement(pairs, axes, covariance), "axes": named},
    }


def measure_larger(words, x, seeds, threads):
    """FastICA and the chosen method of ours, at a size where only passes over the data count."""
    methods = (FASTICA, CHOSEN, LOOSER)
    covariance = np.cov(x.T.astype(np.float64))
    runs, axes = run_all(methods, x, covariance, seeds, threads)
    return {"words": len(words), "threads": threads,
            "tables": {"runs": runs, "agreement": agreement(across_seeds(methods, seeds), axes, covariance)}}


def write(path, results):
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(temporary, path)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path, nargs="?", default=ROOT / "reproduced", help="default: reproduced")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "data" / "embeddings",
                        help="folder of vectors.npy and words.txt, the most frequent word first")
    parser.add_argument("--words", type=int, default=50000, help="number of words (default: %(default)s)")
    parser.add_argument("--larger", type=int, default=1000000,
                        help="number of words for FastICA and soft alone (default: %(default)s, which is all)")
    parser.add_argument("--seeds", type=int, default=5, help="runs of each method, at least 2 (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads per method (default: all cores)")
    parser.add_argument("--docs", action="store_true", help="also update the documentation")
    arguments = parser.parse_args()
    if not (arguments.data / "vectors.npy").exists():
        parser.error(f"{arguments.data} has no vectors.npy: run scripts/get-data embeddings")
    for name, least in (("words", 1), ("larger", 1), ("seeds", 2), ("threads", 1)):
        if getattr(arguments, name) < least:
            parser.error(f"--{name} is {getattr(arguments, name)}: must be at least {least}")
    return arguments


def main():
    arguments = parse()
    folder = arguments.output / "embeddings"
    folder.mkdir(parents=True, exist_ok=True)
    settings = {"seeds": arguments.seeds, "threads": arguments.threads}
    results = measure(*load(arguments.data, arguments.words), **settings)
    results["larger"] = measure_larger(*load(arguments.data, arguments.larger), **settings)
    write(folder / "results.json", results)
    show(folder, arguments.docs)
    print(f"tables and picture: {folder}")


if __name__ == "__main__":
    main()
