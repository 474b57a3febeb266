# SPDX-License-Identifier: Apache-2.0
"""Comparison of learned atoms with the true ones."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arrays import as_matrix
from ._model import as_model

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclasses.dataclass(frozen=True, eq=False)
class Recovery:
    """How close learned atoms are to the true ones, up to order and sign.

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
        The sign that aligns the two.
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
    found = _core.compare(as_model(learned)._native, as_matrix(truth, "truth"))
    return Recovery(found.error, found.worst_cosine, found.mean_cosine, np.array(found.cosines),
                    np.array(found.matches, dtype=np.intp), np.array(found.signs, dtype=np.intp), found.hits)


def recovery_error(learned: Any, truth: ArrayLike) -> float:
    """The paper's error, ``|1 - ||A D||_4^4 / n|``: 0 if all true atoms are recovered. See :func:`recovery`."""
    return recovery(learned, truth).error
