# SPDX-License-Identifier: Apache-2.0
"""Models: attributes, codes and samples, and files."""

import copy
import gc
import json
import os
import pathlib
import pickle
import zipfile

import numpy as np
import pytest
import scipy.stats
from support import EPSILON, child, listing, on_a_full_disk, product_rounding, same_bits, sparse_data, unsanitized

import orthodict
from orthodict import Model

FIELDS = ("dictionary", "analysis", "mean", "confidence")


def by_hand(atoms=3, features=5, confidence=True):
    rng = np.random.default_rng(0)
    dictionary = rng.standard_normal((atoms, features))
    return Model(dictionary, np.linalg.pinv(dictionary).T, rng.standard_normal(features),
                 rng.random(atoms) if confidence else None, '{"made": "by hand"}')  # fmt: skip


@pytest.fixture(scope="module")
def learned():
    """A model with a mean, and an analysis of its own."""
    return orthodict.fit(sparse_data(condition=3.0).samples + 1.0, seed=7).model


# Attributes.


def test_arrays_are_as_given():
    rng = np.random.default_rng(0)
    given = {"dictionary": rng.standard_normal((3, 5)), "analysis": rng.standard_normal((3, 5)),
             "mean": rng.standard_normal(5), "confidence": rng.random(3)}  # fmt: skip
    model = Model(**given)
    for name, array in given.items():
        assert same_bits(getattr(model, name), array)
        array[...] = 0
        assert np.any(getattr(model, name)), "the model has its own"
    assert model.metadata == "{}"
    assert model.details == {}


def test_lists_integers_and_fortran_order_are_fine():
    expected = Model(np.eye(2), 2 * np.eye(2), np.ones(2))
    assert Model([[1, 0], [0, 1]], [[2, 0], [0, 2]], [1, 1]) == expected
    assert Model(np.eye(2, dtype="f4", order="F"), 2 * np.eye(2, dtype="i1"), (True, True)) == expected
    analysis = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert Model(np.eye(2), np.asfortranarray(analysis), np.zeros(2)) == Model(np.eye(2), analysis, np.zeros(2))


@pytest.mark.parametrize("change, words", [
    ({"dictionary": np.ones(3)}, "dictionary has 1 dimensions"),
    ({"dictionary": np.ones((1, 2, 3))}, "dictionary has 3 dimensions"),
    ({"dictionary": np.full((3, 5), np.nan)}, "finite"),
    ({"confidence": np.ones(3) + 1j}, "confidence.*complex"),
    ({"dictionary": np.ones((0, 5)), "analysis": np.ones((0, 5))}, "empty"),
    ({"analysis": np.ones((4, 5))}, "dictionary is 3×5, analysis 4×5"),
    ({"analysis": np.full((3, 5), np.inf)}, "finite"),
    ({"mean": np.ones(4)}, "mean"),
    ({"mean": np.ones((5, 1))}, "mean"),
    ({"mean": 0.0}, "mean"),
    ({"mean": np.full(5, np.nan)}, "finite"),
    ({"confidence": np.ones(4)}, "confidence has 4 entries"),
    ({"confidence": np.ones((3, 1))}, "confidence"),
    ({"confidence": np.full(3, np.nan)}, "finite"),
])  # fmt: skip
def test_models_that_are_wrong(change, words):
    parts = {"dictionary": np.ones((3, 5)), "analysis": np.ones((3, 5)), "mean": np.ones(5)}
    with pytest.raises(ValueError, match=words):
        Model(**{**parts, **change})


def test_metadata_is_text():
    with pytest.raises(TypeError):
        Model(np.eye(2), np.eye(2), np.zeros(2), None, {"made": "by hand"})


def test_models_do_not_change(learned):
    for name in FIELDS:
        with pytest.raises((AttributeError, TypeError)):
            setattr(learned, name, np.zeros(3))
        with pytest.raises(ValueError, match="read-only"):
            getattr(learned, name)[...] = 0
    with pytest.raises((AttributeError, TypeError)):
        learned.anything = 1
    with pytest.raises((AttributeError, TypeError)):
        del learned.mean


def test_arrays_outlive_their_model():
    x, _ = sparse_data()
    arrays = [orthodict.fit(x, seed=7).model.dictionary for _ in range(20)]
    gc.collect()
    expected = orthodict.fit(x, seed=7).model.dictionary
    assert all(same_bits(array, expected) for array in arrays)


