# SPDX-License-Identifier: Apache-2.0
"""How many atoms: fits of several numbers of atoms, and what they say."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Iterable

import numpy as np

from . import _core
from ._arrays import MOST, as_boolean, as_integer, as_samples, count_threads, native
from ._fit import _text, as_resampling
from ._html import grid

if TYPE_CHECKING:
    from ._types import Normalize, Resample, Samples, Whitening

_NUMBERS = np.dtype([("atoms", "i8"), ("stable", "i8"), ("robust", "i8"), ("singles", "i8"), ("conserved", "i8"),
                     ("held_out", "f8"), ("seconds", "f8")])


@dataclasses.dataclass(frozen=True, eq=False)
class Scan:
    """The result of a scan.

    Attributes
    ----------
    numbers : structured ndarray
        One record per number of atoms, in rising order: atoms; stable, the number of stable atoms; robust, of those
        that are stable from other starts, whatever halves of the samples say; of these singles, which a single sample
        carries, and conserved, which the largest number of atoms has too; held_out, the mean log-likelihood of samples
        that weren't used for as many principal components (NaN where four fifths of the samples are no more than the
        features); seconds.
    recommended : int or None
        The least number of atoms with nearly all of the stable ones. None where no number has a stable one.
    reason : str
    optica : int or None
        The choice of OptICA's rule, by robust, singles and conserved. None where no number has a robust one.
    optica_reason : str
    """

    numbers: np.ndarray
    recommended: int | None
    reason: str
    optica: int | None
    optica_reason: str

    def __repr__(self):
        choice = "no number of atoms" if self.recommended is None else f"{self.recommended} atoms"
        return f"{choice}: {self.reason} (by OptICA's rule {self.optica})"

    def _repr_html_(self):
        return grid(repr(self), self.numbers.dtype.names, self.numbers.tolist())


def scan(X: Samples, atoms: Iterable[int], *, runs: int = 10, resample: Resample | bool | None = None,
         refinements: int = 4, stretch: str | None = None, whiten: Whitening | None = None, center: bool | None = None,
         normalize: Normalize = "none", max_iterations: int | None = None, seed: int = 0, threads: int | None = None) -> Scan:
    """Try numbers of atoms and recommend one, as ``orthodict scan``.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    atoms : iterable of int
        Numbers of atoms to try, such as ``range(20, 201, 20)``.
    runs : int
        Number of runs of each fit, at least 2.
    resample : {"halves", "bootstrap", "none"} or bool, optional
        How to choose samples for as many runs more. By default random halves; True means "halves", and False "none".
    refinements : int
        So many numbers more are tried where the number of stable atoms comes to its largest.
    stretch, whiten, center, normalize, max_iterations, seed, threads
        As for :func:`orthodict.fit`.

    Returns
    -------
    Scan
    """
    options = _core.Options()
    given = {
        "runs": as_integer("runs", runs, 1, 2**31 - 1),
        "resample": as_resampling(resample),
        "stretch": _text("stretch", stretch),
        "whiten": _text("whiten", whiten),
        "center": center if center is None else as_boolean("center", center),
        "normalize": _text("normalize", normalize),
        "max_iterations": max_iterations if max_iterations is None else as_integer(
            "max_iterations", max_iterations, 0, 2**31 - 1),
        "seed": as_integer("seed", seed, 0, 2**64 - 1),
        "threads": count_threads(threads),
    }
    for name, value in given.items():
        if value is not None:
            setattr(options, name, value)
    numbers = sorted({as_integer("atoms", number, 1, MOST) for number in atoms})
    found = _core.scan(native(as_samples(X)), "X", options, numbers, as_integer("refinements", refinements, 0, 2**31 - 1))
    rows = [tuple(np.nan if value is None else value for value in row) for row in found["numbers"]]
    table = np.array(rows, dtype=_NUMBERS)
    table.flags.writeable = False
    return Scan(**{**found, "numbers": table})
