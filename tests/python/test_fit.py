# SPDX-License-Identifier: Apache-2.0
"""fit(): every option reaches the library, illegal values raise descriptive errors, and callbacks are safe."""

import dataclasses
import inspect
import logging
import os
import pathlib
import pickle
import re

import numpy as np
import pytest
from support import EPSILON, child, exact, gaussian_data, model_of, same_bits, same_model, sparse_data

import orthodict
from orthodict import fit

BASELINES = ["ksvd", "online", "subgradient", "subgradient_oracle", "fastica", "fastica_deflation", "pca"]
SHORT = {"method": "msp", "max_iterations": 3, "tolerance": 0.0}


def options_of(result):
    return result.model.details["options"]


def skewness(codes):
    centred = codes - codes.mean(axis=0)
    return np.mean(centred**3, axis=0) / np.mean(centred**2, axis=0) ** 1.5


# The effect of each option: pairs of arguments and a function that checks the effect.
x, d = sparse_data(condition=2.0)
EFFECTS = {
    "method": ({"method": "msp"}, lambda r: r.summary.method == "msp" and r.summary.stretch == "l4"),
    "stretch": ({"stretch": "l3"}, lambda r: r.summary.method == "msp" and r.summary.stretch == "l3"),
    "dictionary": ({"dictionary": "orthogonal"}, lambda r: r.summary.dictionary == "orthogonal"),
    "whiten": ({**SHORT, "whiten": "pca"}, lambda r: options_of(r)["whiten"] == "pca" and r.model.analysis is not None
               and not same_bits(r.model.analysis, r.model.dictionary)),
    "center": ({**SHORT, "center": True}, lambda r: r.summary.center and np.any(r.model.mean)),
    "normalize": ({**SHORT, "normalize": "samples"}, lambda r: r.summary.normalize == "samples"
                  and not same_model(r, fit(x, **SHORT))),
    "atoms": ({"atoms": 4}, lambda r: r.model.dictionary.shape == (4, 10)),
    "precision": ({**SHORT, "precision": "f32"}, lambda r: r.summary.precision == "f32"),
    "max_iterations": ({"method": "msp", "max_iterations": 3}, lambda r: r.summary.iterations == 3
                       and r.summary.termination == "max_iterations"),
    "tolerance": ({"method": "msp", "tolerance": 0.1}, lambda r: r.summary.tolerance == 0.1
                  and r.summary.iterations < fit(x, method="msp").summary.iterations),
    "time_limit": ({"time_limit": 1e-9}, lambda r: r.summary.termination == "time_limit"),
    "init": ({"init": "identity", "method": "msp", "max_iterations": 0},
             lambda r: np.array_equal(np.sort(r.model.dictionary, axis=0)[-1], np.ones(10))),
    "seed": ({**SHORT, "seed": 5}, lambda r: options_of(r)["seed"] == 5 and not same_model(r, fit(x, **SHORT))),
    "runs": ({"runs": 3}, lambda r: r.summary.runs == 3 and r.summary.resampled_runs == 3 and r.model.stable.all()
             and r.summary.stable == 10 and r.model.found.shape == r.model.resampled_stability.shape == (10,)),
    "resample": ({"runs": 3, "resample": False}, lambda r: r.summary.resampled_runs == 0
                 and r.model.resampled_found is None and options_of(r)["resample"] == "none"),
    "orient": ({"orient": True}, lambda r: np.all(skewness(r.model.encode(x)) > 0)
               and not np.all(skewness(fit(x).model.encode(x)) > 0)),
    "stable_only": ({"runs": 3, "stable_only": True}, lambda r: options_of(r)["stable_only"]),
    "threads": ({"threads": 3}, lambda r: r.summary.threads == 3),
    "remove_bias": ({**SHORT, "remove_bias": True}, lambda r: r.summary.remove_bias
                    and not same_model(r, fit(x, **SHORT))),
    "theta": ({**SHORT, "remove_bias": True, "theta": 0.3}, lambda r: options_of(r)["theta"] == 0.3
              and not same_model(r, fit(x, remove_bias=True, **SHORT))),
    "bias_fraction": ({**SHORT, "remove_bias": True, "bias_fraction": 0.5},
                      lambda r: not same_model(r, fit(x, remove_bias=True, **SHORT))),
    "step": ({**SHORT, "step": 1e-6}, lambda r: options_of(r)["step"] == 1e-6 and not same_model(r, fit(x, **SHORT))),
    "accelerate": ({"method": "msp:logcosh", "dictionary": "complete", "accelerate": True, "tolerance": 1e-9},
                   lambda r: options_of(r)["accelerate"] and r.summary.termination == "converged"
                   and r.summary.history["step"][0] > 1e-9 >= r.summary.history["step"][-1]),  # the gradient, also of the start
    "sparsity": ({"method": "ksvd", "sparsity": 3, "max_iterations": 2},
                 lambda r: r.summary.parameters["sparsity"] == 3),
    "penalty": ({"method": "online", "penalty": 0.25},
                lambda r: r.summary.parameters["penalty"] == 0.25),
    "truth": ({"method": "subgradient_oracle", "truth": d}, lambda r: r.summary.method == "subgradient_oracle"),
    "callback": ({"callback": lambda iterate: True}, lambda r: r.summary.termination == "stopped"),
}  # fmt: skip