def test_order_and_signs(learned):
    """By falling energy, and with the largest entry positive, at unit norm."""
    x = sparse_data(condition=3.0).samples + 1.0
    energy = np.mean(learned.encode(x) ** 2, axis=0)
    assert np.all(np.diff(energy) <= EPSILON * len(x) * energy[0])
    atoms = learned.dictionary
    assert np.all(atoms[np.arange(10), np.argmax(abs(atoms), axis=1)] > 0)
    assert np.max(abs(np.sum(atoms**2, axis=1) - 1)) <= 20 * EPSILON


def test_details(learned):
    details = learned.details
    assert details == json.loads(learned.metadata)
    assert details["version"] == orthodict.__version__
    assert details["options"]["seed"] == 7
    assert details["summary"]["atoms"] == 10
    details["options"]["seed"] = 8
    assert learned.details["options"]["seed"] == 7, "what is handed out is a copy"


def test_metadata_that_cannot_be_read():
    """It is a note: nothing else depends on it."""
    model = Model(np.eye(2), np.eye(2), np.zeros(2), metadata="{broken")
    assert model.encode([[1.0, 2.0]]).tolist() == [[1.0, 2.0]]
    with pytest.raises(ValueError):
        model.details


def test_representation(learned):
    assert repr(learned) == "Model of 10 atoms with 10 features"
    assert repr(by_hand()) == "Model of 3 atoms with 5 features"


def test_representation_in_notebooks(learned):
    shown = learned._repr_html_()
    assert shown.startswith("<table>") and "Model of 10 atoms with 10 features" in shown
    assert "<td style='text-align:left'>10 of 10</td>" in shown, "confident atoms"
    assert "by hand" not in by_hand()._repr_html_()
    risky = Model(np.eye(2), np.eye(2), np.zeros(2), metadata='{"summary": {"message": "<script>"}}')
    assert "<script>" not in risky._repr_html_()


# Equality and copies.


def test_equality():
    model = by_hand()
    assert model == by_hand()
    assert not model != by_hand()
    for other in (by_hand(4), by_hand(3, 6), by_hand(confidence=False), None, 3, "model", model.dictionary.tolist()):
        assert model != other
    for name in FIELDS:
        arrays = {each: getattr(model, each) for each in FIELDS}
        arrays[name] = 1.25 * arrays[name]
        assert model != Model(**arrays, metadata=model.metadata)
    assert model != Model(*(getattr(model, name) for name in FIELDS), metadata="{}")
    with pytest.raises(TypeError, match="unhashable"):
        hash(model)


@pytest.mark.parametrize("make", [
    copy.copy, copy.deepcopy,
    *(lambda model, p=p: pickle.loads(pickle.dumps(model, protocol=p)) for p in range(pickle.HIGHEST_PROTOCOL + 1)),
], ids=["copy", "deepcopy", *(f"pickle {p}" for p in range(pickle.HIGHEST_PROTOCOL + 1))])  # fmt: skip
@pytest.mark.parametrize("confidence", [True, False])
def test_copies(make, confidence):
    model = by_hand(confidence=confidence)
    again = make(model)
    assert again == model
    assert (again.confidence is None) == (not confidence)
    assert not again.dictionary.flags.writeable
    x = np.random.default_rng(1).standard_normal((7, 5))
    assert same_bits(again.encode(x), model.encode(x))


# Codes and samples.


@pytest.mark.parametrize("count", [0, 1, 1023, 1024, 1025, 4000])
def test_codes_are_products(learned, count):
    x = sparse_data(condition=3.0).samples[:count] + 1.0
    codes = learned.encode(x)
    assert codes.shape == (count, 10)
    expected = (x - learned.mean) @ learned.analysis.T
    assert np.all(abs(codes - expected) <= product_rounding(x - learned.mean, learned.analysis.T))
    back = learned.decode(codes)
    assert back.shape == (count, 10)
    expected = codes @ learned.dictionary + learned.mean
    bound = product_rounding(codes, learned.dictionary) + 2 * EPSILON * abs(expected)
    assert np.all(abs(back - expected) <= bound)


