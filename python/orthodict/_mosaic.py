# SPDX-License-Identifier: Apache-2.0
"""Images side by side."""

import numpy as np

from ._arrays import as_integer


def image_shape(shape, features):
    if shape is None:
        side = int(np.sqrt(features) + 0.5)
        return (side, side) if side * side == features else None
    lengths = np.atleast_1d(np.asarray(shape))
    legal = lengths.dtype.kind in "iu" and (lengths > 0).all() and lengths.prod() == features
    if not legal or not (lengths.shape == (2,) or lengths.shape == (3,) and lengths[2] == 3):
        raise ValueError(f"shape = {shape!r}: must be (height, width) or (height, width, 3) with {features} entries in "
                         "all, as many as there are features")
    return tuple(int(length) for length in lengths)


def count_columns(columns, count, shape):
    if shape is None:
        if columns is not None:
            raise ValueError(f"columns = {columns!r}: must be left out where the atoms have no shape")
        return None
    if columns is not None:
        return as_integer("columns", columns, 1, count)
    height, width = shape[:2]
    return min(count, int(np.ceil(np.sqrt(count * height / width))))


def mosaic_of(images, columns):
    """Returns images side by side with NaN around each, and the opacity: 0 where the last row has no image."""
    count, height, width, *colours = images.shape
    rows = -(-count // columns)
    gap = max(1, min(height, width) // 16)
    tall, wide = height + gap, width + gap
    tiles = np.full((rows * columns, tall, wide, *colours), np.nan)
    tiles[:count, gap:, gap:] = images
    mosaic = np.full((rows * tall + gap, columns * wide + gap, *colours), np.nan)
    mosaic[:-gap, :-gap] = tiles.reshape(rows, columns, tall, wide, *colours).swapaxes(1, 2).reshape(
        rows * tall, columns * wide, *colours)
    opacity = np.ones(mosaic.shape[:2])
    if count < rows * columns:
        opacity[(rows - 1) * tall + gap:, count % columns * wide + gap:] = 0
    return mosaic, opacity