@pytest.mark.parametrize("name", [*EFFECTS, "verbose"])
def test_every_option_has_an_effect(name, capfd):
    if name == "verbose":
        fit(x, verbose=1)
        assert capfd.readouterr().err
        return
    asked, happened = EFFECTS[name]
    assert name in asked
    assert happened(fit(x, **asked))


def test_no_option_is_left_out_here():
    elsewhere = {"checkpoint", "checkpoint_every", "resume", "comm"}  # test_checkpoints() and test_ranks.py have these
    assert set(inspect.signature(fit).parameters) == {"X", "columns", "verbose", *elsewhere, *EFFECTS}


def test_every_option_of_the_library_is_here():
    core = {name for name in dir(orthodict._core.Options) if not name.startswith("_")}
    elsewhere = {"initial_dictionary"}  # of init
    assert core - elsewhere <= set(inspect.signature(fit).parameters)


def test_options_are_given_by_name():
    with pytest.raises(TypeError, match="positional"):
        fit(x, "msp")
    with pytest.raises(TypeError, match="n_components"):
        fit(x, n_components=3)


def test_documented_defaults_are_the_library_s():
    """Nothing is asked for that the command wouldn't ask for when its options are left out."""
    asked = options_of(fit(x))
    assert asked == {
        "method": "auto", "stretch": None, "remove_bias": False, "theta": None, "bias_fraction": 1.0, "step": "inf",
        "accelerate": None, "dictionary": "auto", "whiten": None, "center": None, "normalize": "none", "atoms": None, "precision": None,
        "max_iterations": None, "tolerance": None, "seed": 0, "runs": 1, "resample": None,
        "stable_only": None, "orient": None, "init": "random",
    }  # fmt: skip


# Illegal arguments: name, value and the legal values in the message.


