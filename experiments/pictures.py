# SPDX-License-Identifier: Apache-2.0
"""Figures with images: bases, and reconstructions from few of them."""

import numpy as np

SIDE = 28


class Bases:
    """A dictionary, with atoms in rows by decreasing energy."""

    def __init__(self, path):
        with np.load(path) as arrays:
            self.dictionary, self.analysis, self.mean = arrays["dictionary"], arrays["analysis"], arrays["mean"]

    def reconstruct(self, images, count, largest):
        """Reconstructs images from `count` bases: those of each image's largest coefficients, or the first ones for
        all."""
        codes = (images - self.mean) @ self.analysis.T
        rank = np.argsort(np.argsort(-np.abs(codes), axis=1), axis=1) if largest else np.arange(codes.shape[1])
        return np.where(rank < count, codes, 0) @ self.dictionary + self.mean


def tiled(images, columns):
    """Images in a grid with gaps of one pixel, which are NaN."""
    rows = -(-len(images) // columns)
    sheet = np.full((rows * (SIDE + 1) - 1, columns * (SIDE + 1) - 1), np.nan)
    for number, image in enumerate(images):
        top, left = (SIDE + 1) * np.array(divmod(number, columns))
        sheet[top : top + SIDE, left : left + SIDE] = image.reshape(SIDE, SIDE)
    return sheet


def show(ax, sheet, title, **range_):
    ax.imshow(sheet, cmap="gray", interpolation="nearest", **range_)
    ax.set_title(title, fontsize=9)
    ax.set(xticks=[], yticks=[])
    ax.grid(False)
    ax.spines[:].set_visible(False)


def show_bases(ax, bases, title, columns=5):
    """Shows bases as images, with 0 as grey, each scaled by its largest entry."""
    scaled = bases / np.max(np.abs(bases), axis=1, keepdims=True)
    show(ax, tiled(scaled, columns), title, vmin=-1, vmax=1)


def show_rows(ax, rows, labels, title):
    """Shows rows with equal numbers of pictures, labelled on the left."""
    show(ax, tiled(np.concatenate(rows), len(rows[0])), title, vmin=0, vmax=255)
    ax.set_yticks((SIDE + 1) * np.arange(len(rows)) + SIDE / 2, labels)
    ax.tick_params(length=0, labelsize=8)
