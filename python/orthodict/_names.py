# SPDX-License-Identifier: Apache-2.0
"""Names of features, for plots and the report."""

from ._model import as_model


def names_of_features(given, model):
    """The names given, else those that the model has; empty where there are none.

    Raises ValueError if there aren't as many as features.
    """
    learned = as_model(model)
    if given is None:
        return learned.feature_names
    names, features = [str(name) for name in given], learned.dictionary.shape[1]
    if len(names) != features:
        raise ValueError(f"features has {len(names)} names, but the model has {features} features")
    return names