@pytest.mark.parametrize("options, value, legal", [
    ({"method": "foo"}, "foo", "auto, msp, msp:STRETCH, ksvd"),
    ({"method": ""}, "", "auto, msp"),
    ({"method": "msp:l5"}, "msp:l5", "a stretch"),
    ({"stretch": "l5"}, "l5", "l4, l3, power:Q"),
    ({"stretch": "l4", "method": "msp:l3"}, "l4", "left out with method msp:l3"),
    ({"stretch": "l4", "method": "ksvd"}, "l4", "left out with method ksvd"),
    ({"dictionary": "foo"}, "foo", "auto, complete, orthogonal or overcomplete"),
    ({"whiten": "foo"}, "foo", "none, zca or pca"),
    ({"whiten": "zca", "dictionary": "orthogonal"}, "zca", "none with a dictionary that is orthogonal"),
    ({"atoms": 0}, "0", "an integer from 1"),
    ({"runs": 0}, "0", "an integer from 1"),
    ({"runs": 20000}, "20000", "an integer from 1 to 10000"),
    ({"runs": 2, "method": "ksvd"}, "2", "left out with method ksvd"),
    ({"resample": "thirds", "runs": 2}, "thirds", "halves, bootstrap or none"),
    ({"resample": "bootstrap"}, "bootstrap", "left out with a single run"),
    ({"stable_only": True}, "true", "left out with a single run"),
    ({"atoms": -3}, "-3", "an integer from 1"),
    ({"atoms": 11, "dictionary": "complete"}, "11", "1 … 10"),
    ({"atoms": 2**63}, "9223372036854775808", "an integer from 1 to 9223372036854775807"),
    ({"precision": "f16"}, "f16", "f32, f64 or mixed"),
    ({"max_iterations": -1}, "-1", "an integer from 0"),
    ({"max_iterations": 2**31}, "2147483648", "an integer from 0 to 2147483647"),
    ({"tolerance": -1e-3}, "-0.001", "a finite number ≥ 0"),
    ({"tolerance": np.nan}, "nan", "a finite number ≥ 0"),
    ({"tolerance": np.inf}, "inf", "a finite number ≥ 0"),
    ({"time_limit": 0}, "0", "seconds > 0"),
    ({"time_limit": np.nan}, "nan", "seconds > 0"),
    ({"init": "foo"}, "foo", "random, identity or a matrix"),
    ({"init": "given"}, "given", "random, identity or a matrix"),
    ({"atoms": 4.0}, "4.0", "an integer, or a share of the variance between 0 and 1"),
    ({"atoms": 1.0}, "1.0", "an integer, or a share of the variance between 0 and 1"),
    ({"atoms": 0.5, "method": "online"}, "0.5", "an integer ≥ 1 with method online"),
    ({"seed": -1}, "-1", "an integer from 0 to 18446744073709551615"),
    ({"seed": 2**64}, "18446744073709551616", "an integer from 0 to 18446744073709551615"),
    ({"threads": 0}, "0", "an integer from 1 to 4096"),
    ({"threads": 4097}, "4097", "an integer from 1 to 4096"),
    ({"remove_bias": True}, "true", "left out with method auto"),
    ({"remove_bias": True, "stretch": "hard"}, "true", "false with stretch hard"),
    ({"theta": 0.3}, "0.3", "left out with method auto"),
    ({"theta": 0.0, "method": "msp"}, "0", "in (0, 1]"),
    ({"theta": 1.5, "method": "msp"}, "1.5", "in (0, 1]"),
    ({"accelerate": True, "stretch": "logcosh"}, "true", "false with an orthogonal dictionary and bias removed"),
    ({"accelerate": True}, "true", "left out with method auto"),
    ({"accelerate": True, "method": "ksvd"}, "true", "left out"),
    ({"bias_fraction": 0.5}, "0.5", "left out with method auto"),
    ({"bias_fraction": 0.0, "method": "msp"}, "0", "in (0, 1]"),
    ({"step": 1.0}, "1", "left out with method auto"),
    ({"step": -1.0, "method": "msp"}, "-1", "a number > 0, or inf"),
    ({"sparsity": 3}, "3", "left out unless the method is ksvd"),
    ({"sparsity": 0, "method": "ksvd"}, "0", "an integer from 1"),
    ({"sparsity": 11, "method": "ksvd"}, "11", "1 … 10"),
    ({"penalty": 0.1}, "0.1", "left out unless the method is online"),
    ({"penalty": 0.0, "method": "online"}, "0", "> 0"),
    ({"penalty": np.nan, "method": "online"}, "nan", "> 0"),
])  # fmt: skip
def test_values_that_are_not_legal(options, value, legal):
    name = next(iter(options))
    pattern = rf"^{name} = '?{re.escape(value)}'?: must be .*{re.escape(legal)}"
    with pytest.raises(ValueError, match=pattern):
        fit(x, **options)


def test_a_truth_is_for_the_oracle_alone():
    with pytest.raises(ValueError, match="truth"):
        fit(x, truth=d)
    with pytest.raises(ValueError, match="subgradient_oracle: must be subgradient unless the truth is given"):
        fit(x, method="subgradient_oracle")


@pytest.mark.parametrize("name, value", [
    ("method", 3), ("stretch", 4), ("dictionary", True), ("whiten", True), ("precision", 32), ("center", "no"),
    ("center", 2.5), ("remove_bias", "no"), ("accelerate", 1.5), ("atoms", [0.1, 0.2]), ("atoms", "4"), ("max_iterations", 1e3),
    ("max_iterations", "10"), ("tolerance", "small"), ("tolerance", 1j), ("time_limit", "1"),
    ("seed", 1.0), ("seed", "7"), ("seed", None), ("threads", 2.0), ("threads", "2"), ("theta", "a"),
    ("bias_fraction", None), ("step", 1j), ("sparsity", 2.5), ("penalty", [0.1, 0.2]),
])  # fmt: skip
def test_types_that_are_wrong(name, value):
    with pytest.raises(TypeError, match=name):
        fit(x, **{name: value})


def test_a_callback_that_is_none():
    with pytest.raises(TypeError, match="callable"):
        fit(x, callback=3)


@pytest.mark.parametrize("name, asked", [("init", {}), ("truth", {"method": "subgradient_oracle"})])
@pytest.mark.parametrize("value, words", [
    (3.0, "dimension"),
    (np.ones(10), "dimension"),
    (np.ones((2, 10, 10)), "dimension"),
    (np.eye(9), "9×9"),
    (np.full((10, 10), np.nan), "NaN|finite"),
    (np.zeros((10, 10)), "zero"),
    (np.eye(10) + 1j, "complex"),
    ([["a"] * 10] * 10, "type"),
])  # fmt: skip
def test_matrices_that_are_wrong(name, asked, value, words):
    with pytest.raises((TypeError, ValueError), match=words):
        fit(x, **asked, **{name: value})


