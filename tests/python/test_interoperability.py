# SPDX-License-Identifier: Apache-2.0
"""The estimators among scikit-learn's tools and in MNE."""

import warnings

from support import same_bits, sparse_data, unwarned

import joblib
import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler

from orthodict import ICA, DictionaryLearner


@pytest.mark.parametrize("estimator", [ICA(8, random_state=0), DictionaryLearner(8, random_state=0)])
def test_a_step_before_a_classifier(estimator):
    """Eight of thirteen components lose little: a tenth of the samples, at most, is classified wrongly."""
    x, y = load_wine(return_X_y=True)
    with unwarned():  # real data needn't be sparse
        scores = cross_val_score(make_pipeline(StandardScaler(), estimator, LogisticRegression()), x, y, cv=3)
    assert scores.mean() > 0.9


@pytest.mark.parametrize("estimator", [ICA(random_state=0), DictionaryLearner(random_state=0)])
def test_searches_over_the_number_of_components(estimator):
    x, y = load_wine(return_X_y=True)
    pipe = make_pipeline(StandardScaler(), estimator, LogisticRegression())
    with unwarned():
        search = GridSearchCV(pipe, {f"{type(estimator).__name__.lower()}__n_components": [1, 8]}, cv=2).fit(x, y)
    assert list(search.best_params_.values()) == [8]


def test_cached_by_joblib(tmp_path):
    """The second fit of the pipeline reads the first one's codes."""
    x, y = load_wine(return_X_y=True)
    pipe = make_pipeline(ICA(5, random_state=0), LogisticRegression(max_iter=5000),
                         memory=joblib.Memory(tmp_path, verbose=0))  # fmt: skip
    first = pipe.fit(x, y).predict(x)
    cached = list(tmp_path.rglob("output.pkl"))
    assert len(cached) == 1
    assert np.array_equal(pipe.fit(x, y).predict(x), first)
    assert list(tmp_path.rglob("output.pkl")) == cached


def test_columns_side_by_side_as_tables():
    pandas = pytest.importorskip("pandas")
    frame = load_wine(as_frame=True).data
    halves = ColumnTransformer([("one", ICA(2, random_state=0), list(frame.columns[:6])),
                                ("other", DictionaryLearner(3, random_state=0), list(frame.columns[6:]))])  # fmt: skip
    both = FeatureUnion([("halves", halves), ("ica", ICA(1, random_state=0))]).set_output(transform="pandas")
    with unwarned():
        codes = both.fit_transform(frame)
    assert isinstance(codes, pandas.DataFrame) and codes.index.equals(frame.index)
    assert list(codes.columns) == ["halves__one__ica0", "halves__one__ica1", "halves__other__dictionarylearner0",
                                   "halves__other__dictionarylearner1", "halves__other__dictionarylearner2", "ica__ica0"]


def test_called_as_mne_calls_fastica():
    """mne.preprocessing.ICA: samples that are white, its parameters, and the attributes that it takes."""
    rng = np.random.default_rng(0)
    sources = rng.laplace(size=(4000, 4))
    data = np.linalg.qr(sources - sources.mean(axis=0))[0] * np.sqrt(4000)
    data = np.hstack([data @ np.linalg.qr(rng.standard_normal((4, 4)))[0], rng.standard_normal((4000, 2))])
    ica = ICA(whiten=False, random_state=97, algorithm="parallel", fun="logcosh", fun_args=None, max_iter=1000)
    ica.fit(data[:, slice(0, 4)])
    assert ica.components_.shape == (4, 4) and ica.n_iter_ > 1
    cosines = np.abs(np.corrcoef((data[:, :4] @ ica.components_.T).T, sources.T)[:4, 4:])
    assert np.all(cosines.max(axis=0) > 0.99)


def test_in_mne():
    """As mne.preprocessing.ICA is used: on a recording, with sources, a component taken away, and the file."""
    mne = pytest.importorskip("mne")
    from orthodict.mne import ICA as MneICA

    rng = np.random.default_rng(1)
    sources = rng.laplace(size=(5, 6000))
    names = [f"EEG{i}" for i in range(8)]
    info = mne.create_info(names, 200.0, "eeg")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it isn't high-pass filtered
        raw = mne.io.RawArray(rng.standard_normal((8, 5)) @ sources * 1e-6, info, verbose="error")
        ica = MneICA(5, random_state=97, fit_params={"tol": 1e-6}, verbose="error").fit(raw, verbose="error")
        found = ica.get_sources(raw).get_data()
        cosines = np.abs(np.corrcoef(found, sources)[:5, 5:])
        assert np.all(cosines.max(axis=0) > 0.99)
        cleaned = ica.apply(raw.copy(), exclude=[int(cosines[:, 2].argmax())], verbose="error").get_data()
    assert np.all(np.abs(np.corrcoef(cleaned, sources)[:8, 10]) < 0.05), "the third source is gone"
    from sklearn.decomposition import FastICA

    assert FastICA is not ICA


def test_threads_and_processes_of_joblib_give_the_same():
    x, _ = sparse_data()
    here = ICA(random_state=1).fit(x)
    there = joblib.Parallel(n_jobs=2, backend="threading")(joblib.delayed(ICA(random_state=1).fit)(x) for _ in range(2))
    assert all(same_bits(here.components_, other.components_) for other in there)
