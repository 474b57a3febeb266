# SPDX-License-Identifier: Apache-2.0
"""Which axes of word embeddings come again from other starts and from other words: a consensus of several runs.

    experiments/embeddings/axes.py [OUTPUT]           axes.json and axes.md in OUTPUT/embeddings: all axes
    experiments/embeddings/axes.py [OUTPUT] --docs    also renews docs/embeddings.md

Needs the packages orthodict, scikit-learn and matplotlib, and the data that `scripts/get-data embeddings` fetches.
"""

import argparse
import json
import os
import pathlib
import sys

import numpy as np
import orthodict

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent)]
from draw import renew  # noqa: E402
from measures import coefficients, kurtosis  # noqa: E402
from methods import BIAS_FRACTION, CHOSEN, TOLERANCE  # noqa: E402
from run import ends, load  # noqa: E402
from show import markdown, name  # noqa: E402

SHOWN, LAST = 30, 5  # numbers of axes in the documentation: the first and the last ones


def describe(model, words, x):
    """All axes with their words, in order of decreasing kurtosis."""
    z = coefficients(model.analysis, x)
    heights = kurtosis(z)
    again = {"from_starts": model.stability, "found": model.found, "from_words": model.resampled_stability,
             "found_from_words": model.resampled_found, "stable": model.stable}
    return [{"axis": int(axis), "kurtosis": float(heights[axis]),
             **{name: values[axis].item() for name, values in again.items()}, **ends(words, z[:, axis])}
            for axis in np.argsort(-heights)]


def table(axes):
    rows = [[f"{axis['kurtosis']:.1f}", f"{axis['from_starts']:.2f}", f"{axis['from_words']:.2f}",
             "yes" if axis["stable"] else "no", name(axis)] for axis in axes]
    return markdown(["kurtosis", "from other starts", "from half of the words", "stable", "words"], rows)


def summary(axes, runs):
    stable = sum(axis["stable"] for axis in axes)
    by_starts = sum(axis["from_starts"] >= 0.8 and axis["found"] >= 0.5 for axis in axes)
    return (f"{stable} of {len(axes)} axes are stable in {runs} runs on all words and as many on halves of them; "
            f"{by_starts} by the runs on all words alone.")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path, nargs="?", default=ROOT / "reproduced", help="default: reproduced")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "data" / "embeddings",
                        help="folder of vectors.npy and words.txt, the most frequent word first")
    parser.add_argument("--words", type=int, default=50000, help="number of words (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=10, help="runs, at least 2 (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="default: all cores")
    parser.add_argument("--docs", action="store_true", help="also update the documentation")
    arguments = parser.parse_args()
    if not (arguments.data / "vectors.npy").exists():
        parser.error(f"{arguments.data} has no vectors.npy: run scripts/get-data embeddings")
    for option, least in (("words", 1), ("runs", 2), ("threads", 1)):
        if getattr(arguments, option) < least:
            parser.error(f"--{option} is {getattr(arguments, option)}: must be at least {least}")
    return arguments


def main():
    arguments = parse()
    words, x = load(arguments.data, arguments.words)
    model = orthodict.fit(x, stretch=CHOSEN, remove_bias=True, bias_fraction=BIAS_FRACTION, dictionary="complete",
                          center=True, tolerance=TOLERANCE, runs=arguments.runs, threads=arguments.threads).model
    axes = describe(model, words, x)
    folder = arguments.output / "embeddings"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "axes.json").write_text(json.dumps(axes, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    text = summary(axes, arguments.runs)
    (folder / "axes.md").write_text(f"{text}\n\n{table(axes)}\n", encoding="utf-8")
    print(f"{text} All axes: {folder / 'axes.md'}")
    if arguments.docs:
        shown = {"stable axes": text, "axes": table(axes[:SHOWN]), "last axes": table(axes[-LAST:])}
        for place, contents in shown.items():
            renew(ROOT / "docs" / "embeddings.md", place, contents)


if __name__ == "__main__":
    main()