@pytest.mark.parametrize("value", [True, 1, np.int8(4), np.uint64(4)], ids=repr)
def test_integers_of_any_kind(value):
    assert model_of(fit(x, atoms=value)).dictionary.shape == (int(value), 10)


@pytest.mark.parametrize("value", [True, np.True_, False, np.False_], ids=repr)
def test_truth_values_of_any_kind(value):
    assert fit(x, **SHORT, center=value).summary.center is bool(value)


@pytest.mark.parametrize("value", [0, np.float32(0.5), np.float64(0.5), np.int64(0)], ids=repr)
def test_numbers_of_any_kind(value):
    assert options_of(fit(x, method="msp", tolerance=value, max_iterations=3))["tolerance"] == float(value)


# Samples.


@pytest.mark.parametrize("samples, words", [
    (3.0, "X has 0 dimensions: a matrix has two, samples in rows"),
    (None, "X has 0 dimensions"),
    (np.ones(10), "X has 1 dimensions: a matrix has two, samples in rows"),
    (np.ones((2, 3, 4)), "X has 3 dimensions: a matrix has two, samples in rows"),
    (np.ones((5, 3), np.clongdouble) * np.nan, "nan"),
    (np.array([["1", "2"]]), "X has elements of type <U1"),
    (np.array([[b"1", b"2"]]), "X has elements of type .S1"),
    (np.zeros((3, 2), "M8[D]"), "X has elements of type datetime64"),
    (np.zeros((3, 2), "m8[s]"), "X has elements of type timedelta64"),
    (np.zeros((3, 2), [("a", "f8")]), "X has elements of type"),
    (np.array([[1, "a"], [2, "b"]], object), "not numbers"),
    ([[1, 2], [3]], "inhomogeneous"),
    (np.zeros((0, 3)), "X: 0 samples of 3 features: at least one of each is needed"),
    (np.zeros((3, 0)), "X: 3 samples of 0 features: at least one of each is needed"),
    (np.zeros((10, 3)), "X: all values are zero"),
    (np.full((10, 3), 5.5), "X: all samples are equal"),
    (np.ones((1, 3)), "X: all samples are equal"),
    (1e200 * gaussian_data(), "X: values are too large"),
    (1e-200 * gaussian_data(), "underflow"),
])  # fmt: skip
def test_samples_that_are_wrong(samples, words):
    with pytest.raises(ValueError, match=words):
        fit(samples)


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", ">f8"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("options", [{}, {"method": "msp"}, {"method": "pca"}, {"center": True, "threads": 3}])
def test_values_that_are_not_finite(options, value, dtype):
    bad = x.astype(dtype)
    bad[1234, 7] = value
    with pytest.raises(ValueError, match=f"^X: sample 1234, feature 7 is {value}: all values must be finite"):
        fit(bad, **options)


def test_lists_objects_and_long_doubles():
    short = x[:500]
    expected = fit(short, **SHORT)
    for same in (short.tolist(), short.astype(object), short.astype(np.longdouble), tuple(map(tuple, short))):
        assert same_model(fit(same, **SHORT), expected)


def test_what_is_wrong_with_data_is_a_data_error():
    with pytest.raises(orthodict.DataError, match="X") as caught:
        fit(np.where(np.arange(10) == 3, np.nan, x))
    assert isinstance(caught.value, ValueError) and type(caught.value).__module__ == "orthodict"
    with pytest.raises(ValueError) as caught:
        fit(x, stretch="l5")
    assert not isinstance(caught.value, orthodict.DataError)


def test_data_frames():
    pandas = pytest.importorskip("pandas")
    assert same_model(fit(pandas.DataFrame(x), **SHORT), fit(x, **SHORT))


def test_samples_are_not_changed():
    mine = x.copy()
    fit(mine, center=True)
    fit(mine, method="ksvd", max_iterations=2)
    assert same_bits(mine, x.copy())


# Extreme shapes.


def test_fewer_samples_than_features():
    result = fit(x[:5])
    assert result.summary.rank == 5
    assert result.model.dictionary.shape == (5, 10)
    assert fit(x[:5], method="msp").model.dictionary.shape == (10, 10)
    with pytest.raises(ValueError, match="atoms = 6: must be 1 … 5"):
        fit(x[:5], atoms=6)


@pytest.mark.parametrize("more", [x[:, :1], -3 * x[:, 4:5], np.ones((len(x), 1)), np.zeros((len(x), 1))],
                         ids=["twice", "multiple", "constant", "zero"])  # fmt: skip
