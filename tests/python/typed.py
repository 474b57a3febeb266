# SPDX-License-Identifier: Apache-2.0
"""Calls for type checkers, which run in `make types`: those that are right, and below them some that are wrong."""

import numpy as np
import pandas
from scipy.sparse import csr_matrix

import orthodict

X, D = orthodict.synthetic(dimension=20, samples=2000)
learner = orthodict.DictionaryLearner(0.9, whiten="zca", transform_algorithm="top").fit(X)
codes = learner.transform(pandas.DataFrame(X))
components: np.ndarray = learner.components_
ica = orthodict.ICA(n_components=3, whiten="unit-variance").fit(csr_matrix(X))
count: int = ica.n_components_
mixing: np.ndarray = ica.mixing_
result = orthodict.fit(X, stretch="l3", init=D, whiten="pca", atoms=0.5)
model: orthodict.Model = result.model
history: np.ndarray = result.summary.history
axes = orthodict.plot.atoms(learner, features=["a", "b"])
orthodict.report(model, X, "report.html")
try:
    orthodict.load("model.npz")
except orthodict.DataError as error:
    print(error)

orthodict.fit(X, whiten="zac")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
orthodict.ICA(whiten="unit")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
orthodict.DictionaryLearner(transform_algorithm="lars")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
