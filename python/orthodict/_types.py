# SPDX-License-Identifier: Apache-2.0
"""The legal names of options, for type checkers. The library checks them."""

from typing import Any, Literal, Union

from numpy.typing import ArrayLike

Samples = Union[ArrayLike, Any]  # arrays, lists, tables, and SciPy's sparse matrices, which have no types
DictionaryKind = Literal["auto", "complete", "orthogonal", "overcomplete"]
Normalize = Literal["none", "samples", "auto"]
Precision = Literal["f32", "f64", "mixed"]
Resample = Literal["halves", "bootstrap", "none"]
TransformAlgorithm = Literal["dense", "top", "threshold", "omp", "lasso_cd"]
Whitening = Literal["none", "zca", "pca"]
