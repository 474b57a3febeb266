# SPDX-License-Identifier: Apache-2.0
"""Complete dictionary learning over the orthogonal group.

Given samples ``X = Z D`` in rows, with sparse ``Z``, learn all atoms (the rows of ``D``) at once:

>>> import orthodict
>>> X, D = orthodict.synthetic(dimension=20, samples=5000, theta=0.2, seed=1)
>>> result = orthodict.fit(X, seed=7)
>>> orthodict.recovery_error(result, D) < 1e-10
True

``DictionaryLearner`` and ``ICA`` are scikit-learn estimators. ``orthodict.plot`` draws results. The parts of the package
are imported when they are first used.
"""

import importlib
from typing import TYPE_CHECKING

from . import _core
from ._core import version as __version__

if TYPE_CHECKING:
    from . import plot
    from ._core import DataError
    from ._denoise import Denoised, denoise
    from ._files import read, write
    from ._fit import Iterate, Result, Summary, fit
    from ._ica import ICA
    from ._learner import DictionaryLearner
    from ._metrics import Recovery, recovery, recovery_error
    from ._model import Model, load, save
    from ._report import report
    from ._scan import Scan, scan
    from ._synthetic import synthetic

__all__ = [
    "DataError",
    "Denoised",
    "DictionaryLearner",
    "ICA",
    "Iterate",
    "Model",
    "Recovery",
    "Result",
    "Scan",
    "Summary",
    "__version__",
    "denoise",
    "fit",
    "load",
    "plot",
    "read",
    "recovery",
    "recovery_error",
    "report",
    "save",
    "scan",
    "synthetic",
    "write",
]

_core.DataError.__module__ = __name__

_PARTS = {
    "_core": ("DataError",),
    "_denoise": ("Denoised", "denoise"),
    "_files": ("read", "write"),
    "_fit": ("Iterate", "Result", "Summary", "fit"),
    "_ica": ("ICA",),
    "_learner": ("DictionaryLearner",),
    "_metrics": ("Recovery", "recovery", "recovery_error"),
    "_model": ("Model", "load", "save"),
    "_report": ("report",),
    "_scan": ("Scan", "scan"),
    "_synthetic": ("synthetic",),
}
_PART_OF = {name: part for part, names in _PARTS.items() for name in names}


def __getattr__(name):
    if name == "plot":
        return importlib.import_module(".plot", __name__)
    if name not in _PART_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = thing = getattr(importlib.import_module(f".{_PART_OF[name]}", __name__), name)
    return thing


def __dir__():
    return __all__
