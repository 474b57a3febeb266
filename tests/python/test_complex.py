# SPDX-License-Identifier: Apache-2.0
"""Complex samples."""

import pickle

import numpy as np
import pytest

import orthodict
from orthodict import DictionaryLearner


@pytest.fixture(scope="module")
def data():
    return orthodict.synthetic(16, 600, theta=0.3, seed=2, complex=True)


@pytest.fixture(scope="module")
def learned(data):
    return orthodict.fit(data.samples, seed=1)


def test_the_dictionary_is_recovered(data, learned):
    model = learned.model
    assert model.dictionary.dtype == model.analysis.dtype == model.mean.dtype == np.complex128
    assert model.dictionary.shape == (16, 16)
    assert learned.summary.dimension == learned.summary.rank == learned.summary.atoms == 16
    found = orthodict.recovery(learned, data.dictionary)
    assert found.error < 1e-12 and found.hits == 16 and found.signs.size == 0
    turned = found.phases[:, None] * model.dictionary
    assert np.abs(turned - data.dictionary[found.matches]).max() < 1e-9
    assert "16 complex features" in repr(model)


def test_atoms_have_a_real_positive_largest_entry(learned):
    atoms = learned.model.dictionary
    largest = atoms[np.arange(len(atoms)), np.abs(atoms).argmax(axis=1)]
    assert (largest.imag == 0).all() and (largest.real > 0).all()
    assert (learned.model.analysis == atoms.conj()).all()


def test_codes_and_samples_follow_the_documented_formulas(data):
    mixed, _ = orthodict.synthetic(8, 500, condition=10, seed=3, complex=True)
    model = orthodict.fit(mixed).model
    codes = model.encode(mixed)
    assert codes.dtype == np.complex128 and codes.shape == (500, 8)
    assert np.abs(codes - (mixed - model.mean) @ model.analysis.T).max() < 1e-10
    assert np.abs(model.decode(codes) - (model.mean + codes @ model.dictionary)).max() < 1e-10
    assert np.abs(model.decode(codes) - mixed).max() < 1e-8
    few = model.encode(mixed, top=2)
    assert (np.count_nonzero(few, axis=1) <= 2).all()
    kept = np.abs(model.encode(mixed, threshold=0.5))
    assert ((kept == 0) | (kept >= 0.5)).all()


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda x: np.repeat(x, 2, axis=1)[:, ::2], lambda x: x[::-1][::-1],
                                    lambda x: x.astype(">c16"), lambda x: x.tolist()])
def test_any_layout_gives_the_same_model(data, learned, layout):
    assert orthodict.fit(layout(data.samples), seed=1).model == learned.model


def test_single_precision_stays_single(data, learned):
    single = data.samples.astype(np.complex64)
    assert orthodict.recovery_error(orthodict.fit(single), data.dictionary) < 1e-6
    codes = learned.model.encode(single)
    assert codes.dtype == np.complex64
    assert learned.model.decode(codes).dtype == np.complex64


def test_columns_and_ranks_of_axes(data, learned):
    assert orthodict.fit(data.samples.T, columns=True, seed=1).model == learned.model


def test_real_samples_given_as_complex_have_the_same_atoms():
    x, truth = orthodict.synthetic(12, 300, seed=4)
    plain, other = orthodict.fit(x), orthodict.fit(x.astype(complex))
    assert orthodict.recovery_error(other, plain.model.dictionary) < 1e-10
    assert orthodict.recovery_error(other, truth) < 1e-10
    assert other.model.encode(x).dtype == np.complex128  # real samples are complex ones too


def test_starts_and_truths_may_be_complex(data):
    start = orthodict.fit(data.samples, method="msp", max_iterations=0, init=data.dictionary)
    assert orthodict.recovery_error(start, data.dictionary) < 1e-12
    with pytest.raises(ValueError, match="init has complex numbers"):
        orthodict.fit(data.samples.real, init=data.dictionary)


@pytest.mark.parametrize("stretch", ["l4", "l3", "power:6", "soft:0.5", "hard:0.5", "logcosh"])
def test_every_stretch_learns(stretch):
    many = orthodict.synthetic(6, 10000, theta=0.2, seed=2, complex=True)  # high powers need many samples
    assert orthodict.recovery(orthodict.fit(many.samples, stretch=stretch, seed=1), many.dictionary).worst_cosine > 0.9