def test_features_that_add_nothing(more):
    """The rank stays ten, and so do the atoms: in the first ten features they are the true ones, whatever the rest."""
    result = fit(np.hstack([x, more]))
    assert result.summary.rank == 10
    assert result.summary.termination == "converged"
    assert result.model.dictionary.shape == (10, 11)
    assert orthodict.recovery(result.model.dictionary[:, :10], d).worst_cosine >= 1 - exact(10, condition=2)


def test_a_single_feature():
    result = fit(x[:, :1])
    assert result.model.dictionary.tolist() == [[1.0]]
    codes = result.model.encode(x[:, :1])
    assert np.all(abs(codes - (x[:, :1] - result.model.mean)) <= 2 * EPSILON * (abs(x[:, :1]) + abs(result.model.mean)))


# Seeds, threads and starts.


def test_seeds_at_both_ends():
    models = [fit(x, **SHORT, seed=seed).model for seed in (0, 1, 2**63, 2**64 - 1)]
    assert [model.details["options"]["seed"] for model in models] == [0, 1, 2**63, 2**64 - 1]
    assert len({model.dictionary.tobytes() for model in models}) == 4
    assert fit(x, **SHORT, seed=2**64 - 1).model == models[-1]


@pytest.mark.parametrize("options", [{}, {"method": "msp"}, {"method": "msp", "precision": "f32"}, {"whiten": "zca"},
                                     *({"method": method} for method in BASELINES)])  # fmt: skip
def test_threads_change_nothing(options):
    if options.get("method") == "subgradient_oracle":
        options = {**options, "truth": d}
    expected = fit(x, threads=1, **options)
    for threads in (2, 3, 7, None):
        assert fit(x, threads=threads, **options).model == expected.model


def test_threads_of_a_pool(monkeypatch):
    for value, expected in (("3", 3), ("1", 1)):
        monkeypatch.setenv("OMP_NUM_THREADS", value)
        assert fit(x).summary.threads == expected
        assert fit(x, threads=2).summary.threads == 2
    for value in ("", "0", "many", "4,2"):
        monkeypatch.setenv("OMP_NUM_THREADS", value)
        assert fit(x).summary.threads >= 1


@pytest.mark.parametrize("options", [{"method": "msp"}, {"method": "fastica"}, {"method": "ksvd"}, {}])
def test_a_start_by_array(options):
    """From the answer it takes fewer steps to find it. Lists, integers and Fortran's order make no difference."""
    y, truth = sparse_data()
    learned = fit(y, **options)
    again = fit(y, init=learned.model.dictionary, **options)
    assert again.summary.iterations < learned.summary.iterations
    assert orthodict.recovery_error(again, learned.model.dictionary) <= 2 * (4e-6) ** 2 + exact(10)
    assert same_model(again, fit(y, init=np.asfortranarray(learned.model.dictionary), **options))
    assert same_model(fit(y, init=np.eye(10, dtype=int).tolist(), **options), fit(y, init=np.eye(10), **options))


def test_the_identity_by_name():
    y, _ = sparse_data()
    assert same_model(fit(y, init=np.eye(10), **SHORT), fit(y, init="identity", **SHORT))


def test_a_start_is_where_it_starts():
    start = np.linalg.qr(np.random.default_rng(0).standard_normal((10, 10)))[0]
    result = fit(x, method="msp", init=start, max_iterations=0)
    # It is projected onto the orthogonal group, where it is already: n roundings and more of an entry of size 1.
    found = orthodict.recovery(result, start)
    signs = found.signs[:, None]
    assert np.max(abs(signs * result.model.dictionary - start[found.matches])) <= 100 * 10 * EPSILON


# Files.


@pytest.mark.parametrize("kind", [str, pathlib.Path])
@pytest.mark.parametrize("dtype", ["f8", "f4", "u1", ">f8"])
def test_a_path_is_the_same_as_its_array(tmp_path, kind, dtype):
    array = np.clip(x * 40 + 128, 0, 255).astype(dtype)
    np.save(tmp_path / "x.npy", array)
    for options in ({}, {"method": "msp"}, {"method": "fastica"}):
        assert fit(kind(tmp_path / "x.npy"), **options).model == fit(array, **options).model


def test_samples_in_columns(tmp_path):
    np.save(tmp_path / "y.npy", x.T)
    expected = fit(x, **SHORT)
    assert same_model(fit(x.T, columns=True, **SHORT), expected)
    assert same_model(fit(tmp_path / "y.npy", columns=True, **SHORT), expected)
    with pytest.raises(TypeError, match="columns must be True or False"):
        fit(x, columns="yes")


