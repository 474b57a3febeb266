# SPDX-License-Identifier: Apache-2.0
"""How close learned atoms are to the true ones."""

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
    """How close learned atoms are to the true ones, whatever their order and signs.

    Attributes
    ----------
    error : float
        The paper's ``|1 - ||A D||_4^4 / n|`` with atoms of unit norm: 0 when every atom is recovered.
    worst_cosine, mean_cosine : float
    cosines : ndarray
        Between each learned atom and the true one that it is matched to, in absolute value.
    matches : ndarray of int
        Which true atom that is.
    signs : ndarray of int
        The sign that aligns it.
    """

    error: float
    worst_cosine: float
    mean_cosine: float
    cosines: np.ndarray
    matches: np.ndarray
    signs: np.ndarray


def recovery(learned: Any, truth: ArrayLike) -> Recovery:
    """Compare what was learned with the true atoms, matching them so that the sum of the cosines is largest.

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
                    np.array(found.matches, dtype=np.intp), np.array(found.signs, dtype=np.intp))


def recovery_error(learned: Any, truth: ArrayLike) -> float:
    """The paper's error, ``|1 - ||A D||_4^4 / n|``: 0 when every true atom is recovered. See :func:`recovery`."""
    return recovery(learned, truth).error
