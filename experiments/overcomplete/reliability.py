#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the confidence of an overcomplete dictionary's atom is its cos² to the closest true atom, in the mean: over
noise, few samples, structured dictionaries, unequal frequencies, copies, samples that depend on their neighbours, and
data without structure. Writes reliability.json and reliability.md to OUTPUT/overcomplete."""

import argparse
import json
import pathlib
import warnings

import methods
import numpy as np
import problems

BINS = [0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 1.0000001]


def plain(n, m, k, p, **more):
    return lambda seed: problems.samples_of(n, m, k, p, seed, **more)


def noisy_copies(seed):
    """Five recordings of each of 1000 sparse samples, one after the other, with noise of their own."""
    x, truth = problems.samples_of(32, 64, 3, 1000, seed)
    noise = np.random.default_rng(seed).standard_normal((5000, 32)) * np.sqrt(np.mean(x**2)) / 5
    return np.repeat(x, 5, axis=0) + noise, truth


def recordings(seed):
    """A code that changes slowly: supports stay for about 20 samples, coefficients follow an AR(1) process."""
    rng = np.random.default_rng(seed)
    truth = problems.unit(rng.standard_normal((64, 32)))
    x = np.zeros((8000, 32))
    code = np.zeros(64)
    for sample in x:
        if rng.uniform() < 0.05 or not code.any():
            code = np.zeros(64)
            code[rng.choice(64, 3, replace=False)] = rng.standard_normal(3)
        on = code != 0
        code[on] = 0.95 * code[on] + np.sqrt(1 - 0.95**2) * rng.standard_normal(on.sum())
        sample[:] = code @ truth + 0.06 * rng.standard_normal(32)
    return x, truth


def gaussian(seed):
    x = np.random.default_rng(seed).standard_normal((4000, 24))
    return x, None


def heavy_tailed(seed):
    """Elliptical samples with three degrees of freedom: of very different lengths, and without structure."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((4000, 24)) / np.sqrt(rng.chisquare(3, (4000, 1)) / 3), None


def smooth(seed):
    """Gaussian noise, each sample a moving average of twenty."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((4020, 24))
    return np.cumsum(x, axis=0)[20:] - np.cumsum(x, axis=0)[:-20], None


def repeated(seed):
    """400 Gaussian samples, ten times each, in random order."""
    rng = np.random.default_rng(seed)
    return rng.permutation(np.repeat(rng.standard_normal((400, 24)), 10, axis=0)), None


CASES = {
    "20 dB": plain(20, 50, 3, 1500, snr=20), "10 dB": plain(32, 64, 3, 4000, snr=10),
    "5 dB": plain(32, 64, 3, 8000, snr=5), "0 dB": plain(32, 64, 3, 16000, snr=0),
    "20 dB, 8 samples per atom": plain(32, 64, 3, 512, snr=20),
    "15 dB, 15 samples per atom": plain(32, 64, 3, 960, snr=15),
    "10 dB, 30 samples per atom": plain(32, 64, 3, 1920, snr=10),
    "many nonzeros, 15 dB": plain(32, 64, 6, 6000, snr=15), "too many nonzeros": plain(32, 64, 10, 6000, snr=20),
    "frequencies i^-1, 20 dB": plain(32, 64, 3, 6000, snr=20, frequencies=1.0),
    "frequencies i^-2, 15 dB": plain(32, 64, 3, 6000, snr=15, frequencies=2.0),
    "signs, 15 dB": plain(32, 64, 4, 4000, snr=15, signs=True),
    "4 times overcomplete, 15 dB": plain(20, 80, 2, 4000, snr=15),
    "DCT and identity, 15 dB": plain(64, 128, 4, 5000, snr=15, dictionary=problems.cosines_and_identity()),
    "Gabor, 12 dB": plain(64, 100, 4, 6000, snr=12, dictionary=problems.gabor(most=100)),
    "wavelets, 12 dB": plain(64, 72, 4, 6000, snr=12, dictionary=problems.wavelets()),
    "five noisy copies of each": noisy_copies, "recordings": recordings,
    "Gaussian": gaussian, "heavy tails": heavy_tailed, "smooth Gaussian": smooth, "copies of Gaussian": repeated,
}


def atoms_of(case, seed):
    """Confidence and cos² to the closest true atom, of each atom. Without truth it is 0."""
    x, truth = CASES[case](seed)
    try:
        model = methods.overcomplete(x, seed).model
    except ValueError:  # no atom was found
        return []
    if truth is None:
        return [(float(c), 0.0) for c in model.confidence]
    cosines = problems.unit(truth) @ model.dictionary.T
    return list(zip(model.confidence.tolist(), (np.abs(cosines).max(axis=0) ** 2).tolist()))


def bins_of(pairs):
    lines = []
    pairs = np.array(pairs).reshape(-1, 2)
    for low, high in zip(BINS, BINS[1:]):
        inside = pairs[(pairs[:, 0] >= low) & (pairs[:, 0] < high)]
        if len(inside):
            lines.append({"from": low, "to": min(high, 1), "atoms": len(inside),
                          "confidence": float(inside[:, 0].mean()), "squared_cosine": float(inside[:, 1].mean())})
    return lines


def table(found):
    lines = ["| confidence | atoms | mean confidence | mean cos² |", "|---|---|---|---|"]
    for line in bins_of([pair for pairs in found.values() for pair in pairs]):
        lines.append(f"| {line['from']:g} … {line['to']:g} | {line['atoms']} | {line['confidence']:.3f} | "
                     f"{line['squared_cosine']:.3f} |")
    lines += ["", "| data | atoms | established | mean confidence of these | mean cos² of these | of these below ½ |",
              "|---|---|---|---|---|---|"]
    for case, pairs in found.items():
        pairs = np.array(pairs).reshape(-1, 2)
        sure = pairs[pairs[:, 0] >= 0.5]
        means = [f"{value:.3f}" for value in sure.mean(axis=0)] if len(sure) else ["–", "–"]
        lines.append(f"| {case} | {len(pairs)} | {len(sure)} | {means[0]} | {means[1]} | "
                     f"{int((sure[:, 1] < 0.5).sum())} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # that nothing is established is what is counted
    found = {}
    for case in arguments.cases:
        found[case] = [pair for seed in range(2000, 2000 + arguments.seeds) for pair in atoms_of(case, seed)]
        print(table({case: found[case]}).splitlines()[-1], flush=True)
    folder = arguments.output / "overcomplete"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "reliability.json").write_text(json.dumps(found) + "\n")
    (folder / "reliability.md").write_text(table(found))


if __name__ == "__main__":
    main()