def test_paths_to_other_files(tmp_path):
    np.savez(tmp_path / "two.npz", a=x, b=2 * x)
    np.savetxt(tmp_path / "x.csv", x, delimiter=",", fmt="%.17g")
    expected = fit(x)
    assert same_model(fit(f"{tmp_path}/two.npz:a"), expected)
    assert same_model(fit(tmp_path / "x.csv"), expected)


def test_paths_to_sparse_matrices(tmp_path):
    scipy_sparse = pytest.importorskip("scipy.sparse")
    sparse = np.where(abs(x) > 0.3, x, 0)
    scipy_sparse.save_npz(tmp_path / "x.npz", scipy_sparse.csr_matrix(sparse))
    assert same_model(fit(tmp_path / "x.npz", **SHORT), fit(sparse, **SHORT))


def test_paths_that_are_wrong(tmp_path):
    with pytest.raises(FileNotFoundError, match="missing.npy"):
        fit(tmp_path / "missing.npy")
    with pytest.raises(FileNotFoundError, match="missing.npz"):
        fit(f"{tmp_path}/missing.npz:a")
    with pytest.raises(IsADirectoryError):
        fit(tmp_path)
    with pytest.raises(ValueError, match="-"):
        fit("-")
    (tmp_path / "text.npy").write_text("no array")
    with pytest.raises(ValueError, match="text.npy"):
        fit(tmp_path / "text.npy")
    np.save(tmp_path / "nan.npy", np.where(np.arange(len(x))[:, None] == 7, np.nan, x))
    with pytest.raises(ValueError, match="nan.npy: sample 7, feature 0 is nan"):
        fit(tmp_path / "nan.npy")
    with pytest.raises(ValueError, match="nan.npy"):
        fit(tmp_path / "nan.npy", atoms=11)


# Methods by name.


@pytest.mark.parametrize("method", BASELINES)
def test_baselines(method):
    y, truth = sparse_data()
    result = fit(y, method=method, truth=truth if method == "subgradient_oracle" else None)
    assert result.summary.method == method
    assert result.summary.termination == "converged"
    assert result.model.dictionary.shape == (10, 10)
    assert result.model.confidence is None
    # Errors of docs/baselines.md, at a tenth of the samples and with the floors that go with them: an order more.
    bounds = {"ksvd": 1e-12, "online": 1e-13, "subgradient": 1e-11, "subgradient_oracle": 0.02, "fastica": 0.02,
              "fastica_deflation": 0.03, "pca": 1.0}  # fmt: skip
    assert orthodict.recovery_error(result, truth) <= bounds[method]


def test_msp_with_its_stretch():
    assert fit(x, method="msp:l3").model == fit(x, method="msp", stretch="l3").model == fit(x, stretch="l3").model


def test_nothing_to_find():
    result = fit(gaussian_data())
    assert result.summary.termination == "not_established"
    assert result.summary.established == 0
    assert np.all(result.model.confidence < 0.5)


# Results.


def test_summary():
    y, _ = sparse_data()
    result = fit(y, seed=7)
    summary = result.summary
    assert (summary.dimension, summary.samples, summary.rank, summary.atoms) == (10, 4000, 10, 10)
    # Sums of squares, in another order.
    assert abs(summary.rms - np.sqrt(np.mean(y**2))) <= y.size * EPSILON * summary.rms
    assert summary.established == 10
    assert summary.noise == 0.0
    assert summary.stretch is None
    assert summary.parameters == {}
    assert summary.termination in summary.message
    assert summary.message in repr(result)
    assert "10 atoms from 4000 samples of 10 features" in repr(result)
    assert "objective" in summary.report
    assert 0 <= summary.pass_seconds <= summary.total_seconds
    outcome = result.model.details["summary"]
    for name in ("dimension", "samples", "rank", "atoms", "theta", "noise", "iterations", "objective", "termination"):
        assert outcome[name] == getattr(summary, name), name


def test_summary_is_documented_and_fixed():
    summary = fit(x).summary
    documented = inspect.getdoc(orthodict.Summary)
    for field in dataclasses.fields(summary):
        assert re.search(rf"\b{field.name}\b", documented), field.name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(summary, field.name, None)


def test_representations_are_short():
    result = fit(x, seed=3)
    for shown in (repr(result), repr(result.summary)):
        assert "10 atoms from 4000 samples of 10 features" in shown and len(shown) < 200
    assert result.summary.message in result._repr_html_()
    assert "established atoms" in result.summary._repr_html_()
    assert "established atoms" not in fit(x, **SHORT).summary._repr_html_()


