# SPDX-License-Identifier: Apache-2.0
"""partial_fit: learning from a stream, the samples that are kept, and the state after a failed batch."""

import pickle
import warnings

from support import EPSILON, EPSILON_F32, exact, gaussian_data, same_model, sparse_data, unwarned

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import orthodict
from orthodict import DictionaryLearner
from orthodict._reservoir import Reservoir

# Warnings are errors unless a test expects them.
pytestmark = pytest.mark.filterwarnings("error")


def batches(x, size):
    return [x[first:first + size] for first in range(0, len(x), size)]


def stream(x, size, **parameters):
    learner = DictionaryLearner(random_state=0, **parameters)
    for batch in batches(x, size):
        learner.partial_fit(batch)
    return learner


@pytest.mark.parametrize("condition", [1.0, 10.0])
def test_a_stream_is_learned_exactly(condition):
    x, d = sparse_data(10, 40000, condition=condition)
    learner = stream(x, 4000)
    assert learner.n_samples_seen_ == 40000
    assert orthodict.recovery_error(learner, d) <= exact(10, condition)
    assert learner.summary_.samples == 10000, "what is kept"
    assert learner.transform(x).shape == x.shape


def test_what_is_kept_is_bounded():
    """Of 10 features at least 10000 samples, of 30 features 400 times as many; a pickle holds little else."""
    for n, kept in ((10, 10000), (30, 12000)):
        x, _ = sparse_data(n, 24000)
        learner = stream(x, 6000)
        learner = learner.partial_fit(x)
        assert learner.summary_.samples == kept
        # Besides the samples: the model's two matrices, the history and names.
        assert kept * n * 8 <= len(pickle.dumps(learner)) <= kept * (n + 1) * 8 + 2 * n * n * 8 + 30000


def test_few_enough_are_all_kept():
    """Until there are more than that a stream is the same as its samples at once."""
    x, _ = sparse_data(noise=0.1)
    assert stream(x, 4000).summary_.samples == 4000
    # Learned on the same samples from different starts: each is within the tolerance, 1e-6, of where it goes, and
    # steps shrink by no less than a half, so both are within twice that. The error is quadratic, 2*(4e-6)^2.
    at_once = DictionaryLearner(random_state=0).fit(x)
    assert orthodict.recovery_error(stream(x, 500), at_once.components_) <= 2 * (4e-6) ** 2


def test_batches_of_other_sizes_give_the_same():
    """The same 10000 of 30000 samples are kept, so all that differs is the start: bounds as above.

    Others would differ by what samples leave open, noise/sqrt(samples) per coefficient, 1e-3."""
    x, _ = sparse_data(10, 30000, noise=0.1)
    large = stream(x, 30000)
    for size in (15000, 10000, 6000, 4286):
        assert orthodict.recovery_error(stream(x, size), large.components_) <= 2 * (4e-6) ** 2
    other = DictionaryLearner(random_state=1).partial_fit(x)
    assert orthodict.recovery_error(other, large.components_) > 1e-8, "a seed of its own keeps others"


