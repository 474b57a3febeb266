# SPDX-License-Identifier: Apache-2.0
"""The package and the command give the same bytes."""

import json

import numpy as np
import pytest
from support import BINARY, command, sparse_data

import orthodict

pytestmark = pytest.mark.skipif(not BINARY.is_file(), reason=f"{BINARY} isn't there; ORTHODICT says where it is")

# Data files by name. All have the same samples, as exactly as their types allow.
TYPES = {"f64": "<f8", "f32": "<f4", "u8": "u1", "swapped": ">f8"}

# Options of the command, and of the function.
OPTIONS = {
    "auto": ([], {}),
    "seed": (["--seed", 2**64 - 1], {"seed": 2**64 - 1}),
    "msp": (["--method", "msp", "--seed", 7], {"method": "msp", "seed": 7}),
    "l4": (["--stretch", "l4", "--tolerance", 1e-3], {"stretch": "l4", "tolerance": 1e-3}),
    "l3 whitened": (["--stretch", "l3", "--whiten", "zca"], {"stretch": "l3", "whiten": "zca"}),
    "pca first": (["--whiten", "pca", "--atoms", 5], {"whiten": "pca", "atoms": 5}),
    "mixed": (["--method", "msp", "--precision", "mixed"], {"method": "msp", "precision": "mixed"}),
    "single": (["--stretch", "soft:0.8", "--precision", "f32"], {"stretch": "soft:0.8", "precision": "f32"}),
    "double": (["--precision", "f64"], {"precision": "f64"}),
    "centred": (["--method", "msp", "--center"], {"method": "msp", "center": True}),
    "not centred": (["--no-center", "--max-iterations", 20], {"center": False, "max_iterations": 20}),
    "few atoms": (["--atoms", 4], {"atoms": 4}),
    "complete": (["--dictionary", "complete"], {"dictionary": "complete"}),
    "few steps": (["--max-iterations", 3], {"max_iterations": 3}),
    "identity": (["--init", "identity", "--max-iterations", 4], {"init": "identity", "max_iterations": 4}),
    "bias": (["--method", "msp", "--remove-bias", "--theta", 0.3, "--bias-fraction", 0.9],
             {"method": "msp", "remove_bias": True, "theta": 0.3, "bias_fraction": 0.9}),
    "ascent": (["--method", "msp", "--step", 1e-4, "--max-iterations", 5],
               {"method": "msp", "step": 1e-4, "max_iterations": 5}),
    "logcosh": (["--method", "msp:logcosh", "--keep-bias", "--max-iterations", 9],
                {"method": "msp:logcosh", "remove_bias": False, "max_iterations": 9}),
    "ksvd": (["--method", "ksvd", "--sparsity", 3, "--max-iterations", 5],
             {"method": "ksvd", "sparsity": 3, "max_iterations": 5}),
    "online": (["--method", "online", "--penalty", 0.1, "--max-iterations", 5],
               {"method": "online", "penalty": 0.1, "max_iterations": 5}),
    "subgradient": (["--method", "subgradient", "--atoms", 3], {"method": "subgradient", "atoms": 3}),
    "fastica": (["--method", "fastica", "--seed", 3], {"method": "fastica", "seed": 3}),
    "deflation": (["--method", "fastica_deflation"], {"method": "fastica_deflation"}),
    "pca": (["--method", "pca"], {"method": "pca"}),
}  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder with the samples in files of several types, and what NumPy reads from them."""
    folder = tmp_path_factory.mktemp("data")
    x = np.clip(sparse_data(10, 2000, condition=2.0).samples * 40 + 128, 0, 255)
    for name, dtype in TYPES.items():
        np.save(folder / f"{name}.npy", x.astype(dtype))
    np.save(folder / "d.npy", sparse_data(10, 2000, condition=2.0).dictionary)
    return folder


def command_fits(folder, *args):
    """The bytes of the model that the command writes; code 4 tells that it didn't converge, which is no matter here."""
    command("fit", *args, "--output", "m.npz", cwd=folder, expect=(0, 4))
    return (folder / "m.npz").read_bytes()


@pytest.mark.parametrize("options, kind", [
    *((options, "f64") for options in OPTIONS),
    *((options, kind) for options in ("auto", "msp", "l3 whitened", "mixed", "single", "fastica") for kind in TYPES
      if kind != "f64"),
])  # fmt: skip
def test_models(data, tmp_path, options, kind):
    arguments, keywords = OPTIONS[options]
    expected = command_fits(data, f"{kind}.npy", *arguments)
    path = data / f"{kind}.npy"
    for i, samples in enumerate((np.load(path), np.load(path, mmap_mode="r"), path)):
        orthodict.save(tmp_path / f"{i}.npz", orthodict.fit(samples, **keywords))
        assert (tmp_path / f"{i}.npz").read_bytes() == expected


def test_models_of_the_learner(data, tmp_path):
    """Its precision is mixed."""
    expected = command_fits(data, "f64.npy", "--precision", "mixed", "--seed", 7)
    orthodict.save(tmp_path / "m.npz", orthodict.DictionaryLearner(random_state=7).fit(np.load(data / "f64.npy")))
    assert (tmp_path / "m.npz").read_bytes() == expected


def test_models_from_a_given_start(data, tmp_path):
    expected = command_fits(data, "f64.npy", "--init", "d.npy", "--method", "msp", "--max-iterations", 4)
    start = np.load(data / "d.npy")
    result = orthodict.fit(np.load(data / "f64.npy"), init=start, method="msp", max_iterations=4)
    result.model.save(tmp_path / "m.npz")
    assert (tmp_path / "m.npz").read_bytes() == expected


