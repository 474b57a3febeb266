# SPDX-License-Identifier: Apache-2.0
"""encode and decode, for models with a mean, with whitening and with fewer atoms than dimensions."""

import resource
import subprocess

import harness
import numpy as np
import pytest
import scipy.sparse
from harness import Model, product_rounding

# Options of fit, and whether the model then has a mean.
MODELS = {
    "auto": ([], True),
    "orthogonal": (["--method", "msp"], False),
    "centred": (["--method", "msp", "--center"], True),
    "zca": (["--center", "--whiten", "zca"], True),
    "pca": (["--method", "msp", "--whiten", "pca", "--atoms", "6"], False),
    "few": (["--method", "msp", "--atoms", "4"], False),
}


@pytest.fixture(params=MODELS)
def case(request, run, skewed, tmp_path):
    """Samples off the origin, and a model of them."""
    x = skewed.x[:3000] + np.linspace(-2, 3, 10)
    np.save(tmp_path / "x.npy", x)
    options, has_mean = MODELS[request.param]
    run("fit", "x.npy", *options, "--output", "model.npz")
    model = Model(tmp_path / "model.npz")
    assert np.any(model.mean != 0) == has_mean
    return x, model


def codes_rounding(x, model):
    """x - mean rounds each entry, and two computations may differ in it: two more terms than in the product itself."""
    n = x.shape[1]
    return (n + 2) / n * product_rounding(np.abs(x) + np.abs(model.mean), np.abs(model.analysis.T))


def test_codes_and_samples(run, case, tmp_path):
    x, model = case
    run("encode", "model.npz", "x.npy", "--output", "codes.npy")
    codes = np.load(tmp_path / "codes.npy")
    assert np.all(np.abs(codes - model.codes(x)) <= codes_rounding(x, model))

    run("decode", "model.npz", "codes.npy", "--output", "back.npy")
    back = np.load(tmp_path / "back.npy")
    rounding = product_rounding(codes, model.dictionary) + 2 * np.spacing(np.abs(back) + np.abs(model.mean))
    assert np.all(np.abs(back - (codes @ model.dictionary + model.mean)) <= rounding)
    if model.atoms == x.shape[1]:
        # A complete model reconstructs the samples; the rounding errors of the codes are multiplied by the dictionary. Its
        # inverse, the analysis, is known to 10n*eps times its size.
        slack = 10 * codes_rounding(x, model) @ np.abs(model.dictionary) + rounding
        assert np.all(np.abs(back - x) <= slack)


@pytest.mark.usefixtures("case")
def test_threshold_keeps_the_large_ones(run, tmp_path):
    run("encode", "model.npz", "x.npy", "--output", "dense.npy")
    dense = np.load(tmp_path / "dense.npy")
    level = float(np.median(np.abs(dense)))
    run("encode", "model.npz", "x.npy", "--threshold", repr(level), "--output", "codes.npy")
    expected = np.where(np.abs(dense) >= level, dense, 0)
    assert 0 < np.count_nonzero(expected) < dense.size
    np.testing.assert_array_equal(np.load(tmp_path / "codes.npy"), expected)


def test_threshold_itself_is_kept(run, small, small_model, tmp_path):
    """The inequality is |z| >= threshold: a threshold that equals a coefficient keeps it."""
    run("encode", small_model, small.samples, "--output", "dense.npy")
    dense = np.load(tmp_path / "dense.npy")
    level = abs(float(dense[17, 3]))
    run("encode", small_model, small.samples, "--threshold", repr(level), "--output", "codes.npy")
    assert np.load(tmp_path / "codes.npy")[17, 3] == dense[17, 3]


@pytest.mark.parametrize("options", [["--dense"], ["--top", 10], ["--threshold", 0]], ids=lambda o: o[0])
def test_ways_to_keep_everything(run, small, small_model, tmp_path, options):
    run("encode", small_model, small.samples, "--output", "plain.npy")
    run("encode", small_model, small.samples, *options, "--output", "same.npy")
    assert (tmp_path / "same.npy").read_bytes() == (tmp_path / "plain.npy").read_bytes()


