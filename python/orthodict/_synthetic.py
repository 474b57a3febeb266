# SPDX-License-Identifier: Apache-2.0
"""Data whose dictionary is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from . import _core
from ._arrays import MOST, as_integer, as_matrix, as_real

if TYPE_CHECKING:
    from numpy.typing import ArrayLike



class Synthetic(NamedTuple):
    """Samples in rows, and the atoms that made them in rows."""

    samples: np.ndarray
    dictionary: np.ndarray


def synthetic(dimension: int = 50, samples: int = 20000, *, theta: float = 0.3, condition: float = 1.0,
              noise: float = 0.0, outliers: float = 0.0, corruption: float = 0.0, seed: int = 0,
              dictionary: ArrayLike | None = None) -> Synthetic:
    """Sparse samples of a known dictionary: each coefficient is N(0, 1) with probability theta, else 0.

    The same as ``orthodict synth``, on every platform.

    Parameters
    ----------
    dimension, samples : int
        Features and samples.
    theta : float in (0, 1]
        The share of coefficients that aren't zero.
    condition : float in [1, 1e12]
        Of the dictionary; 1 is orthogonal.
    noise : float
        Standard deviation of Gaussian noise on every entry.
    outliers : float in [0, 1]
        The share of samples that are N(0, I) instead.
    corruption : float in [0, 1]
        The share of entries to which +1 or -1 is added.
    seed : int
    dictionary : array-like of shape (dimension, dimension), optional
        Atoms in rows, to be used instead of random ones.

    Returns
    -------
    samples : ndarray of shape (samples, dimension)
    dictionary : ndarray of shape (dimension, dimension)
        The true atoms in rows.
    """
    return Synthetic(*_core.synthetic(
        as_integer("dimension", dimension, 1, MOST), as_integer("samples", samples, 1, MOST),
        as_real("theta", theta), as_real("condition", condition), as_real("noise", noise),
        as_real("outliers", outliers), as_real("corruption", corruption), as_integer("seed", seed, 0, 2**64 - 1),
        None if dictionary is None else as_matrix(dictionary, "dictionary")))