def test_codes_of_fewer_atoms():
    model = by_hand()
    x = np.random.default_rng(1).standard_normal((7, 5))
    assert model.encode(x).shape == (7, 3)
    assert model.decode(model.encode(x)).shape == (7, 5)
    # Codes are the least-squares solution: residuals are orthogonal to the atoms. Norms here are below 10.
    left = x - model.decode(model.encode(x))
    assert np.max(abs(left @ model.dictionary.T)) <= 100 * 5 * EPSILON * np.linalg.cond(model.dictionary)


@pytest.mark.parametrize("top", [1, 2, 9, 10, np.int64(3)])
def test_the_largest_coefficients(learned, top):
    x = sparse_data(condition=3.0).samples
    dense = learned.encode(x)
    least = np.sort(abs(dense), axis=1)[:, -top, None]
    assert np.array_equal(learned.encode(x, top=top), np.where(abs(dense) >= least, dense, 0))


def test_ties_go_to_the_earlier_atom():
    model = Model(np.eye(4), np.eye(4), np.zeros(4))
    codes = model.encode([[1.0, -2.0, 2.0, -1.0], [3.0, 3.0, 3.0, 3.0]], top=2)
    assert codes.tolist() == [[0.0, -2.0, 2.0, 0.0], [3.0, 3.0, 0.0, 0.0]]
    assert model.encode([[1.0, -2.0, 2.0, -1.0]], top=1).tolist() == [[0.0, -2.0, 0.0, 0.0]]


@pytest.mark.parametrize("threshold", [0, 0.5, 1.5, 1e9])
def test_coefficients_above_a_threshold(learned, threshold):
    x = sparse_data(condition=3.0).samples
    dense = learned.encode(x)
    assert np.array_equal(learned.encode(x, threshold=threshold), np.where(abs(dense) >= threshold, dense, 0))


def test_a_threshold_is_reached_by_what_equals_it():
    model = Model(np.eye(3), np.eye(3), np.zeros(3))
    assert model.encode([[0.5, -0.5, 0.25]], threshold=0.5).tolist() == [[0.5, -0.5, 0.0]]
    assert model.encode([[0.5, -0.5, 0.75]], threshold=0.5, top=1).tolist() == [[0.0, 0.0, 0.75]]


def heavy_tailed(samples=4000):
    """Codes of an exponential and a normal distribution, of exact zeros, and of one value."""
    rng = np.random.default_rng(8)
    few = rng.standard_normal(samples) * (rng.random(samples) < 0.01)
    return np.column_stack([rng.exponential(size=samples), rng.standard_normal(samples), few, np.full(samples, 3.0)])


def k2_threshold_by_hand(codes, cutoff):
    """As pymodulon's way of finding genes of an iModulon: members are taken away until K² is small."""
    ordered = np.sort(np.abs(codes))
    signed = codes[np.argsort(np.abs(codes), kind="stable")]
    left = len(codes)
    while scipy.stats.normaltest(signed[:left]).statistic > cutoff:
        left -= 1
    return np.inf if left == len(codes) else (ordered[left - 1] + ordered[left]) / 2


@pytest.mark.parametrize("rule, cutoff", [("k2", 550), ("k2:100", 100), ("k2:3", 3)])
def test_k2_is_that_of_scipy(rule, cutoff):
    x = heavy_tailed()[:, :2]
    model = Model(np.eye(2), np.eye(2), np.zeros(2))
    np.testing.assert_allclose(model.thresholds(x, rule), [k2_threshold_by_hand(z, cutoff) for z in x.T], rtol=1e-12)


def test_thresholds_of_other_codes():
    """Zeros stand back behind all else. Nothing stands out of a normal distribution, or of a single value."""
    x = heavy_tailed()
    model = Model(np.eye(4), np.eye(4), np.zeros(4))
    k2, mixture = model.thresholds(x, "k2:60"), model.thresholds(x, "mixture")
    assert 0 < mixture[2] < np.min(np.abs(x[x[:, 2] != 0, 2]))
    assert np.isinf(k2[[1, 3]]).all() and np.isinf(mixture[[1, 3]]).all()
    assert mixture[0] < np.inf and k2[2] < np.inf


