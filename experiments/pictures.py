# SPDX-License-Identifier: Apache-2.0
"""Pictures as pictures: bases, and what few of them rebuild."""

import numpy as np

SIDE = 28


class Bases:
    """A dictionary, atoms in rows by falling energy."""

    def __init__(self, path):
        with np.load(path) as arrays:
            self.dictionary, self.analysis, self.mean = arrays["dictionary"], arrays["analysis"], arrays["mean"]

    def reconstruct(self, images, count, largest):
        """Images from `count` bases: each image's largest coefficients, or the first ones for all."""
        codes = (images - self.mean) @ self.analysis.T
        rank = np.argsort(np.argsort(-np.abs(codes), axis=1), axis=1) if largest else np.arange(codes.shape[1])
        return np.where(rank < count, codes, 0) @ self.dictionary + self.mean


def tiled(images, columns):
    """Images side by side with a gap of a pixel; the gaps are NaN."""
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
    """Bases as images, grey where they are 0, each scaled to its own largest entry."""
    scaled = bases / np.max(np.abs(bases), axis=1, keepdims=True)
    show(ax, tiled(scaled, columns), title, vmin=-1, vmax=1)


def show_rows(ax, rows, labels, title):
    """Rows of as many pictures each, labelled at the left."""
    show(ax, tiled(np.concatenate(rows), len(rows[0])), title, vmin=0, vmax=255)
    ax.set_yticks((SIDE + 1) * np.arange(len(rows)) + SIDE / 2, labels)
    ax.tick_params(length=0, labelsize=8)