def test_logging(caplog, capfd):
    with caplog.at_level(logging.INFO, logger="orthodict"):
        result = fit(x)
    assert [record.getMessage() for record in caplog.records] == [repr(result)]
    caplog.clear()
    with caplog.at_level(logging.DEBUG, logger="orthodict"):
        result = fit(x, **SHORT)
    steps = [record for record in caplog.records if record.levelno == logging.DEBUG]
    assert len(steps) == len(result.summary.history) and steps[1].getMessage().startswith("iteration 1, msp, objective")
    assert capfd.readouterr().err == ""


def test_history():
    history = fit(x).summary.history
    assert history.dtype.names == ("iteration", "objective", "step", "seconds", "stage", "samples")
    assert np.array_equal(history["iteration"], np.arange(len(history)))
    assert np.isnan(history["step"][0])
    assert np.all(np.diff(history["seconds"]) >= 0)
    assert set(history["stage"]) <= {"explore", "refine", "finish"}
    assert np.all(history["samples"] > 0)


def test_results_can_be_pickled():
    result = fit(x)
    copy = pickle.loads(pickle.dumps(result))
    assert copy.model == result.model
    assert copy.summary.report == result.summary.report
    assert np.array_equal(copy.summary.history["objective"], result.summary.history["objective"])


# Callbacks.


@pytest.mark.parametrize("method", ["auto", "msp", *BASELINES])
def test_callbacks_see_the_history(method):
    seen = []
    truth = {"truth": d} if method == "subgradient_oracle" else {}
    result = fit(x, method=method, callback=seen.append, **truth)
    history = result.summary.history
    assert len(seen) == len(history)
    for iterate, record in zip(seen, history):
        for name in ("iteration", "objective", "seconds", "stage", "samples"):
            assert getattr(iterate, name) == record[name]
        assert np.isnan(record["step"]) if iterate.step is None else iterate.step == record["step"]
    assert same_model(result, fit(x, method=method, **truth)), "who watches changes nothing"


def test_iterations_come_one_after_the_other():
    seen = []
    result = fit(x, method="msp", callback=lambda iterate: seen.append(iterate.iteration))
    assert seen == list(range(result.summary.iterations + 1))


@pytest.mark.parametrize("method", ["auto", "msp", "ksvd", "online", "fastica"])
@pytest.mark.parametrize("last", [1, 3])
def test_callbacks_stop_a_fit(method, last):
    seen = []

    def callback(iterate):
        seen.append(iterate.iteration)
        return iterate.iteration == last

    result = fit(x, method=method, callback=callback)
    assert seen[-1] == last
    assert result.summary.termination == "stopped"
    assert result.summary.iterations == last


@pytest.mark.parametrize("answer, stops", [(True, True), (np.True_, True), (1, True), ([0], True), (None, False),
                                           (False, False), (0, False), ([], False)], ids=repr)  # fmt: skip
def test_answers_of_callbacks(answer, stops):
    result = fit(x, callback=lambda iterate: answer)
    assert (result.summary.termination == "stopped") == stops


def test_an_answer_that_is_neither():
    with pytest.raises(ValueError, match="truth value of an array"):
        fit(x, callback=lambda iterate: np.array([True, False]))


@pytest.mark.parametrize("method", ["auto", "msp", "fastica"])
def test_the_model_of_an_iterate(method):
    """It is the model that a fit of so many iterations gives."""
    models = {}
    result = fit(x, method=method, callback=lambda iterate: models.update({iterate.iteration: iterate.model()}))
    assert same_bits(models[result.summary.iterations].dictionary, result.model.dictionary)
    if method != "auto":
        assert same_bits(models[2].dictionary, fit(x, method=method, max_iterations=2).model.dictionary)
    assert models[0].encode(x).shape == x.shape, "models outlive the callback"


def test_the_model_is_gone_with_the_callback():
    kept = []
    fit(x, callback=kept.append)
    for iterate in kept:
        with pytest.raises(ValueError, match="only during the callback"):
            iterate.model()
    assert kept[0].iteration == 0, "numbers stay"
    assert repr(kept[0]).startswith("Iterate 0, explore, objective ")


def test_the_model_is_gone_with_a_callback_that_raised():
    """In an interpreter of its own: what is no longer there can't be read safely."""
    answer = child("""
        import json
        import orthodict
        from support import sparse_data

        kept = []

        def callback(iterate):
            kept.append(iterate)
            raise RuntimeError

        try:
            orthodict.fit(sparse_data().samples, callback=callback)
        except RuntimeError:
            pass
        try:
            kept[0].model()
        except ValueError as error:
            print(json.dumps(str(error)))
        else:
            print(json.dumps("a model from nowhere"))
    """)
    assert "only during the callback" in answer


class Custom(BaseException):
    pass