def test_models_are_saved_pickled_and_compared(tmp_path, learned):
    path = tmp_path / "model.npz"
    orthodict.save(path, learned)
    assert np.load(path)["dictionary"].dtype == np.complex128
    assert orthodict.load(path) == learned.model == pickle.loads(pickle.dumps(learned.model))


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_files_keep_complex_numbers(tmp_path, data, dtype):
    x = data.samples.astype(dtype)
    orthodict.write(tmp_path / "x.npy", x)
    assert (orthodict.read(tmp_path / "x.npy") == x).all()
    assert orthodict.read(tmp_path / "x.npy").dtype == dtype
    with pytest.raises(ValueError, match=r"complex numbers: the name must end in \.npy"):
        orthodict.write(tmp_path / "x.csv", x)


def test_the_estimator_learns_from_complex_samples(data):
    learner = DictionaryLearner(random_state=1, transform_algorithm="threshold")
    codes = learner.fit_transform(data.samples)
    assert learner.components_.dtype == codes.dtype == np.complex128
    assert orthodict.recovery_error(learner, data.dictionary) < 1e-12
    assert abs(np.mean(codes != 0) - 0.3) < 0.03
    assert np.abs(learner.inverse_transform(codes) - data.samples).max() < 1e-8
    assert learner.score(data.samples) == pytest.approx(1)
    assert learner.n_features_in_ == 16
    with pytest.raises(ValueError, match="17 features|expecting 16"):
        learner.transform(np.ones((3, 17), complex))
    with pytest.raises(ValueError, match="NaN|infinity|inf"):
        DictionaryLearner().fit(np.full((30, 4), np.nan + 1j))


def test_the_estimator_learns_from_a_stream(data):
    learner = DictionaryLearner(random_state=1)
    for first in range(0, 600, 200):
        learner.partial_fit(data.samples[first:first + 200])
    assert orthodict.recovery_error(learner, data.dictionary) < 1e-10


@pytest.mark.parametrize("options, words", [
    ({"dictionary": "overcomplete"}, "complex"), ({"runs": 3}, "complex"), ({"method": "ksvd"}, "complex"),
    ({"atoms": 17}, "complex"), ({"atoms": 3, "whiten": "pca", "runs": 2}, "complex"),
])  # fmt: skip
def test_what_needs_real_samples_refuses_complex_ones(data, options, words):
    with pytest.raises(ValueError, match=words):
        orthodict.fit(data.samples, **options)


@pytest.mark.parametrize("options", [{"coder": "omp:2"}, {"penalty": 0.1}, {"sparse": True, "top": 2},
                                     {"top": 2, "refit": True}])
def test_coders_of_real_numbers_refuse_complex_ones(data, learned, options):
    with pytest.raises(ValueError, match="complex"):
        learned.model.encode(data.samples, **options)


def not_circular(kind, samples, features):
    """Gaussian samples without structure, real and imaginary parts of which are of different size or dependent."""
    random = np.random.default_rng(3)
    real = random.standard_normal((samples, features))
    if kind == "real":
        return (real @ random.standard_normal((features, features))).astype(complex)
    mixing = random.standard_normal((features, features)) + 1j * random.standard_normal((features, features))
    if kind == "spectra":
        noise, window = random.standard_normal(8 * samples), np.hanning(2 * features)
        starts = np.linspace(0, len(noise) - len(window), samples).astype(int)
        return np.array([np.fft.rfft(window * noise[i:i + len(window)])[:features] for i in starts])
    share = 0.5 if kind == "alike" else np.linspace(0, 0.95, features)
    return (real + 1j * share * random.standard_normal((samples, features))) @ mixing


@pytest.mark.parametrize("kind", ["real", "spectra", "alike", "unlike"])
@pytest.mark.parametrize("samples", [300, 4000])
def test_no_gaussian_is_established_whatever_its_real_and_imaginary_parts(kind, samples):
    learned = orthodict.fit(not_circular(kind, samples, 12), seed=1)
    assert learned.summary.established == 0
    assert learned.summary.termination == "not_established"


def test_confidence_of_sources_that_moduli_do_not_tell_apart():
    """Two sources of ±1 add up to two of four phases, whose moduli are as constant."""
    random = np.random.default_rng(1)
    mixing = random.standard_normal((8, 8)) + 1j * random.standard_normal((8, 8))
    learned = orthodict.fit(np.sign(random.standard_normal((4000, 8))) @ mixing, seed=1)
    unit = mixing / np.linalg.norm(mixing, axis=1, keepdims=True)
    cosines2 = np.max(np.abs(learned.model.dictionary.conj() @ unit.T) ** 2, axis=1)
    assert np.mean(cosines2) < 0.9 and np.mean(learned.model.confidence) < np.mean(cosines2) + 0.05