@pytest.mark.parametrize("sparse", [False, True])
def test_codes_that_stand_out_at_unit_variance(learned, sparse):
    x = sparse_data(condition=3.0).samples + 1.0
    dense = learned.encode(x)
    thresholds = learned.thresholds(x, "mixture")
    expected = np.where(np.abs(dense) >= thresholds, dense, 0) / dense.std(axis=0)
    codes = learned.encode(x, threshold="mixture", unit_variance=True, sparse=sparse)
    np.testing.assert_allclose(codes.toarray() if sparse else codes, expected, rtol=1e-12)
    np.testing.assert_allclose(learned.encode(x, unit_variance=True).std(axis=0), 1, rtol=1e-12)


@pytest.mark.parametrize("options, words", [
    ({"threshold": "k3"}, "threshold = k3: must be a number, k2, k2:CUTOFF"),
    ({"threshold": "k2:0"}, "k2:0"),
    ({"threshold": "k2", "top": 2}, "must be a number with coder, top or refit"),
])  # fmt: skip
def test_rules_that_are_wrong(learned, options, words):
    with pytest.raises(ValueError, match=words):
        learned.encode(sparse_data().samples, **options)
    with pytest.raises(ValueError, match="rule = k3: must be"):
        learned.thresholds(sparse_data().samples, "k3")


def test_data_frames_keep_their_index(learned):
    pandas = pytest.importorskip("pandas")
    x = sparse_data().samples
    names = [f"b{i:04}" for i in range(len(x))]
    frame = pandas.DataFrame(x, index=names)
    codes = learned.encode(frame)
    assert list(codes.index) == names and list(codes.columns[:2]) == ["atom0", "atom1"]
    assert same_bits(codes.to_numpy(), learned.encode(x))
    back = learned.decode(codes)
    assert list(back.index) == names and back.shape == frame.shape
    assert isinstance(learned.encode(x), np.ndarray)


def test_columns_have_to_have_the_names_that_were_learned_from(tmp_path):
    pandas = pytest.importorskip("pandas")
    x = sparse_data().samples
    frame = pandas.DataFrame(x, columns=[f"condition{i}" for i in range(x.shape[1])])
    model = orthodict.fit(frame, max_iterations=2).model
    assert model.feature_names == list(frame.columns)
    frame.to_csv(tmp_path / "x.csv")
    assert orthodict.fit(tmp_path / "x.csv", max_iterations=2).model.feature_names == list(frame.columns)
    codes = model.encode(frame)
    assert list(model.decode(codes).columns) == list(frame.columns)
    np.testing.assert_array_equal(model.encode(x), codes)
    for use in (model.encode, model.thresholds):
        with pytest.raises(ValueError, match='X: feature 1 is "condition1", but .* another order'):
            use(frame[["condition1", "condition0", *frame.columns[2:]]])
    with pytest.raises(ValueError, match='feature 2 is "other"'):
        model.encode(frame.rename(columns={"condition1": "other"}))
    assert orthodict.fit(pandas.DataFrame(x), max_iterations=2).model.feature_names == []
    assert orthodict.DictionaryLearner().fit(frame).model_.feature_names == list(frame.columns)


@pytest.mark.parametrize("dtype, result", [("f4", "f4"), ("f8", "f8"), ("f2", "f8"), ("u1", "f8"), ("i8", "f8"),
                                           ("?", "f8"), (">f8", "f8"), (">f4", "f4"), ("longdouble", "f8")])
def test_single_precision_is_answered_in_kind(learned, dtype, result):
    x = (sparse_data().samples[:50] > 0).astype(dtype)
    for answer in (learned.encode(x), learned.decode(x)):
        assert answer.dtype == np.dtype(result)
        assert answer.flags.c_contiguous and answer.flags.writeable and answer.flags.owndata
    assert same_bits(learned.encode(x), learned.encode(x.astype("f8")).astype(result))


@pytest.mark.parametrize("threads", [1, 2, 3, 64, None])
def test_threads_change_nothing(learned, threads):
    x = sparse_data().samples
    assert same_bits(learned.encode(x, threads=threads), learned.encode(x, threads=1))
    assert same_bits(learned.decode(x, threads=threads), learned.decode(x, threads=1))


@pytest.mark.parametrize("name", ["encode", "decode"])
@pytest.mark.parametrize("samples, error, words", [
    (np.ones((3, 9)), ValueError, "9 columns, but the model has 10"),
    (np.ones((0, 9)), ValueError, "9 columns, but the model has 10"),
    (np.ones(10), ValueError, "has 1 dimensions"),
    (np.ones((2, 10, 10)), ValueError, "has 3 dimensions"),
    (np.ones((3, 10)) + 1j, ValueError, "complex numbers, but the model is real"),
    (np.full((3, 10), "a"), ValueError, "<U1"),
    (None, ValueError, "has 0 dimensions"),
])  # fmt: skip
def test_samples_that_are_wrong(learned, name, samples, error, words):
    with pytest.raises(error, match=words):
        getattr(learned, name)(samples)


