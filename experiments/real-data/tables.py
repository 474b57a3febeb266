# SPDX-License-Identifier: Apache-2.0
"""Small tables: components as features for classification, the magnitude of codes and atoms, and fewer samples than
features."""

import time
import warnings

import numpy as np
from demands import at_least, at_most
from measures import variance_kept
from orthodict import DictionaryLearner
from sklearn import datasets
from sklearn.decomposition import PCA, FastICA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

CLASSIFIED = {"digits": False, "wine": True, "breast_cancer": True}  # whether features are scaled to unit variance
COUNTS = (5, 10)
FOLDS, REPEATS = 5, 3
LEAST_ACCURACY = -0.02  # ours minus FastICA's
TOYS = ("iris", "wine", "breast_cancer", "digits", "diabetes", "linnerud")
MOST_CODE = 100  # in units of the largest entry of the whitened samples
# Unit-norm atoms that are orthogonal in whitened coordinates have at most √n times the condition number of the
# covariance's root (van der Sluis). Twice that is allowed.
MOST_CONDITION = 2
ROUNDING = 1e-9  # relative error of reconstructions with all components
FACES, SHARE_BELOW_PCA = 65, 0.01


def steps(threads, count=None):
    """The methods, by name, with `count` components."""
    return {"auto": DictionaryLearner(n_components=count, random_state=0, n_jobs=threads),
            "FastICA": FastICA(n_components=count, whiten="unit-variance", random_state=0, max_iter=1000),
            "PCA": PCA(n_components=count, random_state=0)}


def accuracy(x, labels, step, scale):
    """Cross-validated accuracy of logistic regression on components."""
    folds = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=REPEATS, random_state=0)
    scalers = [StandardScaler()] if scale else []
    return cross_val_score(make_pipeline(*scalers, step, LogisticRegression(max_iter=5000)), x, labels, cv=folds)


def classify(name, x, labels, scale, threads):
    rows = []
    for count in COUNTS:
        for method, step in steps(threads, count).items():
            start = time.process_time()
            scores = accuracy(x, labels, step, scale)
            rows.append({"data": name, "count": count, "method": method, "accuracy": float(scores.mean()),
                         "least": float(scores.min()), "processor_seconds": time.process_time() - start})
    return rows


def put_in_order(name, x, seed, threads):
    """Checks the magnitude of codes, atoms and reconstruction of a fit of all components. White samples are principal
    components at unit variance. Codes are measured twice: at unit variance, relative to white samples; and for
    unit-norm atoms, relative to white samples times the largest principal standard deviation, which no code of a
    rotation exceeds."""
    learner = DictionaryLearner(random_state=seed, n_jobs=threads).fit(x)
    codes = learner.transform(x)
    count = len(learner.components_)
    pca = PCA(count, whiten=True, svd_solver="full").fit(x)
    white, deviations = np.abs(pca.transform(x)).max(), np.sqrt(pca.explained_variance_)
    singular = np.linalg.svd(learner.components_, compute_uv=False)
    return {"data": name, "samples": len(x), "features": x.shape[1], "components": count, "seed": seed,
            "code_at_unit_variance": float(np.abs(codes / codes.std(axis=0)).max() / white),
            "code": float(np.abs(codes).max() / (deviations[0] * white)),
            "condition": float(singular[0] / singular[-1]),
            "condition_limit": float(MOST_CONDITION * np.sqrt(count) * deviations[0] / deviations[-1]),
            "reconstruction": float(np.abs(learner.inverse_transform(codes) - x).max() / np.abs(x).max()),
            "established": int(learner.summary_.established), "termination": learner.summary_.termination}


def faces():
    """Faces of 25×25 pixels from scikit-image; there are fewer faces than pixels."""
    from skimage.data import lfw_subset

    return lfw_subset()[:FACES].reshape(FACES, -1).astype(np.float64)


def fit_wide(x, count, seed, threads):
    """The variance kept, for fewer samples than features, by `count` components and by all."""
    row = {"samples": len(x), "features": x.shape[1], "count": count, "seed": seed,
           "pca": float(PCA(count, svd_solver="full").fit(x).explained_variance_ratio_.sum())}
    for name, components in (("ours", count), ("ours_all", None)):
        learner = DictionaryLearner(n_components=components, random_state=seed, n_jobs=threads).fit(x)
        row[name] = variance_kept(x, learner.inverse_transform(learner.transform(x)))
    return row


def measure(seeds, threads, classified=None, toys=TOYS, wide=None):
    """`classified` has samples, labels and whether to scale, by name; `wide` has samples. The defaults are
    scikit-learn's data sets and the faces."""
    if classified is None:
        classified = {name: (*getattr(datasets, f"load_{name}")(return_X_y=True), scale)
                      for name, scale in CLASSIFIED.items()}
    with threadpool_limits(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the table has the termination of each fit
        return {
            "accuracy": [row for name, parts in classified.items() for row in classify(name, *parts, threads)],
            "order": [put_in_order(name, getattr(datasets, f"load_{name}")().data.astype(np.float64), seed, threads)
                      for name in toys for seed in range(seeds)],
            "wide": [fit_wide(faces() if wide is None else wide, max(COUNTS), seed, threads) for seed in range(seeds)],
        }


def demands(results):
    accuracies = {(row["data"], row["count"], row["method"]): row["accuracy"] for row in results["accuracy"]}
    differences = [value - accuracies[data, count, "FastICA"]
                   for (data, count, method), value in accuracies.items() if method == "auto"]
    order, wide = results["order"], results["wide"]
    return [
        at_least(LEAST_ACCURACY, "tables: accuracy less FastICA's; least over data and counts", min(differences)),
        at_most(MOST_CODE, "tables: largest code at unit variance, in largest white entries; most over data and seeds",
                max(row["code_at_unit_variance"] for row in order)),
        at_most(MOST_CODE, "tables: largest code, in largest white entries times principal deviation; likewise",
                max(row["code"] for row in order)),
        at_most(1, "tables: condition of atoms over 2√n times that of the samples; likewise",
                max(row["condition"] / row["condition_limit"] for row in order)),
        at_most(ROUNDING, "tables: error of reconstruction from all components; likewise",
                max(row["reconstruction"] for row in order)),
        at_least(-SHARE_BELOW_PCA, "tables: fewer samples than features: variance kept less PCA's; least over seeds",
                 min(row["ours"] - row["pca"] for row in wide)),
        at_most(ROUNDING, "tables: fewer samples than features: variance lost by all components; most over seeds",
                max(1 - row["ours_all"] for row in wide)),
    ]