def test_the_part_kept_is_uniform():
    """Every sample is kept with the same probability. Samples here tell in which tenth of the stream they came, and
    their mean is the share of each tenth: hypergeometric, five deviations."""
    kept, seen = 10000, 60000
    tenths = np.repeat(np.eye(10), seen // 10, axis=0)
    shares = stream(tenths, 7001, method="pca").mean_
    assert np.max(abs(shares - 0.1)) <= 5 * np.sqrt(0.1 * 0.9 * (1 - kept / seen) / kept)
    # A share of kept samples is a whole number of them, up to the roundings of a mean.
    assert np.max(abs(shares * kept - np.rint(shares * kept))) <= kept * kept * EPSILON


def test_atoms_keep_their_places_and_signs():
    """Energies are equal, and so are the sizes of an atom's entries: by themselves order and signs, which go by the
    largest, would change from batch to batch."""
    pair = np.array([[1.0, 1.0], [1.0, -1.0]]) / np.sqrt(2)
    d = np.kron(np.kron(pair, pair), pair)
    x = orthodict.synthetic(8, 30000, theta=0.3, noise=0.05, dictionary=d).samples
    learner = DictionaryLearner(random_state=0).partial_fit(x[:3000])
    first = learner.components_
    orders, signs = set(), set()
    for batch in batches(x[3000:], 3000):
        learner.partial_fit(batch)
        # cos² of each is 1 up to n*noise²/(theta*samples), at the first and now, so twice that and some luck.
        assert np.all(np.sum(first * learner.components_, axis=1) >= 1 - 5 * 8 * 0.05**2 / (0.3 * 3000))
        # What finds coefficients moves with the atoms: it is their inverse, to the roundings of products and a solve.
        assert np.max(abs(learner.analysis_ @ learner.components_.T - np.eye(8))) <= 100 * 8 * EPSILON
        alone = orthodict.recovery(DictionaryLearner(random_state=0).fit(batch), d)
        orders.add(tuple(alone.matches))
        signs.add(tuple(alone.signs[np.argsort(alone.matches)]))
    assert len(orders) > 1 and len(signs) > 1, "else there was nothing to keep"


def test_few_samples_change_nothing():
    """Less than a twentieth isn't worth learning from again."""
    x, _ = sparse_data(noise=0.1)
    learner = DictionaryLearner(random_state=0).partial_fit(x[:2000])
    first = learner.model_
    learner.partial_fit(x[2000:2100])
    assert learner.model_ is first
    assert learner.n_samples_seen_ == 2100
    learner.partial_fit(x[2100:2200])
    assert learner.model_ is not first
    assert learner.summary_.samples == 2200


@pytest.mark.parametrize("size", [2, 7])
def test_batches_smaller_than_a_sample_is_wide(size):
    """Two samples have rank two; the stream goes on to full rank."""
    x, d = sparse_data(10, 1000)
    with unwarned():
        learner = stream(x, size)
    assert learner.n_samples_seen_ == 1000
    assert orthodict.recovery_error(learner, d) <= exact(10)


@pytest.mark.parametrize("first, second", [
    ("f8", "f4"), ("f4", "f8"), ("i8", "f8"), ("u1", "i2"), ("i2", "f4"), ("f2", "f8"), ("u8", "i8"), ("u1", "f2")
])  # fmt: skip
def test_batches_of_other_types(first, second):
    """What a stream began with is no reason to change what comes later: whole numbers that any type holds come first,
    and negative ones, larger ones or fractions later."""
    x = 50 * sparse_data(noise=0.05).samples + 128
    early, late = np.clip(np.rint(x[:2000]), 0, 255), (x if second[0] == "f" else np.rint(x))[2000:].astype(second)
    mixed, doubles = DictionaryLearner(random_state=0), DictionaryLearner(random_state=0)
    mixed.partial_fit(early.astype(first)).partial_fit(late)
    doubles.partial_fit(early).partial_fit(late.astype(np.float64))
    # At worst samples are kept in single precision. That moves an entry by eps/2 of 128 and more, 6 times the spread
    # of an entry, and an atom by no more than sqrt(n) as much as an entry.
    assert np.max(abs(mixed.components_ - doubles.components_)) <= 6 * EPSILON_F32 * np.sqrt(10)


def test_batches_with_other_features():
    x, d = sparse_data()
    learner = DictionaryLearner(random_state=0).partial_fit(x[:2000])
    with pytest.raises(ValueError, match="X has 9 features, but DictionaryLearner is expecting 10"):
        learner.partial_fit(x[2000:, :9])
    assert learner.n_samples_seen_ == 2000
    learner.partial_fit(x[2000:])
    assert learner.n_samples_seen_ == 4000
    assert orthodict.recovery_error(learner, d) <= exact(10)


@pytest.mark.parametrize("size", [10, 2000])
def test_a_bad_batch_is_refused_and_forgotten(size):
    """Whether it is large enough to learn from or not."""
    x, _ = sparse_data()
    learner = DictionaryLearner(random_state=0).partial_fit(x[:2000])
    bad = x[2000:2000 + size].copy()
    bad[-1, 3] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        learner.partial_fit(bad)
    assert learner.n_samples_seen_ == 2000
    learner.partial_fit(x[2000:])
    undisturbed = DictionaryLearner(random_state=0).partial_fit(x[:2000]).partial_fit(x[2000:])
    assert same_model(learner, undisturbed)


def test_a_bad_first_batch_leaves_nothing():
    x, d = sparse_data()
    learner = DictionaryLearner(random_state=0)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        learner.partial_fit(np.where(np.arange(len(x))[:, None] == 7, np.nan, x))
    with pytest.raises(NotFittedError):
        learner.transform(x)
    assert orthodict.recovery_error(learner.partial_fit(x), d) <= exact(10)


def test_a_stream_after_a_fit_starts_anew():
    x, d = sparse_data()
    _, other = sparse_data(seed=5)
    learner = DictionaryLearner(random_state=0).fit(sparse_data(seed=5).samples)
    assert orthodict.recovery_error(learner, other) <= exact(10)
    learner.partial_fit(x)
    assert learner.n_samples_seen_ == len(x)
    assert orthodict.recovery_error(learner, d) <= exact(10)
    assert same_model(learner, DictionaryLearner(random_state=0).partial_fit(x))


def test_a_fit_after_a_stream_starts_anew():
    x, _ = sparse_data()
    learner = stream(sparse_data(seed=5).samples, 1000).fit(x)
    assert learner.n_samples_seen_ == len(x)
    assert learner.model_ == DictionaryLearner(random_state=0).fit(x).model_


def test_a_stream_goes_on_after_pickling():
    x, _ = sparse_data(10, 24000, noise=0.1)
    through, whole = DictionaryLearner(random_state=0), stream(x, 6000)
    for batch in batches(x, 6000):
        through = pickle.loads(pickle.dumps(through)).partial_fit(batch)
    assert same_model(through, whole)


def test_batches_are_copied():
    """What is kept of a batch stays when the caller reuses its memory."""
    x, d = sparse_data()
    learner, buffer = DictionaryLearner(random_state=0), np.empty((1000, 10))
    for batch in batches(x, 1000):
        buffer[:] = batch
        learner.partial_fit(buffer)
        buffer[:] = np.nan
    assert orthodict.recovery_error(learner, d) <= exact(10)


def test_streams_of_fewer_components():
    x, d = sparse_data()
    learner = stream(x, 1000, n_components=4)
    found = orthodict.recovery(learner, d)
    assert learner.components_.shape == (4, 10)
    # cosine = sqrt(1 - sin²), and what is exact to n*eps*condition has squares below rounding.
    assert found.worst_cosine >= 1 - 10 * EPSILON


@pytest.mark.parametrize("method", ["msp", "fastica", "online"])
def test_streams_of_other_methods(method):
    """They start where the last batch ended, so the error is theirs on the samples at once, up to the tolerance."""
    x, d = sparse_data()
    learner = stream(x, 1000, method=method)
    at_once = DictionaryLearner(random_state=0, method=method).fit(x)
    assert orthodict.recovery_error(learner, at_once.components_) <= 2 * (4e-6) ** 2 * 10
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner.partial_fit(x)


def test_a_first_batch_that_nothing_can_be_learned_from_is_forgotten():
    x, _ = sparse_data()
    learner = DictionaryLearner(random_state=0)
    with pytest.raises(ValueError, match="all samples are equal"):
        learner.partial_fit(np.ones((50, 10)))
    assert learner.partial_fit(x).n_samples_seen_ == len(x)


@pytest.mark.parametrize("seen", [2000, 12000])
def test_a_batch_whose_refinement_fails_can_be_tried_again(seen):
    """Whether the samples that are kept still grow or are replaced; or left out."""
    x, _ = sparse_data(samples=16000, noise=0.1)
    first, second = x[:seen], x[seen:]

    def fail(_):
        raise KeyboardInterrupt

    learner = DictionaryLearner(random_state=0).partial_fit(first)
    learner.set_params(callback=fail)
    with pytest.raises(KeyboardInterrupt):
        learner.partial_fit(second)
    assert learner.n_samples_seen_ == seen
    learner.set_params(callback=None)
    for batch in (second, second[::-1][:2000]):
        again = pickle.loads(pickle.dumps(learner)).partial_fit(batch)
        assert again.n_samples_seen_ == seen + len(batch)
        assert same_model(again, DictionaryLearner(random_state=0).partial_fit(first).partial_fit(batch))


def test_a_stream_goes_on_from_the_atoms_at_hand():
    x, _ = sparse_data()
    learner = DictionaryLearner(random_state=0).partial_fit(x[:2000])
    assert learner.model_.details["options"]["init"] == "random"
    assert learner.partial_fit(x[2000:]).model_.details["options"]["init"] == "given"


def test_samples_that_are_kept_stay_as_they_are():
    """Whatever the type of those that come later."""
    reservoir = Reservoir(2, seed=0)
    for batch in (np.full((3, 2), 0.1), np.full((3, 2), 7, dtype=np.int8), np.full((3, 2), 0.1, dtype=np.float32)):
        with reservoir.adding(batch):
            pass
    assert np.array_equal(reservoir.samples(), np.repeat([[0.1], [7], [np.float32(0.1)]], 3, axis=0) * np.ones(2))


def test_a_stream_warns_too():
    with pytest.warns(ConvergenceWarning, match="confirm no atom"):
        DictionaryLearner(random_state=0).partial_fit(gaussian_data())


@pytest.mark.parametrize("n_components", [None, 6, 0.9])
def test_the_first_batches_may_be_small(n_components):
    """There is nothing to learn from one sample; then as many components as samples allow, up to those asked for."""
    x, _ = sparse_data()
    learner = DictionaryLearner(n_components, random_state=0).partial_fit(x[:1])
    assert learner.n_samples_seen_ == 1 and not hasattr(learner, "model_")
    numbers = []
    for first, last in ((1, 4), (4, 9), (9, 2000), (2000, 4000)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that nothing is established yet
            numbers.append(len(learner.partial_fit(x[first:last]).components_))
    assert numbers[0] <= 4 and numbers[1] <= (6 if n_components == 6 else 9)
    if n_components == 0.9:
        assert numbers[2] < 10
    else:
        assert numbers[-1] == (n_components or 10)
        assert learner.n_samples_seen_ == 4000
    with unwarned():
        fresh = DictionaryLearner(n_components, random_state=0).partial_fit(x)
    np.testing.assert_allclose(np.abs(learner.components_ @ fresh.components_.T).max(axis=1), 1, atol=1e-9)


def test_a_start_for_a_stream():
    x, d = sparse_data()
    learner = DictionaryLearner(dict_init=d, random_state=0).partial_fit(x[:2000])
    assert learner.model_.details["options"]["init"] == "given"
