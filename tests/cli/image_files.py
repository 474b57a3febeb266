# SPDX-License-Identifier: Apache-2.0
"""Images for the tests: pictures, PNG files that Pillow can't write, and what NumPy makes of patches."""

import json
import struct
import zlib

import numpy as np

ADAM7 = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1))
COLOR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}


def picture(height, width, channels=1, seed=0, largest=255):
    """Waves with noise on them: integers from 0 to `largest`, (height, width) or (height, width, channels)."""
    rng = np.random.default_rng(seed)
    y, x, c = np.mgrid[0:height, 0:width, 0:channels]
    noise = rng.uniform(-1, 1, (height, width, channels))
    waves = 0.5 + 0.3 * np.sin(0.31 * y + c) * np.cos(0.17 * x - c) + 0.2 * noise
    values = np.round(waves * largest).astype(np.uint8 if largest < 256 else np.uint16)
    return values[:, :, 0] if channels == 1 else values


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_bytes(pixels, interlaced=False, more=b""):
    """A PNG of 8 or 16 bits with 1 to 4 channels (2 and 4: with transparency); `more` are chunks before the pixels."""
    cube = pixels.reshape(*pixels.shape[:2], -1)
    height, width, channels = cube.shape
    depth = 8 * cube.itemsize
    header = struct.pack(">IIBBBBB", width, height, depth, COLOR_TYPES[channels], 0, 0, int(interlaced))
    rows = b""
    for top, left, down, right in ADAM7 if interlaced else ((0, 0, 1, 1),):
        part = cube[top::down, left::right].astype(cube.dtype.newbyteorder(">"))
        if part.size > 0:
            rows += b"".join(b"\0" + row.tobytes() for row in part)  # filter type 0
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        [png_chunk(b"IHDR", header), more, png_chunk(b"IDAT", zlib.compress(rows)), png_chunk(b"IEND", b"")]
    )


def save_identity(path, size, **metadata):
    """A model whose codes are the samples: encode shows what is read, decode writes what it is given."""
    eye = np.eye(size)
    np.savez(path, dictionary=eye, analysis=eye, mean=np.zeros(size), metadata=json.dumps(metadata))


def luma(pixels):
    """As samples have it, in single precision."""
    return (pixels[..., :3] @ np.array([0.299, 0.587, 0.114])).astype(np.float32)


def places(extent, patch, stride):
    starts = list(range(0, extent - patch + 1, stride))
    return starts if starts[-1] == extent - patch else [*starts, extent - patch]


def patches(image, height, width, stride=1):
    """Rows of patches, from sliding_window_view; those of the lower and right border come last."""
    windows = np.lib.stride_tricks.sliding_window_view(image, (height, width), axis=(0, 1))
    windows = windows[np.ix_(places(image.shape[0], height, stride), places(image.shape[1], width, stride))]
    if image.ndim == 3:
        windows = np.moveaxis(windows, 2, -1)
    return windows.reshape(windows.shape[0] * windows.shape[1], -1)
