#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Patches of photographs in 256 atoms, learned without parameters or by K-SVD, beside orthonormal transforms: few
coefficients, few bits, and noise removed. Each dictionary is learned from the photograph itself. Writes
photographs.json and photographs.md to OUTPUT/overcomplete. Needs scripts/get-data images."""

import argparse
import json
import pathlib
import time
import warnings

import numpy as np
import orthodict

SIDE, ATOMS = 8, 256
IMAGES = ("barbara", "camera", "kodim23", "astronaut")
KEPT = (1, 2, 4, 8, 16)
STEPS = np.geomspace(8, 256, 11)
SHARES = (0.2, 0.3, 0.4)  # of the step: rms of what a pursuit may leave
RATES = (0.25, 0.5, 1.0)
SIGMA = 25


def read(path):
    from PIL import Image

    with Image.open(path) as picture:
        image = np.asarray(picture.convert("L"), dtype=np.float64)
    top, left = (max(0, size - 512) // 2 for size in image.shape)
    return image[top : top + 512, left : left + 512]


def cut(image, step):
    windows = np.lib.stride_tricks.sliding_window_view(image, (SIDE, SIDE))[::step, ::step]
    return windows.reshape(-1, SIDE * SIDE).copy()


def cosines():
    basis = np.cos(np.pi * np.outer(np.arange(SIDE), np.arange(SIDE) + 0.5) / SIDE)
    basis /= np.linalg.norm(basis, axis=1, keepdims=True)
    return np.kron(basis, basis)


def learn(patches):
    """Models by name, with the seconds that each took."""
    options = {"seed": 0, "center": True}
    ways = {
        "orthonormal": {"stretch": "power:2.5", "dictionary": "orthogonal"},
        "256 atoms": {"atoms": ATOMS},
        "K-SVD, 256 atoms": {"method": "ksvd", "atoms": ATOMS, "sparsity": 8, "max_iterations": 40},
    }
    models = {"DCT": (orthodict.Model(cosines(), cosines(), patches.mean(axis=0)), 0.0)}
    for name, way in ways.items():
        before = time.perf_counter()
        model = orthodict.fit(patches, **options, **way).model
        models[name] = (model, time.perf_counter() - before)
    return models


def is_square(model):
    return model.dictionary.shape[0] == model.dictionary.shape[1]


def psnr(squared_error):
    return float(10 * np.log10(255**2 / max(squared_error, 1e-12)))


def error_of_kept(model, patches, kept):
    codes = model.encode(patches, **({"top": kept} if is_square(model) else {"nonzeros": kept}))
    return np.mean((patches - model.decode(codes)) ** 2)


def entropy(symbols):
    """Bits per symbol of each column, summed."""
    bits = 0.0
    for column in symbols.T:
        shares = np.unique(column, return_counts=True)[1] / len(column)
        bits -= np.sum(shares * np.log2(shares))
    return bits


def points(model, patches):
    """Bits per pixel and PSNR for each step of a uniform quantiser; one entropy code per atom."""
    found = []
    for step in STEPS:
        if is_square(model):
            coded = [model.encode(patches)]
        else:
            coded = [model.encode(patches, error=share * step, scale=1.0) for share in SHARES]
        for codes in coded:
            symbols = np.round(codes / step)
            error = np.mean((patches - model.decode(symbols * step)) ** 2)
            found.append((entropy(symbols.astype(np.int32)) / SIDE**2, psnr(error)))
    return sorted(found)


def psnr_at(found, rate):
    """On the upper envelope of the points, straight between them."""
    best, envelope = -np.inf, []
    for bits, value in found:
        if value > best:
            best = value
            envelope.append((bits, value))
    bits, values = np.array(envelope).T
    return float(np.interp(rate, bits, values, left=np.nan))


def averaged(patches, shape):
    """The image of which these are all patches, one per pixel: the mean of those that cover a pixel."""
    rows, columns = shape[0] - SIDE + 1, shape[1] - SIDE + 1
    total, count = np.zeros(shape), np.zeros(shape)
    patches = patches.reshape(rows, columns, SIDE, SIDE)
    for i in range(SIDE):
        for j in range(SIDE):
            total[i : i + rows, j : j + columns] += patches[:, :, i, j]
            count[i : i + rows, j : j + columns] += 1
    return total / count


def denoised(model, noisy):
    """Codes of each patch, without its mean, until the noise is left (Elad, Aharon 2006)."""
    patches = cut(noisy, 1)
    means = patches.mean(axis=1, keepdims=True)
    codes = model.encode(patches - means, error=1.15 * SIGMA, scale=1.0, sparse=True)
    return averaged(model.decode(codes) + means, noisy.shape)


def denoise(image):
    noisy = image + np.random.default_rng(0).normal(0, SIGMA, image.shape)
    patches = cut(noisy, 2)
    patches -= patches.mean(axis=1, keepdims=True)
    options = {"seed": 0, "atoms": ATOMS}
    ours = orthodict.fit(patches, **options).model
    ksvd = orthodict.fit(patches, method="ksvd", sparsity=4, max_iterations=20, **options).model
    images = {"noisy": noisy, "orthonormal": orthodict.denoise(noisy, sigma=SIGMA).image,
              "256 atoms": denoised(ours, noisy), "K-SVD, 256 atoms": denoised(ksvd, noisy)}
    return {name: psnr(np.mean((image - result) ** 2)) for name, result in images.items()} | {"atoms": len(ours.dictionary)}


def measure(image):
    models = learn(cut(image, 3))
    patches = cut(image, SIDE)
    found = {"kept": {}, "rates": {}, "seconds": {}, "confidence": {}}
    for name, (model, seconds) in models.items():
        curve = points(model, patches)
        found["kept"][name] = [psnr(error_of_kept(model, patches, kept)) for kept in KEPT]
        found["rates"][name] = [psnr_at(curve, rate) for rate in RATES]
        found["seconds"][name] = seconds
        found["confidence"][name] = None if model.confidence is None else model.confidence.tolist()
    found["atoms"] = len(models["256 atoms"][0].dictionary)
    return found | {"denoising": denoise(image)}


def table(results):
    names = list(next(iter(results.values()))["kept"])
    lines = ["| PSNR, dB | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    for key, ats, unit in (("kept", KEPT, "atoms per patch"), ("rates", RATES, "bits per pixel")):
        for i, at in enumerate(ats):
            means = [np.mean([found[key][name][i] for found in results.values()]) for name in names]
            lines.append(f"| {at:g} {unit} | " + " | ".join(f"{mean:.2f}" for mean in means) + " |")
    cells = [np.mean([found["denoising"].get(name, np.nan) for found in results.values()]) for name in names]
    lines.append(f"| noise of σ = {SIGMA} removed | "
                 + " | ".join("–" if np.isnan(cell) else f"{cell:.2f}" for cell in cells) + " |")
    lines.append("| seconds to learn | "
                 + " | ".join(f"{np.mean([found['seconds'][name] for found in results.values()]):.1f}" for name in names)
                 + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--images", type=pathlib.Path, default=pathlib.Path("data/images"))
    parser.add_argument("--names", nargs="+", default=list(IMAGES))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # patches have no true atoms that all have to be established
    results = {}
    for name in arguments.names:
        results[name] = measure(read(arguments.images / f"{name}.png"))
        print(name, json.dumps(results[name]["kept"]), json.dumps(results[name]["rates"]),
              results[name]["denoising"], results[name]["atoms"], flush=True)
    folder = arguments.output / "overcomplete"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "photographs.json").write_text(json.dumps(results, indent=2) + "\n")
    (folder / "photographs.md").write_text(table(results))
    print(table(results))


if __name__ == "__main__":
    main()