def test_the_oracle(data, tmp_path):
    expected = command_fits(data, "f64.npy", "--method", "subgradient_oracle", "--truth", "d.npy", "--atoms", 2)
    truth = np.load(data / "d.npy")
    result = orthodict.fit(np.load(data / "f64.npy"), method="subgradient_oracle", truth=truth, atoms=2)
    orthodict.save(tmp_path / "m.npz", result)
    assert (tmp_path / "m.npz").read_bytes() == expected


def test_the_summary_is_the_command_s(data):
    told = json.loads(command("fit", "f64.npy", "--seed", 7, "--json", cwd=data))
    summary = orthodict.fit(data / "f64.npy", seed=7).summary
    for name in ("dimension", "atoms", "samples", "rank", "method", "dictionary", "center", "stretch", "remove_bias",
                 "precision", "iterations", "passes", "objective", "termination", "message", "tolerance", "theta",
                 "noise", "established"):  # fmt: skip
        assert getattr(summary, name) == told[name], name


# Models in files.


@pytest.fixture(scope="module")
def model_file(data):
    command_fits(data, "f64.npy", "--seed", 7)
    (data / "m.npz").rename(data / "model.npz")
    return data / "model.npz"


def test_a_model_that_was_read_is_written_as_it_was(model_file, tmp_path):
    model = orthodict.load(model_file)
    model.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == model_file.read_bytes()
    assert model == orthodict.fit(model_file.with_name("f64.npy"), seed=7).model


def test_a_model_by_hand_is_read_by_the_command(tmp_path):
    """Through a file and back, with a mean, an analysis of its own and without confidence."""
    rng = np.random.default_rng(0)
    dictionary = rng.standard_normal((3, 5))
    model = orthodict.Model(dictionary, np.linalg.pinv(dictionary).T, rng.standard_normal(5))
    model.save(tmp_path / "m.npz")
    assert json.loads(command("info", "m.npz", "--json", cwd=tmp_path))["atoms"] == 3
    assert orthodict.load(tmp_path / "m.npz") == model


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("arguments, keywords", [
    ([], {}), (["--top", 3], {"top": 3}), (["--threshold", 10], {"threshold": 10}),
    (["--top", 3, "--threshold", 10.5], {"top": 3, "threshold": 10.5}),
])  # fmt: skip
def test_codes(data, model_file, tmp_path, kind, arguments, keywords):
    command("encode", model_file, data / f"{kind}.npy", *arguments, "--output", "codes.npy", cwd=tmp_path)
    expected = np.load(tmp_path / "codes.npy")
    codes = orthodict.load(model_file).encode(np.load(data / f"{kind}.npy"), **keywords)
    # The command writes doubles; for single precision the package returns single precision, rounded once.
    assert codes.tobytes() == expected.astype(codes.dtype).tobytes()
    if codes.dtype == np.float64:
        orthodict.write(tmp_path / "mine.npy", codes)
        assert (tmp_path / "mine.npy").read_bytes() == (tmp_path / "codes.npy").read_bytes()


def test_samples_of_codes(data, model_file, tmp_path):
    command("encode", model_file, data / "f64.npy", "--top", 3, "--output", "codes.npy", cwd=tmp_path)
    command("decode", model_file, "codes.npy", "--output", "back.npy", cwd=tmp_path)
    back = orthodict.load(model_file).decode(np.load(tmp_path / "codes.npy"))
    assert back.tobytes() == np.load(tmp_path / "back.npy").tobytes()


# Synthetic data and metrics.


@pytest.mark.parametrize("keywords", [
    {},
    {"dimension": 7, "samples": 300, "theta": 0.5, "seed": 2**64 - 1},
    {"dimension": 7, "samples": 300, "condition": 10.0},
    {"dimension": 7, "samples": 300, "noise": 0.1, "outliers": 0.2, "corruption": 0.3},
    {"dimension": 1, "samples": 1, "theta": 1.0},
])  # fmt: skip
def test_synthetic_samples(tmp_path, keywords):
    arguments = [word for name, value in keywords.items() for word in (f"--{name}", value)]
    command("synth", *arguments, "--output", "y.npy", "--truth", "d.npy", cwd=tmp_path)
    made = orthodict.synthetic(**keywords)
    assert made.samples.tobytes() == np.load(tmp_path / "y.npy").tobytes()
    assert made.dictionary.tobytes() == np.load(tmp_path / "d.npy").tobytes()
    orthodict.write(tmp_path / "mine.npy", made.samples)
    assert (tmp_path / "mine.npy").read_bytes() == (tmp_path / "y.npy").read_bytes()


def test_synthetic_samples_of_a_given_dictionary(data, tmp_path):
    arguments = ["--dimension", 10, "--samples", 50, "--dictionary-from", data / "d.npy"]
    command("synth", *arguments, "--output", "y.npy", cwd=tmp_path)
    made = orthodict.synthetic(10, 50, dictionary=np.load(data / "d.npy"))
    assert made.samples.tobytes() == np.load(tmp_path / "y.npy").tobytes()


def test_measures_of_recovery(data, model_file):
    told = json.loads(command("eval", model_file, "--truth", "d.npy", "--json", cwd=data))
    truth = np.load(data / "d.npy")
    model = orthodict.load(model_file)
    assert orthodict.recovery_error(model, truth) == told["error"]
    found = orthodict.recovery(model, truth)
    for name in ("error", "worst_cosine", "mean_cosine"):
        assert getattr(found, name) == told[name]
    for name in ("cosines", "matches", "signs"):
        assert getattr(found, name).tolist() == told[name]
