# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices: the same models and codes as of their arrays, without an array of all samples."""

import importlib
import inspect
import pathlib
import re
import tracemalloc

from support import same_bits, same_model, unwarned

import numpy as np
import pytest
import scipy.sparse

import orthodict
from orthodict import ICA, DictionaryLearner


@pytest.fixture(scope="module")
def counts():
    """Few entries per row, some rows without any."""
    rng = np.random.default_rng(0)
    x = rng.poisson(0.15, size=(3000, 12)) * rng.integers(1, 5, size=12)
    x[::50] = 0
    return x.astype(np.float64)


KINDS = ["csr_matrix", "csr_array", "csc_array", "coo_matrix"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_fits_are_those_of_arrays(counts, kind, dtype):
    x = counts.astype(dtype)
    with unwarned():
        assert same_model(orthodict.fit(getattr(scipy.sparse, kind)(x), seed=1), orthodict.fit(x, seed=1))


def test_integers_long_indices_and_duplicates(counts):
    rows = scipy.sparse.csr_matrix(counts.astype(np.int64))
    long = scipy.sparse.csr_matrix(counts)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    twice = scipy.sparse.csr_matrix(counts / 2)
    twice = scipy.sparse.csr_matrix((np.repeat(twice.data, 2), np.repeat(twice.indices, 2), 2 * twice.indptr), counts.shape)
    for matrix in (rows, long, twice):
        before = matrix.data.copy(), matrix.indices.copy()
        found = orthodict.fit(matrix, method="msp", max_iterations=5, seed=1)
        assert same_model(found, orthodict.fit(counts, method="msp", max_iterations=5, seed=1))
        assert same_bits(matrix.data, before[0]) and same_bits(matrix.indices, before[1])


def test_samples_in_columns(counts):
    options = {"method": "msp", "max_iterations": 3}
    turned = orthodict.fit(scipy.sparse.csr_matrix(counts.T), columns=True, **options)
    assert same_model(turned, orthodict.fit(counts, **options))


@pytest.mark.parametrize("use", ["fit", "partial_fit"])
def test_estimators(counts, use):
    rows = scipy.sparse.csr_matrix(counts)
    with unwarned():
        learner = getattr(DictionaryLearner(random_state=0), use)(rows)
        other = getattr(DictionaryLearner(random_state=0), use)(counts)
    assert same_model(learner, other)
    assert same_bits(learner.transform(rows), other.transform(counts))
    assert learner.score(rows) == pytest.approx(other.score(counts), abs=1e-12)


def test_streams_beyond_the_samples_kept(monkeypatch, counts):
    """Only rows that are kept are made dense."""
    monkeypatch.setattr("orthodict._reservoir._FEWEST", 300)
    monkeypatch.setattr("orthodict._reservoir._MOST_ENTRIES", 12)
    rows = scipy.sparse.csr_matrix(counts)
    with unwarned():
        one, other = DictionaryLearner(random_state=0), DictionaryLearner(random_state=0)
        for first in range(0, 3000, 1000):
            one.partial_fit(rows[first:first + 1000])
            other.partial_fit(counts[first:first + 1000])
    assert same_model(one, other)


@pytest.mark.parametrize("parameters", [
    {}, {"transform_algorithm": "top", "transform_k": 2}, {"transform_algorithm": "omp", "transform_n_nonzero_coefs": 2},
    {"transform_algorithm": "threshold", "transform_threshold": "k2:20", "transform_unit_variance": True},
])  # fmt: skip
def test_sparse_codes(counts, parameters):
    rows = scipy.sparse.csr_matrix(counts)
    with unwarned():
        learner = DictionaryLearner(method="msp", random_state=0, **parameters).fit(rows)
    codes = learner.transform(rows)
    learner.set_params(sparse_output=True)
    sparse = learner.transform(rows)
    assert isinstance(sparse, scipy.sparse.csr_matrix)
    assert np.array_equal(sparse.toarray(), codes)
    assert sparse.nnz == np.count_nonzero(codes)
    np.testing.assert_allclose(learner.inverse_transform(sparse), learner.inverse_transform(codes), atol=1e-12)


def test_models(counts):
    model = orthodict.fit(counts, method="msp", max_iterations=5).model
    rows = scipy.sparse.csr_matrix(counts)
    assert same_bits(model.encode(rows), model.encode(counts))
    assert same_bits(model.thresholds(rows), model.thresholds(counts))
    cut = model.encode(rows, threshold="k2:20", unit_variance=True, sparse=True)
    assert np.array_equal(cut.toarray(), model.encode(counts, threshold="k2:20", unit_variance=True))
    assert np.array_equal(model.decode(cut), model.decode(cut.toarray()))


def test_ica(counts):
    rows = scipy.sparse.csr_matrix(counts)
    start = np.linalg.qr(np.random.default_rng(0).standard_normal((4, 4)))[0]
    one, other = (ICA(4, w_init=start, random_state=0).fit(x) for x in (rows, counts))
    assert one.n_iter_ == other.n_iter_
    np.testing.assert_allclose(one.transform(rows), other.transform(counts), atol=1e-6)


def test_never_dense_as_a_whole():
    """A matrix of 20 million numbers with 100 thousand entries: as an array it would take 160 MB, and its codes too."""
    rows = scipy.sparse.random(100_000, 200, density=0.005, format="csr", random_state=0)
    tracemalloc.start()
    model = orthodict.fit(rows, method="msp", max_iterations=1).model
    codes = model.encode(rows, top=1, sparse=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert codes.nnz <= 100_000
    assert peak < 20e6, "codes take 24 bytes per sample, twice while they are put together"


@pytest.mark.parametrize("matrix, words", [
    (scipy.sparse.csr_matrix((3, 4), dtype=complex), "complex"),
    (scipy.sparse.csr_matrix((0, 4)), "rows"),
])  # fmt: skip
def test_matrices_that_are_refused(matrix, words):
    with pytest.raises(ValueError, match=words):
        orthodict.fit(matrix)


def test_damaged_matrices_are_refused(counts):
    rows = scipy.sparse.csr_matrix(counts)
    rows.indices = rows.indices.copy()
    rows.indices[7] = 12
    with pytest.raises(orthodict.DataError, match="X: .*column index is out of range"):
        orthodict.fit(rows)
    rows.indices[7] = -1
    with pytest.raises(orthodict.DataError, match="X: .*column index is out of range"):
        orthodict.fit(rows)
    bad = scipy.sparse.csr_matrix(counts)
    bad.data[11] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        DictionaryLearner().fit(bad)


def test_texts():
    """Words of the docstrings of the standard library, as CountVectorizer counts them."""
    from sklearn.feature_extraction.text import CountVectorizer

    names = ["argparse", "ast", "csv", "datetime", "email", "glob", "http.client", "inspect", "json", "logging", "os", "re"]
    texts = []
    for name in names:
        path = pathlib.Path(inspect.getsourcefile(importlib.import_module(name)))
        texts += [text for text in re.findall(r'"""(.*?)"""', path.read_text(errors="replace"), re.S) if len(text) > 80]
    counts = CountVectorizer(max_features=60, stop_words="english").fit_transform(texts)
    assert counts.dtype == np.int64 and scipy.sparse.issparse(counts)
    with unwarned():
        learner = DictionaryLearner(10, transform_algorithm="top", transform_k=2, sparse_output=True, random_state=0)
        codes = learner.fit_transform(counts)
    assert codes.shape == (len(texts), 10) and codes.nnz <= 2 * len(texts)
    sources = ICA(5, random_state=0).fit_transform(counts)
    np.testing.assert_allclose(sources.std(axis=0), 1, rtol=1e-8)
