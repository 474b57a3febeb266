# SPDX-License-Identifier: Apache-2.0
"""Comparison of learned atoms with the true ones."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arrays import as_interleaved
from ._model import as_model

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclasses.dataclass(frozen=True, eq=False)
class Recovery:
    """How close learned atoms are to the true ones, up to order and sign, or phase.

    Attributes
    ----------
    error : float
        The paper's ``|1 - ||A D||_4^4 / n|`` for atoms of unit norm: 0 if all atoms are recovered.
    worst_cosine, mean_cosine : float
    cosines : ndarray
        The absolute cosine between each learned atom and the true atom matched to it.
    matches : ndarray of int
        The index of that true atom.
    signs : ndarray of int
        The sign that aligns the two; empty for complex atoms.
    phases : ndarray of complex
        The number of modulus 1 that aligns the two, for complex atoms; otherwise empty.
    hits : int
        Number of true atoms that are matched with a cosine above 0.99.

    Learned atoms that are left over, where there are more than true ones, have the closest true atom in ``matches``.
    They don't count in the other attributes.
    """

    error: float
    worst_cosine: float
    mean_cosine: float
    cosines: np.ndarray
    matches: np.ndarray
    signs: np.ndarray
    hits: int
    phases: np.ndarray = dataclasses.field(default_factory=lambda: np.empty(0, dtype=np.complex128))


def recovery(learned: Any, truth: ArrayLike) -> Recovery:
    """Compare learned atoms with the true ones, matched so that the sum of cosines is maximal.

    Parameters
    ----------
    learned : Model, Result, DictionaryLearner, or array-like with atoms in rows
    truth : array-like of shape (at least n_atoms, n_features)
        The true atoms in rows.

    Returns
    -------
    Recovery
    """
    model = as_model(learned)
    found = _core.compare(model._native, as_interleaved(truth, "truth", model._native.is_complex))
    return Recovery(found.error, found.worst_cosine, found.mean_cosine, np.array(found.cosines),
                    np.array(found.matches, dtype=np.intp), np.array(found.signs, dtype=np.intp), found.hits,
                    np.array(found.phases, dtype=np.complex128))


def recovery_error(learned: Any, truth: ArrayLike) -> float:
    """The paper's error, ``|1 - ||A D||_4^4 / n|``: 0 if all true atoms are recovered. See :func:`recovery`."""
    return recovery(learned, truth).error
