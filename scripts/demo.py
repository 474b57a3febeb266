# SPDX-License-Identifier: Apache-2.0
"""The parts of the demo that generate and draw: `dictionary FILE` writes the true atoms, `noise IMAGE FILE` a noisy
image, and `picture FILE` draws the results."""
import json
import sys

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

matplotlib.use("Agg")


def cosine_patterns(size=8):
    """The orthonormal two-dimensional cosine basis: size² atoms of size² pixels, in rows, by frequency."""
    k, i = np.mgrid[:size, :size]
    basis = np.cos(np.pi * k * (2 * i + 1) / (2 * size)) * np.sqrt(np.where(k == 0, 1, 2) / size)
    return np.kron(basis, basis)


def add_noise(source, target, sigma=25):
    clean = np.asarray(Image.open(source)).astype(float)
    noisy = clean + sigma * np.random.default_rng(0).standard_normal(clean.shape)
    Image.fromarray(np.clip(np.rint(noisy), 0, 255).astype("u1")).save(target)


def mosaic(patches, columns=8, size=8, gap=1):
    """Patches in a grid, each scaled by its largest value."""
    rows = len(patches) // columns
    image = np.full((rows * (size + gap) - gap, columns * (size + gap) - gap), np.nan)
    for number, patch in enumerate(patches):
        r, c = divmod(number, columns)
        patch = patch.reshape(size, size) / np.abs(patch).max()
        image[r * (size + gap) : r * (size + gap) + size, c * (size + gap) : c * (size + gap) + size] = patch
    return image


def draw_patches(axes, patches, title):
    gray = matplotlib.colormaps["gray"].with_extremes(bad="#b9cbe4")
    axes.imshow(mosaic(patches), cmap=gray, vmin=-1, vmax=1, interpolation="nearest")
    axes.set_title(title)
    axes.set_axis_off()


def draw_pixels(axes, pixels, title):
    axes.imshow(pixels, cmap="gray", vmin=0, vmax=255)
    axes.set_title(title)
    axes.set_axis_off()


def learned_by_frequency(recovery):
    """The learned atoms in the order and with the signs of the true ones."""
    learned = np.load("model.npz")["dictionary"]
    matched = np.empty_like(learned)
    matched[recovery["matches"]] = learned * np.array(recovery["signs"])[:, None]
    return matched


def picture(path):
    with open("eval.json") as file:
        recovery = json.load(file)
    samples = np.load("y.npy", mmap_mode="r")[:64]
    figure, ((mixed, true, found), (photo, atoms, cleaned)) = plt.subplots(2, 3, figsize=(13, 9.2))
    draw_patches(mixed, samples, "64 of 2000 samples: sparse mixtures")
    draw_patches(true, np.load("truth.npy"), "The patterns that were mixed")
    draw_patches(found, learned_by_frequency(recovery), "What was learned from the samples alone")
    draw_pixels(photo, np.asarray(Image.open("camera.png")), "A photograph")
    draw_patches(atoms, np.load("photo.npz")["dictionary"], "What its 8×8 patches are made of")
    face = (slice(60, 320), slice(170, 300))
    halves = [np.asarray(Image.open(name))[face] for name in ("noisy.png", "clean.png")]
    draw_pixels(cleaned, np.hstack(halves), "A part of it with noise, and with the noise removed")
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    count = np.count_nonzero(np.array(recovery["cosines"]) > 0.99)
    print(f"{count} of {len(samples)} patterns found from mixtures that look like noise: see {path}")


if __name__ == "__main__":
    task, *paths = sys.argv[1:]
    if task == "dictionary":
        np.save(paths[0], cosine_patterns())
    elif task == "noise":
        add_noise(*paths)
    else:
        picture(*paths)