def test_top_and_threshold_together(run, small, small_model, tmp_path):
    run("encode", small_model, small.samples, "--output", "dense.npy")
    run("encode", small_model, small.samples, "--top", 2, "--threshold", 0.9, "--output", "codes.npy")
    dense = np.load(tmp_path / "dense.npy")
    second = np.sort(np.abs(dense), axis=1)[:, -2:-1]
    expected = np.where((np.abs(dense) >= 0.9) & (np.abs(dense) >= second), dense, 0)
    assert len(set(np.count_nonzero(expected, axis=1))) == 3  # none, one and two are kept
    np.testing.assert_array_equal(np.load(tmp_path / "codes.npy"), expected)


def test_ties_go_to_the_earlier_atom(run, small_model, tmp_path):
    """For a model whose analysis is the identity the codes are the samples, so that ties are exact."""
    with np.load(small_model) as arrays:
        model = dict(arrays)
    model |= {"dictionary": np.eye(10), "analysis": np.eye(10), "mean": np.zeros(10)}
    np.savez(tmp_path / "identity.npz", **model)
    np.save(tmp_path / "x.npy", [[1, -1, 1, 2, -1, 1, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 3, -3, 3, 0]])
    run("encode", "identity.npz", "x.npy", "--top", 3, "--output", "codes.npy")
    expected = [[1, -1, 0, 2, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 3, -3, 3, 0]]
    np.testing.assert_array_equal(np.load(tmp_path / "codes.npy"), expected)


def test_sparse_codes_are_scipys(run, small, small_model, tmp_path):
    run("encode", small_model, small.samples, "--top", 3, "--output", "dense.npy")
    run("encode", small_model, small.samples, "--top", 3, "--sparse", "--output", "sparse.npz")
    sparse = scipy.sparse.load_npz(tmp_path / "sparse.npz")
    dense = np.load(tmp_path / "dense.npy")
    assert sparse.format == "csr" and sparse.nnz == np.count_nonzero(dense) > 2 * len(dense)
    np.testing.assert_array_equal(sparse.toarray(), dense)

    run("decode", small_model, "dense.npy", "--output", "from_dense.npy")
    run("decode", small_model, "sparse.npz", "--output", "from_sparse.npy")
    assert (tmp_path / "from_sparse.npy").read_bytes() == (tmp_path / "from_dense.npy").read_bytes()

    stream = run("encode", small_model, small.samples, "--top", 3, "--sparse", "--output", "-").stdout
    assert stream == (tmp_path / "sparse.npz").read_bytes()


