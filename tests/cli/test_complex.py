# SPDX-License-Identifier: Apache-2.0
"""Complex samples from every source, through every command."""

import h5py
import numpy as np
import pytest
import scipy.io


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Complex samples, the true atoms, and their files."""
    from harness import run_command

    folder = tmp_path_factory.mktemp("complex")
    run_command("synth", "--complex", "--dimension", 12, "--samples", 600, "--seed", 2, "--output", "z.npy", "--truth",
                "d.npy", cwd=folder)
    return folder, np.load(folder / "z.npy"), np.load(folder / "d.npy")


def write_mat(path, z):
    scipy.io.savemat(path, {"z": z})


def write_compressed_mat(path, z):
    scipy.io.savemat(path, {"z": z}, do_compression=True)


def write_hdf5(path, z):
    with h5py.File(path, "w") as file:
        file["z"] = z


def write_chunked_hdf5(path, z):
    with h5py.File(path, "w") as file:
        file.create_dataset("z", data=z.astype(np.complex64), chunks=(100, 12), compression="gzip")


def write_matlab_hdf5(path, z):
    """Parts named as in MATLAB v7.3."""
    parts = np.empty(z.shape, [("real", "f8"), ("imag", "f8")])
    parts["real"], parts["imag"] = z.real, z.imag
    with h5py.File(path, "w") as file:
        file["z"] = parts


SOURCES = {
    "z.npz": lambda path, z: np.savez_compressed(path, z=z),
    "fortran.npy": lambda path, z: np.save(path, np.asfortranarray(z)),
    "big.npy": lambda path, z: np.save(path, z.astype(">c16")),
    "single.npy": lambda path, z: np.save(path, z.astype(np.complex64)),
    "z.mat": write_mat,
    "compressed.mat": write_compressed_mat,
    "z.h5": write_hdf5,
    "chunked.h5": write_chunked_hdf5,
    "parts.h5": write_matlab_hdf5,
}


@pytest.mark.parametrize("name", SOURCES)
def test_sources(run, made, tmp_path, name):
    folder, z, _ = made
    SOURCES[name](tmp_path / name, z)
    report = run("fit", name, "--truth", folder / "d.npy", "--json").json
    assert report["error"] < 1e-10 and report["dimension"] == report["rank"] == report["atoms"] == 12


@pytest.mark.parametrize("kind, dtype", [("c64", np.complex64), ("c128", np.complex128)])
def test_numbers_without_a_header_and_streams(run, made, tmp_path, kind, dtype):
    folder, z, _ = made
    raw = z.astype(dtype).tobytes()
    (tmp_path / "z.raw").write_bytes(raw)
    told = ("--raw", f"{kind}x12", "--truth", folder / "d.npy", "--json")
    assert run("fit", "z.raw", *told).json["error"] < 1e-10
    assert run("fit", "-", *told, "--section", 200, stdin=raw).json["error"] < 1e-10
    whole = (folder / "z.npy").read_bytes()
    assert run("fit", "-", "--truth", folder / "d.npy", "--section", 200, "--json", stdin=whole).json["samples"] == 600


def test_columns(run, made, tmp_path):
    folder, z, _ = made
    np.save(tmp_path / "y.npy", z.T)
    assert run("fit", "y.npy", "--columns", "--truth", folder / "d.npy", "--json").json["error"] < 1e-10


@pytest.fixture
def model(run, made, tmp_path):
    run("fit", made[0] / "z.npy", "--output", "model.npz")
    return np.load(tmp_path / "model.npz")


def test_models_codes_and_samples(run, made, model, tmp_path):
    folder, z, d = made
    assert model["dictionary"].dtype == model["analysis"].dtype == model["mean"].dtype == np.complex128
    run("encode", "model.npz", folder / "z.npy", "--output", "codes.npy")
    codes = np.load(tmp_path / "codes.npy")
    assert np.abs(codes - (z - model["mean"]) @ model["analysis"].T).max() < 1e-12
    run("decode", "model.npz", "codes.npy", "--output", "back.npy")
    assert np.abs(np.load(tmp_path / "back.npy") - z).max() < 1e-12
    run("encode", "model.npz", folder / "z.npy", "--top", 3, "--output", "few.npy")
    few = np.load(tmp_path / "few.npy")
    assert (np.count_nonzero(few, axis=1) <= 3).all()
    assert np.allclose(np.sort(np.abs(few), axis=1)[:, -3:], np.sort(np.abs(codes), axis=1)[:, -3:])
    report = run("eval", "model.npz", "--truth", folder / "d.npy", "--samples", folder / "z.npy", "--theta", 0.3,
                 "--json").json
    assert report["error"] < 1e-10 and abs(report["normalized_objective"] - 1) < 0.1
    turned = np.exp(1j * np.array(report["phases"]))[:, None] * model["dictionary"]
    assert np.abs(turned - d[report["matches"]]).max() < 1e-8
    assert run("info", "model.npz", "--json").json["complex"] is True
    assert "12 atoms in 12 complex dimensions" in run("info", "model.npz").text


def test_principal_components_of_complex_samples(run, made, tmp_path):
    _, z, _ = made
    run("fit", made[0] / "z.npy", "--method", "pca", "--atoms", 3, "--output", "pca.npz")
    model = np.load(tmp_path / "pca.npz")
    _, vectors = np.linalg.eigh(np.cov(z.T))
    components = vectors.T[: -3 - 1 : -1]
    assert np.allclose(np.abs(np.sum(components.conj() * model["dictionary"], axis=1)), 1)
    assert np.array_equal(model["analysis"], model["dictionary"].conj())
    assert np.allclose(model["mean"], z.mean(axis=0))
    share = run("fit", made[0] / "z.npy", "--method", "pca", "--atoms", 0.5, "--json").json["atoms"]
    variances = np.linalg.eigvalsh(np.cov(z.T))[::-1]
    assert share == np.searchsorted(np.cumsum(variances) / np.sum(variances), 0.5) + 1


def test_comparison_goes_on_without_real_baselines(run, made):
    rows = {row["method"]: row for row in run("compare", made[0] / "z.npy", "--truth", made[0] / "d.npy", "--methods",
                                              "auto,msp,fastica,ksvd", "--json", expect=2).json["methods"]}
    assert rows["auto"]["error"] < 1e-10 and rows["fastica"]["error"] < 0.1
    assert "complex" in rows["ksvd"]["failure"]


REFUSED = [
    (2, "fit {z} --method ksvd"), (2, "fit {z} --method subgradient"),
    (2, "fit {z} --method online"), (2, "fit {z} --runs 2"), (2, "fit {z} --dictionary overcomplete"),
    (2, "fit {z} --orient"), (3, "scan {z} --atoms 3,6"), (2, "encode model.npz {z} --coder omp --output c.npy"),
    (2, "encode model.npz {z} --sparse --output c.npz"), (2, "encode model.npz {z} --top 2 --refit --output c.npy"),
    (2, "encode model.npz {z} --output c.csv"), (3, "encode model.npz {z} --threshold k2 --output c.npy"),
    (3, "encode model.npz {z} --unit-variance --output c.npy"), (3, "encode model.npz real.npy --output c.npy"),
    (3, "atoms model.npz --shape 3x4 --output a.png"), (2, "synth --complex --signs --output s.npy"),
    (2, "synth --complex --output s.csv"),
]  # fmt: skip


@pytest.mark.parametrize("code, command", REFUSED, ids=[command for _, command in REFUSED])
@pytest.mark.usefixtures("model")
def test_what_needs_real_numbers_says_so(run, made, tmp_path, code, command):
    np.save(tmp_path / "real.npy", np.ones((3, 24)))
    answer = run(*(word.format(z=made[0] / "z.npy") for word in command.split()), expect=code)
    assert "complex" in answer.stderr and answer.stderr.count("\n") == 1


def test_checkpoints_know_the_kind_of_numbers(run, made, tmp_path):
    folder, z, _ = made
    run("fit", folder / "z.npy", "--max-iterations", 5, "--checkpoint", "c.npz", expect=4)
    run("fit", folder / "z.npy", "--resume", "c.npz", "--output", "resumed.npz")
    run("fit", folder / "z.npy", "--output", "whole.npz")
    resumed, whole = np.load(tmp_path / "resumed.npz"), np.load(tmp_path / "whole.npz")
    assert (resumed["dictionary"] == whole["dictionary"]).all()
    np.save(tmp_path / "parts.npy", z.view(np.float64))
    run("fit", folder / "z.npy", "--max-iterations", 5, "--checkpoint", "c.npz", expect=4)
    assert "another run" in run("fit", "parts.npy", "--resume", "c.npz", expect=3).stderr


def test_errors_name_the_complex_feature_that_is_not_finite(run, made, tmp_path):
    z = made[1].copy()
    z[7, 2] = complex(0, np.nan)
    np.save(tmp_path / "z.npy", z)
    error = run("fit", "z.npy", "--output", "model.npz", expect=3).stderr
    assert "z.npy: sample 7, feature 2 is nan" in error