@pytest.mark.parametrize("name", ["encode", "decode"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_values_that_are_not_finite(learned, name, value, dtype):
    bad = sparse_data().samples.astype(dtype)
    bad[2345, 4] = value
    with pytest.raises(ValueError, match=r"row 2345 \(counting from 0\) has values that aren't finite"):
        getattr(learned, name)(bad)


@pytest.mark.parametrize("options, error, words", [
    ({"top": 0}, ValueError, "top = 0: must be an integer from 1 to 10"),
    ({"top": 11}, ValueError, "top = 11: must be an integer from 1 to 10"),
    ({"top": -1}, ValueError, "top = -1"),
    ({"top": 2.0}, TypeError, "top must be an integer"),
    ({"top": "2"}, TypeError, "top must be an integer"),
    ({"threshold": -0.5}, ValueError, "threshold = -0.5: must be a finite number ≥ 0"),
    ({"threshold": np.nan}, ValueError, "threshold = nan: must be a finite number ≥ 0"),
    ({"threshold": np.inf}, ValueError, "threshold = inf: must be a finite number ≥ 0"),
    ({"threshold": "1"}, ValueError, "threshold = 1: must be a number, k2"),
    ({"threads": 0}, ValueError, "threads = 0: must be an integer from 1 to 4096"),
    ({"threads": 1.0}, TypeError, "threads must be an integer"),
    ({"k": 3}, TypeError, "k"),
])  # fmt: skip
def test_options_that_are_wrong(learned, options, error, words):
    with pytest.raises(error, match=words):
        learned.encode(np.ones((3, 10)), **options)


# Files.


@pytest.mark.parametrize("kind", [str, pathlib.Path])
@pytest.mark.parametrize("confidence", [True, False])
def test_through_a_file_and_back(tmp_path, kind, confidence):
    model = by_hand(confidence=confidence)
    model.save(kind(tmp_path / "a.npz"))
    orthodict.save(kind(tmp_path / "b.npz"), model)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert orthodict.load(kind(tmp_path / "a.npz")) == model
    assert listing(tmp_path) == ["a.npz", "b.npz"]


def test_numpy_opens_the_file(learned, tmp_path):
    learned.save(tmp_path / "m.npz")
    with np.load(tmp_path / "m.npz") as arrays:
        assert set(arrays.files) == {"dictionary", "analysis", "mean", "confidence", "metadata"}
        for name in FIELDS:
            assert same_bits(arrays[name], getattr(learned, name))
        assert json.loads(str(arrays["metadata"])) == learned.details


def test_files_that_numpy_wrote(tmp_path):
    np.savez_compressed(tmp_path / "m.npz", dictionary=np.eye(3), analysis=np.eye(3), mean=np.zeros(3), metadata="{}")
    assert orthodict.load(tmp_path / "m.npz") == Model(np.eye(3), np.eye(3), np.zeros(3))


def test_what_can_be_saved(tmp_path):
    x, _ = sparse_data()
    result = orthodict.fit(x, seed=7, precision="mixed")
    learner = orthodict.DictionaryLearner(random_state=7).fit(x)
    for i, each in enumerate((result, result.model, learner)):
        orthodict.save(tmp_path / f"{i}.npz", each)
        assert (tmp_path / f"{i}.npz").read_bytes() == (tmp_path / "0.npz").read_bytes()
    orthodict.save(tmp_path / "atoms.npz", 2 * np.eye(3))
    assert same_bits(orthodict.load(tmp_path / "atoms.npz").analysis, np.eye(3) / 2)
    with pytest.raises(ValueError, match="DictionaryLearner has no model yet: call fit first"):
        orthodict.save(tmp_path / "none.npz", orthodict.DictionaryLearner())
    assert "none.npz" not in listing(tmp_path)


def test_a_file_is_replaced_whole(tmp_path):
    """Through a link, with its permissions; a reader of the old one keeps it."""
    path = tmp_path / "m.npz"
    by_hand(3).save(path)
    path.chmod(0o640)
    (tmp_path / "link.npz").symlink_to(path)
    with zipfile.ZipFile(path) as held:
        by_hand(4).save(tmp_path / "link.npz")
        assert held.testzip() is None
    assert (tmp_path / "link.npz").is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert orthodict.load(path).dictionary.shape == (4, 5)


@pytest.mark.parametrize("name", ["m", "m.npy", "m.npz.gz", "m.NPZ"])
def test_other_names_for_models(tmp_path, name):
    with pytest.raises(ValueError, match=rf"{name}.*must be an \.npz file"):
        by_hand().save(tmp_path / name)
    assert listing(tmp_path) == []


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="missing.npz"):
        orthodict.load(tmp_path / "missing.npz")
    with pytest.raises(OSError, match="nowhere"):
        by_hand().save(tmp_path / "nowhere" / "m.npz")
    with pytest.raises(NotADirectoryError):
        orthodict.load(pathlib.Path(__file__) / "m.npz")


def test_folders(tmp_path):
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(IsADirectoryError):
        orthodict.load(tmp_path / "folder.npz")
    with pytest.raises(OSError, match="directory"):
        by_hand().save(tmp_path / "folder.npz")


def test_folders_that_cannot_be_written():
    """Nobody, root included, may make a file there."""
    with pytest.raises(OSError, match="m.npz"):
        by_hand().save("/proc/m.npz")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folders(tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(OSError, match="ermission"):
        by_hand().save(tmp_path / "closed" / "m.npz")


def test_standard_streams_are_for_the_command():
    with pytest.raises(ValueError, match="-"):
        by_hand().save("-")
    with pytest.raises(ValueError, match="-"):
        orthodict.load("-")


@pytest.mark.parametrize("path", [None, 3, b"m.npz"])
def test_paths_of_other_types(path):
    for use in (lambda: by_hand().save(path), lambda: orthodict.load(path)):
        with pytest.raises(TypeError):
            use()


def damaged_files(folder):
    by_hand().save(folder / "good.npz")
    good = (folder / "good.npz").read_bytes()
    middle = len(good) // 2
    (folder / "empty.npz").write_bytes(b"")
    (folder / "text.npz").write_text("no archive")
    (folder / "cut.npz").write_bytes(good[:middle])
    (folder / "flipped.npz").write_bytes(good[:200] + bytes([good[200] ^ 0xFF]) + good[201:])
    eye, zero = np.eye(3), np.zeros(3)
    np.savez(folder / "other.npz", x=eye)
    np.savez(folder / "shapes.npz", dictionary=eye, analysis=eye[:2], mean=zero, metadata="{}")
    np.savez(folder / "nan.npz", dictionary=eye * np.nan, analysis=eye, mean=zero, metadata="{}")
    np.savez(folder / "metadata.npz", dictionary=eye, analysis=eye, mean=zero, metadata=3.5)


@pytest.mark.parametrize("name, words", [
    ("empty", "empty"), ("text", "zip"), ("cut", "zip"), ("flipped", "CRC"), ("other", "not an orthodict model"),
    ("shapes", "3×3.*2×3"), ("nan", "finite"), ("metadata", "metadata"),
])  # fmt: skip
def test_files_that_are_damaged(tmp_path, name, words):
    damaged_files(tmp_path)
    with pytest.raises(ValueError, match=rf"{name}\.npz.*{words}"):
        orthodict.load(tmp_path / f"{name}.npz")


def test_a_full_disk_leaves_what_was_there():
    """The old file stays, and no part of the new one is left."""
    model = "orthodict.Model(np.eye({0}), np.eye({0}), np.zeros({0})).save(path)"
    raised, same, left = on_a_full_disk("m.npz", model.format(3), model.format(300))
    assert "m.npz" in raised
    assert same
    assert left == ["m.npz"]


@unsanitized("it measures memory")
def test_models_that_are_refused_leave_nothing():
    """A hundred of 8 MB each."""
    grown = child("""
        import json, re
        import numpy as np, orthodict
        def megabytes():
            with open("/proc/self/status") as status:
                return int(re.search(r"RssAnon:\\s+(\\d+)", status.read())[1]) / 1e3
        bad = np.full((1000, 1000), np.nan)
        before = megabytes()
        for _ in range(100):
            try:
                orthodict.Model(bad, bad, np.zeros(1000))
            except ValueError:
                pass
        print(json.dumps(megabytes() - before))
    """)
    assert grown < 100


def overcomplete(rng, atoms=50, features=24):
    dictionary = rng.standard_normal((atoms, features))
    return dictionary / np.linalg.norm(dictionary, axis=1, keepdims=True)


@pytest.mark.parametrize("atoms", [12, 24, 50])
def test_pursuit_is_scikit_learns(atoms):
    """For fewer atoms than features, as many and more: the same supports, and the same coefficients to rounding."""
    linear_model = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(1)
    dictionary = overcomplete(rng, atoms)
    X = rng.standard_normal((300, 24))
    model = Model(dictionary, np.linalg.pinv(dictionary).T, np.zeros(24))
    expected = linear_model.orthogonal_mp(dictionary.T, X.T, n_nonzero_coefs=5).T
    codes = model.encode(X, coder="omp:5")
    np.testing.assert_array_equal(codes != 0, expected != 0)
    np.testing.assert_allclose(codes, expected, atol=1e-10)
    if atoms >= 24:  # fewer don't reach that error
        by_error = linear_model.orthogonal_mp(dictionary.T, X.T, tol=24 * 0.5**2).T
        np.testing.assert_allclose(model.encode(X, coder="omp", error=0.5, scale=1.0), by_error, atol=1e-9)
    single = model.encode(X, coder="omp:5", precision="f32")
    np.testing.assert_allclose(single, expected, atol=1e-4)


@pytest.mark.parametrize("atoms", [12, 24, 50])
def test_lasso_is_scikit_learns(atoms):
    decomposition = pytest.importorskip("sklearn.decomposition")
    rng = np.random.default_rng(2)
    dictionary = overcomplete(rng, atoms)
    X = rng.standard_normal((200, 24))
    model = Model(dictionary, np.linalg.pinv(dictionary).T, np.zeros(24))
    expected = decomposition.sparse_encode(X, dictionary, algorithm="lasso_cd", alpha=0.7, max_iter=100000)
    codes = model.encode(X, coder="lasso:0.7", scale=1.0)
    # scikit-learn ends at a duality gap of 1e-4 of ||x||^2, so its objective is that close; ours is no worse.
    def objective(z):
        return 0.5 * np.sum((X - z @ dictionary) ** 2, axis=1) + 0.7 * np.abs(z).sum(axis=1)

    assert np.all(objective(codes) <= objective(expected) + 1e-9)
    assert np.all(objective(expected) <= objective(codes) + 1e-4 * np.sum(X**2, axis=1))
    np.testing.assert_allclose(codes, expected, atol=0.02)


def test_sparse_codes():
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(3)
    model = Model(overcomplete(rng), None, np.zeros(24))
    X = rng.standard_normal((3000, 24))
    codes = model.encode(X, coder="omp:3")
    rows = model.encode(X, coder="omp:3", sparse=True, threads=2)
    assert sparse.issparse(rows) and rows.format == "csr" and rows.nnz == 9000
    np.testing.assert_array_equal(rows.toarray(), codes)
    assert model.encode(X.astype("f4"), coder="omp:3", sparse=True).dtype == np.float32
    assert model.encode(X[:0], coder="omp:3", sparse=True).shape == (0, 50)


def test_models_without_analysis(tmp_path):
    rng = np.random.default_rng(4)
    dictionary = overcomplete(rng)
    model = Model(dictionary, None, np.ones(24), coder="omp:4")
    assert model.analysis is None and model.coder == "omp:4"
    X = rng.standard_normal((100, 24))
    np.testing.assert_array_equal(model.encode(X), model.encode(X, nonzeros=4))
    assert np.all(np.count_nonzero(model.encode(X), axis=1) == 4)
    assert pickle.loads(pickle.dumps(model)) == model
    assert model != Model(dictionary, None, np.ones(24))
    model.save(tmp_path / "m.npz")
    assert orthodict.load(tmp_path / "m.npz") == model
    with pytest.raises(ValueError, match="analysis"):
        Model(dictionary[:24], None, np.ones(24))
    with pytest.raises(ValueError, match="coder"):
        Model(dictionary, None, np.ones(24), coder="best")
    with pytest.raises(ValueError, match="penalty"):
        model.encode(X, coder="lasso:1", penalty=0)