def test_sparse_codes_without_any_entry(run, small, small_model, tmp_path):
    run("encode", small_model, small.samples, "--threshold", 1e9, "--sparse", "--output", "none.npz")
    assert scipy.sparse.load_npz(tmp_path / "none.npz").nnz == 0
    run("decode", small_model, "none.npz", "--output", "back.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "back.npy"), np.zeros_like(small.x))


def test_sparse_codes_that_scipy_made(run, small, small_model, tmp_path):
    """32-bit indices, deflated, and unsorted with a duplicate: SciPy adds duplicates up."""
    codes = scipy.sparse.csr_matrix(
        (np.array([2.0, 1.0, 0.5, -3.0]), np.array([7, 2, 7, 0], np.int32), np.array([0, 3, 3, 4], np.int32)),
        shape=(3, 10),
    )
    scipy.sparse.save_npz(tmp_path / "codes.npz", codes)
    np.save(tmp_path / "codes.npy", codes.toarray())
    run("decode", small_model, "codes.npz", "--output", "a.npy")
    run("decode", small_model, "codes.npy", "--output", "b.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), np.load(tmp_path / "b.npy"))


def test_columns(run, small, small_model, tmp_path):
    np.save(tmp_path / "columns.npy", np.ascontiguousarray(small.x.T))
    run("encode", small_model, "columns.npy", "--columns", "--output", "a.npy")
    run("encode", small_model, small.samples, "--output", "b.npy")
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()


def test_other_samples_than_the_model_saw(run, small_model, tmp_path):
    """One sample, and more than one block of 1024: the blocks of a file don't show in its codes."""
    x = np.random.default_rng(3).standard_normal((2049, 10))
    np.save(tmp_path / "many.npy", x)
    run("encode", small_model, "many.npy", "--output", "codes.npy")
    codes = np.load(tmp_path / "codes.npy")
    model = Model(small_model)
    assert np.all(np.abs(codes - model.codes(x)) <= codes_rounding(x, model))
    np.save(tmp_path / "one.npy", x[2048:])
    run("encode", small_model, "one.npy", "--output", "code.npy")
    assert np.load(tmp_path / "code.npy").shape == (1, 10)
    rounding = codes_rounding(x[2048:], model)
    assert np.all(np.abs(np.load(tmp_path / "code.npy") - codes[2048:]) <= rounding)


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_text_output_reads_back_the_same_numbers(run, small, small_model, tmp_path, suffix):
    run("encode", small_model, small.samples, "--top", 4, "--output", "codes.npy")
    run("encode", small_model, small.samples, "--top", 4, "--output", f"codes.{suffix}")
    text = np.loadtxt(tmp_path / f"codes.{suffix}", delimiter="," if suffix == "csv" else "\t")
    np.testing.assert_array_equal(text, np.load(tmp_path / "codes.npy"))
    run("decode", small_model, f"codes.{suffix}", "--output", "a.npy")
    run("decode", small_model, "codes.npy", "--output", "b.npy")
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()


def test_output_replaces_an_older_file(run, small, small_model, tmp_path):
    (tmp_path / "codes.npy").write_bytes(b"old and longer than nothing" * 100000)
    run("encode", small_model, small.samples, "--output", "codes.npy")
    assert np.load(tmp_path / "codes.npy").shape == small.x.shape


@harness.unsanitized("its shadow memory alone takes more addresses than the limit")
@pytest.mark.parametrize("command", [
    ["encode", "m.npz", "x.npy", "--output", "z.npy"],
    ["decode", "m.npz", "z.npy", "--output", "x2.npy"],
    ["eval", "m.npz", "--truth", "d.npy"],
])  # fmt: skip
def test_too_little_memory_is_an_error(run, tmp_path, command):
    """OpenBLAS would wait forever for memory that it doesn't get."""
    run("synth", "--dimension", 80, "--samples", 4000, "--output", "x.npy", "--truth", "d.npy")
    run("fit", "x.npy", "--output", "m.npz")
    if command[0] == "decode":
        run("encode", "m.npz", "x.npy", "--output", "z.npy")
    limit = 120 << 20
    done = subprocess.run([harness.BINARY, *command], cwd=tmp_path, capture_output=True, timeout=harness.TIMEOUT_SECONDS,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))  # fmt: skip
    assert done.returncode == 3
    assert b"memory" in done.stderr


@pytest.mark.parametrize("separator, suffix", [(",", "csv"), ("\t", "tsv")])
def test_names_of_samples_go_to_their_codes(run, skewed, tmp_path, separator, suffix):
    x = skewed.x[:3000]
    lines = [separator.join(["gene", *(f"x{i}" for i in range(10))])]
    lines += [separator.join([f'"thr {i}"', *map(repr, map(float, row))]) for i, row in enumerate(x)]
    (tmp_path / f"x.{suffix}").write_text("\n".join(lines) + "\n")
    run("fit", f"x.{suffix}", "--output", "m.npz")
    run("encode", "m.npz", f"x.{suffix}", "--output", f"z.{suffix}")
    run("encode", "m.npz", f"x.{suffix}", "--output", "z.npy")
    written = (tmp_path / f"z.{suffix}").read_text().splitlines()
    assert written[0].split(separator) == ["gene", *(f"atom{i}" for i in range(10))]
    assert [line.split(separator)[0] for line in written[1:]] == [f'"thr {i}"' for i in range(3000)]
    codes = np.load(tmp_path / "z.npy")
    np.testing.assert_array_equal([list(map(float, line.split(separator)[1:])) for line in written[1:]], codes)
    run("decode", "m.npz", f"z.{suffix}", "--output", "y.npy")
    run("decode", "m.npz", "z.npy", "--output", "y2.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), np.load(tmp_path / "y2.npy"))
