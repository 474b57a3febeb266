#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's 1797 digits of 8×8 pixels: how well few atoms represent pictures that weren't learned from, and how well
a linear classifier tells digits from these codes. Writes digits.md to OUTPUT/overcomplete."""

import argparse
import pathlib
import time
import warnings

import numpy as np
import orthodict
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

ATOMS, KEPT = 128, (2, 5, 10)
WAYS = {
    "complete": {"dictionary": "complete", "center": True},
    "orthonormal": {"dictionary": "orthogonal", "center": True},
    "128 atoms": {"atoms": ATOMS, "center": True},
    "K-SVD, 128 atoms": {"method": "ksvd", "atoms": ATOMS, "sparsity": 5, "max_iterations": 60, "center": True},
}


def accuracy(training, labels, others, true):
    scale = StandardScaler().fit(training)
    classifier = LogisticRegression(max_iter=2000, C=0.1).fit(scale.transform(training), labels)
    return classifier.score(scale.transform(others), true)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    digits = load_digits()
    lines = ["| dictionary | atoms | established | " + " | ".join(f"energy in {kept} atoms, %" for kept in KEPT)
             + " | told from 10 atoms, % | seconds |", "|---|---|---|" + "---|" * (len(KEPT) + 2)]
    for name, way in WAYS.items():
        rows = []
        for seed in range(arguments.seeds):
            order = np.random.default_rng(seed).permutation(len(digits.data))
            x, labels = digits.data[order].astype(float), digits.target[order]
            half = len(x) // 2
            before = time.process_time()
            model = orthodict.fit(x[:half], seed=seed, threads=1, **way).model
            seconds = time.process_time() - before
            total = np.sum((x[half:] - x[:half].mean(axis=0)) ** 2)
            # By pursuit for all: an analysis isn't orthonormal everywhere.
            codes = {kept: model.encode(x, nonzeros=min(kept, len(model.dictionary))) for kept in KEPT}
            energies = [100 * (1 - np.sum((x[half:] - model.decode(codes[kept][half:])) ** 2) / total) for kept in KEPT]
            told = 100 * accuracy(codes[KEPT[-1]][:half], labels[:half], codes[KEPT[-1]][half:], labels[half:])
            established = 0 if model.confidence is None else int((model.confidence >= 0.5).sum())
            rows.append([len(model.dictionary), established, *energies, told, seconds])
        atoms, established, *rest = np.mean(rows, axis=0)
        judged = "–" if "method" in way or way.get("dictionary") == "orthogonal" else f"{established:.0f}"
        lines.append(f"| {name} | {atoms:.0f} | {judged} | " + " | ".join(f"{value:.1f}" for value in rest) + " |")
        print(lines[-1], flush=True)
    folder = arguments.output / "overcomplete"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "digits.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
