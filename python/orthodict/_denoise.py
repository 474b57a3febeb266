# SPDX-License-Identifier: Apache-2.0
"""Removes noise from images, by a transform that is learned from them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Literal

import numpy as np

from . import _core
from ._arrays import MOST, as_integer, as_real, count_threads
from ._model import Model

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_LARGEST = {np.dtype(np.uint8): 255, np.dtype(np.uint16): 65535}


@dataclasses.dataclass(frozen=True, eq=False)
class Denoised:
    """The result of :func:`denoise`.

    Attributes
    ----------
    image : ndarray
        The denoised image, with the shape and type of the noisy one.
    sigma : float
        Standard deviation of the noise, given or estimated, for pixels from 0 to 255: the root of its mean variance.
    noise_model : str
        "gaussian" or "poisson".
    gain, offset : float
        Poisson noise has the variance gain * mean + offset.
    kept : float
        Mean number of coefficients kept per patch, without the constant ones.
    iterations : int
        Iterations of learning.
    model : Model
        The transform: an orthogonal dictionary of patches, with the constant atoms first.
    """

    image: np.ndarray = dataclasses.field(repr=False)
    sigma: float
    noise_model: str
    gain: float
    offset: float
    kept: float
    iterations: int
    model: Model = dataclasses.field(repr=False)


def _extents(patch):
    if not isinstance(patch, (tuple, list, np.ndarray)) or len(patch) != 2:
        raise TypeError(f"patch must be (height, width), not {patch!r}")
    return (as_integer("patch", extent, 1, MOST) for extent in patch)


def _require_scale(noisy):
    """Noise may take some values out of the range from 0 to 255, but not most of them."""
    if noisy.dtype.kind == "f" and noisy.size and np.mean((noisy < 0) | (noisy > 255)) > 0.25:
        raise ValueError(f"image has values from {noisy.min():g} to {noisy.max():g}: must be on the scale of 0 to 255")


def denoise(image: ArrayLike, *, sigma: float | None = None,
            noise_model: Literal["auto", "gaussian", "poisson"] = "auto", quality: Literal["best", "fast"] = "best",
            patch: tuple[int, int] = (8, 8), transform: Literal["learned", "l4", "dct"] | Model = "learned",
            threshold: float = 2.7, seed: int = 0, threads: int | None = None) -> Denoised:
    """Remove white noise from an image, as ``orthodict denoise`` does.

    Groups of similar patches are transformed, small coefficients are set to zero, and the resulting patches are
    averaged; the result guides a Wiener filter. The transform is learned from the noisy image itself.

    Parameters
    ----------
    image : array-like of shape (height, width) or (height, width, 3)
        Floating-point numbers from 0 to 255, to which the result is clipped; or uint8, or uint16 from 0 to 65535.
    sigma : float, optional
        Standard deviation of the noise on the scale from 0 to 255, for any type. By default it is estimated, for
        brightness and colour differences separately.
    noise_model : "auto", "gaussian" or "poisson"
        Whether the variance of the noise grows with the brightness. "poisson" estimates the noise, without `sigma`.
    quality : "best" or "fast"
        "fast" looks for fewer similar patches, in a smaller neighbourhood.
    patch : (int, int)
        Height and width of the patches, at most 1024 pixels.
    transform : "learned", "l4" or "dct", or a Model
        The transform in which patches are sparse. The model of an earlier result is used as it is, with its `patch`.
    threshold : float
        Coefficients below this multiple of sigma are set to zero.
    seed : int
        Seed of the choice of patches to learn from.
    threads : int, optional
        Number of threads, by default all cores. The result doesn't depend on it.

    Returns
    -------
    Denoised
    """
    noisy = np.asarray(image)
    if noisy.ndim not in (2, 3) or (noisy.ndim == 3 and noisy.shape[2] not in (1, 3)):
        raise ValueError(f"image has the shape {noisy.shape}: must be (height, width) or (height, width, 3)")
    if noisy.dtype not in _LARGEST and noisy.dtype.kind != "f":
        raise ValueError(f"image has elements of type {noisy.dtype}: must be uint8, uint16 or floating-point")
    if not isinstance(transform, (str, Model)):
        raise TypeError(f"transform must be a string or a Model, not {transform!r}")
    for name, value in (("noise_model", noise_model), ("quality", quality)):
        if not isinstance(value, str):
            raise TypeError(f"{name} must be a string, not {value!r}")
    height, width = _extents(patch)
    _require_scale(noisy)
    scale = _LARGEST.get(noisy.dtype, 255) / 255
    pixels = np.ascontiguousarray(np.atleast_3d(noisy) / scale, dtype=np.float32)
    clean = np.empty_like(pixels)
    *figures, model = _core.denoise(
        pixels, clean, (height, width), None if sigma is None else as_real("sigma", sigma), noise_model,
        as_real("threshold", threshold), quality, transform._native if isinstance(transform, Model) else transform,
        as_integer("seed", seed, 0, 2**64 - 1), count_threads(threads))
    clean = clean.reshape(noisy.shape)
    if noisy.dtype in _LARGEST:
        clean = np.floor(clean.astype(np.float64) * scale + 0.5)
    return Denoised(clean.astype(noisy.dtype, copy=False), *figures, Model._of(model))
