# SPDX-License-Identifier: Apache-2.0
"""The parts of the demo that draw: `dictionary FILE` makes the true atoms, `picture FILE` shows what was learned."""
import json
import sys

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

matplotlib.use("Agg")


def cosine_patterns(size=8):
    """The orthonormal two-dimensional cosine basis: size² atoms of size² pixels, in rows, by frequency."""
    k, i = np.mgrid[:size, :size]
    basis = np.cos(np.pi * k * (2 * i + 1) / (2 * size)) * np.sqrt(np.where(k == 0, 1, 2) / size)
    return np.kron(basis, basis)


def mosaic(patches, columns=8, size=8, gap=1):
    """Patches side by side, each scaled to its own largest value."""
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


def draw_convergence(axes, trace):
    # Below rounding there is nothing to draw.
    error = np.maximum(trace["error"], 1e-16)
    axes.semilogy(trace["iteration"], error, color="lightgray")
    for stage in dict.fromkeys(trace["stage"]):
        of_stage = trace["stage"] == stage
        axes.semilogy(trace["iteration"][of_stage], error[of_stage], "o", label=stage)
    axes.legend()
    axes.set(title="How it got there", xlabel="iteration", ylabel=r"error  $|1 - \|AD_o\|_4^4/n|$")
    axes.grid(alpha=0.3)


def picture(path):
    samples = np.load("y.npy", mmap_mode="r")[:64]
    start = np.load("start.npz")["dictionary"]
    learned = np.load("model.npz")["dictionary"]
    with open("eval.json") as file:
        recovery = json.load(file)
    trace = np.genfromtxt("trace.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")

    by_frequency = np.empty_like(learned)
    by_frequency[recovery["matches"]] = learned * np.array(recovery["signs"])[:, None]

    figure, axes = plt.subplots(1, 4, figsize=(19, 5), width_ratios=[1, 1, 1, 1.1])
    draw_patches(axes[0], samples, "64 of the 2000 samples")
    draw_patches(axes[1], start, "The random start")
    draw_patches(axes[2], by_frequency, "The atoms that were learned")
    draw_convergence(axes[3], trace)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    found = np.count_nonzero(np.array(recovery["cosines"]) > 0.99)
    print(f"{found} of {len(learned)} patterns found from mixtures that look like noise: see {path}")


if __name__ == "__main__":
    task, target = sys.argv[1:]
    if task == "dictionary":
        np.save(target, cosine_patterns())
    else:
        picture(target)
