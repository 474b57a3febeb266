# SPDX-License-Identifier: Apache-2.0
"""Complete dictionary learning over the orthogonal group.

Given samples ``X = Z D`` in rows, with sparse ``Z``, learn all atoms (the rows of ``D``) at once:

>>> import orthodict
>>> X, D = orthodict.synthetic(dimension=20, samples=5000, theta=0.2, seed=1)
>>> result = orthodict.fit(X, seed=7)
>>> orthodict.recovery_error(result, D) < 1e-10
True

``DictionaryLearner`` is the scikit-learn estimator. ``orthodict.plot`` draws results. Both are imported on first use.
"""

import importlib
from typing import TYPE_CHECKING

from ._core import version as __version__
from ._denoise import Denoised, denoise
from ._files import read, write
from ._fit import Iterate, Result, Summary, fit
from ._metrics import Recovery, recovery, recovery_error
from ._model import Model, load, save
from ._scan import Scan, scan
from ._synthetic import synthetic

if TYPE_CHECKING:
    from . import plot
    from ._learner import DictionaryLearner

__all__ = [
    "Denoised",
    "DictionaryLearner",
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
    "save",
    "scan",
    "synthetic",
    "write",
]


def __getattr__(name):
    # Imported on first use: scikit-learn and matplotlib take ten times as long to import as everything else.
    if name == "DictionaryLearner":
        return importlib.import_module("._learner", __name__).DictionaryLearner
    if name == "plot":
        return importlib.import_module(".plot", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return __all__