@pytest.mark.parametrize("raised, method", [
    *((raised, "auto") for raised in (RuntimeError, StopIteration, KeyboardInterrupt, SystemExit, Custom)),
    *((RuntimeError, method) for method in ("msp", "ksvd", "online", "subgradient", "fastica", "fastica_deflation")),
])  # fmt: skip
def test_exceptions_of_callbacks(raised, method):
    seen = []

    def callback(iterate):
        seen.append(iterate.iteration)
        if len(seen) == 2:
            raise raised("mine")

    expected = fit(x, method=method)
    with pytest.raises(raised, match="mine") as caught:
        fit(x, method=method, callback=callback)
    assert len(seen) == 2, "nobody is called after an exception"
    assert caught.traceback[-1].name == "callback", "the traceback leads to where it was raised"
    assert same_model(fit(x, method=method), expected)


# Progress.


def test_progress_is_a_bar_on_standard_error(capfd):
    pytest.importorskip("tqdm")
    result = fit(x, verbose=1)
    shown = capfd.readouterr()
    assert shown.out == ""
    assert f"{result.summary.iterations}it" in shown.err
    assert "objective" in shown.err


def test_progress_knows_how_far_it_is(capfd):
    pytest.importorskip("tqdm")
    fit(x, verbose=1, **SHORT)
    assert "3/3" in capfd.readouterr().err


def test_progress_without_tqdm():
    answer = child("""
        import contextlib, io, json, sys
        sys.modules["tqdm"] = sys.modules["tqdm.auto"] = None
        import orthodict
        from support import sparse_data

        errors, output = io.StringIO(), io.StringIO()
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(output):
            orthodict.fit(sparse_data().samples, verbose=1)
        print(json.dumps([errors.getvalue(), output.getvalue()]))
    """)
    errors, output = answer
    assert errors.startswith("orthodict: iteration 0, explore, objective ")
    assert errors.endswith("\n")
    assert output == ""


def test_progress_and_callbacks(capfd):
    """Both are served, and the bar is closed when the callback raises."""
    seen = []
    assert fit(x, verbose=1, callback=lambda iterate: seen.append(1) or len(seen) == 2).summary.termination == "stopped"
    assert len(seen) == 2
    with pytest.raises(ZeroDivisionError):
        fit(x, verbose=1, callback=lambda iterate: 1 // 0)
    assert capfd.readouterr().err.endswith("\n")


def test_silence(capfd):
    fit(x)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("shared, threads", [("3", 3), ("3,1", 3), (" 4 ", 4), ("0", None), ("many", None), ("", None)])
def test_threads_that_the_environment_shares_out(monkeypatch, shared, threads):
    monkeypatch.setenv("OMP_NUM_THREADS", shared)
    assert fit(x, **SHORT).summary.threads == (threads or len(os.sched_getaffinity(0)))
    assert fit(x, threads=1, **SHORT).summary.threads == 1


def test_histories_do_not_change():
    with pytest.raises(ValueError, match="read-only"):
        fit(x, **SHORT).summary.history["objective"][0] = 1


@pytest.mark.parametrize("method", ["auto", "msp"])
def test_checkpoints(tmp_path, method):
    """A fit that a callback stopped, or a limit, is taken up again and ends in the same bits."""
    whole = fit(x, method=method)
    stopped = fit(x, method=method, checkpoint=tmp_path / "a", callback=lambda iterate: iterate.iteration == 2)
    fit(x, method=method, checkpoint=tmp_path / "never", checkpoint_every=1000)
    assert not (tmp_path / "never").exists()
    fit(x, method=method, checkpoint=tmp_path / "always", checkpoint_every=0)
    assert same_model(fit(x, method=method, resume=tmp_path / "always"), whole)
    assert stopped.summary.termination == "stopped" and stopped.summary.checkpoint_error == ""
    resumed = fit(x, method=method, resume=tmp_path / "a", threads=1)
    assert same_model(resumed, whole) and resumed.model.metadata == whole.model.metadata
    fit(x, method=method, checkpoint=str(tmp_path / "b"), max_iterations=1)
    assert same_model(fit(x, method=method, resume=tmp_path / "b"), whole)
    with pytest.raises(ValueError, match="options.seed was 0, now is 1"):
        fit(x, method=method, resume=tmp_path / "b", seed=1)
    with pytest.raises(FileNotFoundError):
        fit(x, method=method, resume=tmp_path / "none")
    with pytest.raises(OSError, match="nowhere"):
        fit(x, method=method, checkpoint=tmp_path / "nowhere" / "c")
    with pytest.warns(RuntimeWarning, match="isn't up to date: /dev/full: write failed"):
        full = fit(x, method=method, checkpoint="/dev/full", checkpoint_every=0)
    assert same_model(full, whole) and "No space left" in full.summary.checkpoint_error
