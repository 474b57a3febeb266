# SPDX-License-Identifier: Apache-2.0
"""Data with a known dictionary."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from . import _core
from ._arrays import MOST, as_boolean, as_integer, as_interleaved, as_real

if TYPE_CHECKING:
    from numpy.typing import ArrayLike



class Synthetic(NamedTuple):
    """Samples in rows, and the true atoms in rows."""

    samples: np.ndarray
    dictionary: np.ndarray


def synthetic(dimension: int = 50, samples: int = 20000, *, theta: float = 0.3, condition: float = 1.0,
              noise: float = 0.0, outliers: float = 0.0, corruption: float = 0.0, seed: int = 0,
              dictionary: ArrayLike | None = None, atoms: int | None = None, nonzeros: int | None = None,
              frequencies: float = 0.0, signs: bool = False, complex: bool = False) -> Synthetic:
    """Generate sparse samples of a known dictionary: each coefficient is N(0, 1) with probability theta, otherwise 0.

    The result is the same as that of ``orthodict synth``, on every platform.

    Parameters
    ----------
    dimension, samples : int
        Number of features and of samples.
    theta : float in (0, 1]
        The share of nonzero coefficients.
    condition : float in [1, 1e12]
        Condition number of the dictionary; 1 is orthogonal.
    noise : float
        Standard deviation of Gaussian noise on all entries.
    outliers : float in [0, 1]
        The share of samples replaced by N(0, I).
    corruption : float in [0, 1]
        The share of entries corrupted by adding +1 or -1.
    seed : int
    dictionary : array-like of shape (atoms, dimension), optional
        Atoms in rows, instead of random ones.
    atoms : int, optional
        Number of atoms; by default as many as features. Others are Gaussian, of unit norm.
    nonzeros : int, optional
        Number of nonzero coefficients of every code, instead of ``theta``.
    frequencies : float
        With ``nonzeros``: atom i = 1, 2, ... is drawn in proportion to ``i**-frequencies``, a multiple of 0.5 up to 4.
    signs : bool
        Coefficients are 1 or -1 instead of normal.
    complex : bool
        Complex samples: the dictionary is unitary, or has that condition number, and coefficients, noise and outliers
        are circular normal.

    Returns
    -------
    samples : ndarray of shape (samples, dimension)
    dictionary : ndarray of shape (atoms, dimension)
        The true atoms in rows.
    """
    is_complex = as_boolean("complex", complex)
    arrays = _core.synthetic(
        as_integer("dimension", dimension, 1, MOST), as_integer("samples", samples, 1, MOST),
        as_real("theta", theta), as_real("condition", condition), as_real("noise", noise),
        as_real("outliers", outliers), as_real("corruption", corruption), as_integer("seed", seed, 0, 2**64 - 1),
        None if dictionary is None else as_interleaved(dictionary, "dictionary", is_complex),
        None if atoms is None else as_integer("atoms", atoms, 1, MOST),
        None if nonzeros is None else as_integer("nonzeros", nonzeros, 1, MOST), as_real("frequencies", frequencies),
        bool(signs), is_complex)
    return Synthetic(*(array.view(np.complex128) if is_complex else array for array in arrays))
