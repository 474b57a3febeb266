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


@pytest.fixture
def overcomplete(tmp_path):
    """Samples of three atoms each, out of more atoms than dimensions, and a model of these without analysis."""
    rng = np.random.default_rng(5)
    dictionary = rng.standard_normal((50, 24))
    dictionary /= np.linalg.norm(dictionary, axis=1, keepdims=True)
    mean = rng.standard_normal(24)
    codes = np.zeros((900, 50))
    for code in codes:
        code[rng.choice(50, 3, replace=False)] = rng.choice([-1, 1], 3) * [1, 3, 9]
    np.savez(tmp_path / "over.npz", dictionary=dictionary, mean=mean, metadata="{}")
    np.save(tmp_path / "over.npy", codes @ dictionary + mean)
    return dictionary, mean, codes


def pursuit(dictionary, y, count):
    """Orthogonal matching pursuit by its definition."""
    picked, code = [], np.zeros(len(dictionary))
    residual = y
    for _ in range(count):
        picked.append(np.abs(dictionary @ residual).argmax())
        values = np.linalg.lstsq(dictionary[picked].T, y, rcond=None)[0]
        residual = y - values @ dictionary[picked]
    code[picked] = values
    return code


def test_pursuit_with_more_atoms_than_dimensions(run, overcomplete, tmp_path):
    dictionary, mean, codes = overcomplete
    text = run("encode", "over.npz", "over.npy", "--coder", "omp:2", "--output", "two.npy").text
    assert "900 codes, 2 of 50 coefficients each" in text
    expected = [pursuit(dictionary, y, 2) for y in np.load(tmp_path / "over.npy") - mean]
    np.testing.assert_allclose(np.load(tmp_path / "two.npy"), expected, atol=1e-9)

    run("encode", "over.npz", "over.npy", "--output", "auto.npy")  # a pursuit, until the rest is like noise
    found = np.load(tmp_path / "auto.npy")
    assert np.mean(np.abs(found - codes).max(axis=1) < 1e-9) > 0.9
    run("decode", "over.npz", "auto.npy", "--output", "back.npy")
    np.testing.assert_allclose(np.load(tmp_path / "back.npy")[:3], (found @ dictionary + mean)[:3], atol=1e-12)

    run("encode", "over.npz", "over.npy", "--coder", "omp", "--error", 0.5, "--output", "error.npy")
    x = np.load(tmp_path / "over.npy") - mean
    left = x - np.load(tmp_path / "error.npy") @ dictionary
    assert np.sqrt(np.mean(left**2, axis=1)).max() <= 0.5 * np.sqrt(np.mean(x**2))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_change_codes(run, overcomplete, tmp_path, threads):
    for coder in ("omp:3", "omp", "lasso:0.1", "top:3", "threshold:0.7", "dense"):
        run("encode", "over.npz", "over.npy", "--coder", coder, "--threads", threads, "--output", "codes.npy")
        run("encode", "over.npz", "over.npy", "--coder", coder, "--sparse", "--output", "sparse.npz")
        codes = np.load(tmp_path / "codes.npy")
        np.testing.assert_array_equal(scipy.sparse.load_npz(tmp_path / "sparse.npz").toarray(), codes)


def test_lasso_is_in_units_of_the_samples_rms(run, overcomplete, tmp_path):
    dictionary, mean, _ = overcomplete
    x = np.load(tmp_path / "over.npy") - mean
    run("encode", "over.npz", "over.npy", "--coder", "lasso:0.3", "--output", "codes.npy")
    codes = np.load(tmp_path / "codes.npy")
    products = (x - codes @ dictionary) @ dictionary.T
    penalty = 0.3 * np.sqrt(np.mean(x**2))
    assert np.abs(products).max() <= penalty * (1 + 1e-6)
    used = codes != 0
    np.testing.assert_allclose(products[used], penalty * np.sign(codes[used]), rtol=1e-6)
    assert 0.01 < used.mean() < 0.3


def test_refit_computes_what_is_kept_anew(run, small, small_model, tmp_path):
    run("encode", small_model, small.samples, "--top", 3, "--output", "plain.npy")
    run("encode", small_model, small.samples, "--top", 3, "--refit", "--output", "refit.npy")
    plain, refit = np.load(tmp_path / "plain.npy"), np.load(tmp_path / "refit.npy")
    np.testing.assert_array_equal(refit != 0, plain != 0)
    model = Model(small_model)
    left = small.x - model.mean - refit @ model.dictionary
    assert np.abs((left @ model.dictionary.T)[refit != 0]).max() < 1e-12 * np.abs(small.x).max() * len(model.dictionary)


def test_models_without_analysis(run, overcomplete, tmp_path):
    """info, eval and report read them; a model that names its coder is encoded with it."""
    dictionary, mean, _ = overcomplete
    assert "50 atoms in 24 dimensions" in run("info", "over.npz").text
    np.save(tmp_path / "d.npy", -dictionary[::-1])
    assert run("eval", "over.npz", "--truth", "d.npy", "--json").json["error"] < 1e-14
    run("eval", "over.npz", "--truth", "d.npy", "--samples", "over.npy", "--theta", 0.1, expect=2)
    np.savez(tmp_path / "named.npz", dictionary=dictionary, mean=mean, metadata="{}", coder="omp:4")
    run("encode", "named.npz", "over.npy", "--output", "named.npy")
    run("encode", "over.npz", "over.npy", "--coder", "omp:4", "--output", "four.npy")
    assert (tmp_path / "named.npy").read_bytes() == (tmp_path / "four.npy").read_bytes()
    for damage, word in ({"coder": "omp:51"}, "nonzeros"), ({"dictionary": dictionary[:24]}, "analysis"):
        np.savez(tmp_path / "bad.npz", **{"dictionary": dictionary, "mean": mean, "metadata": "{}"} | damage)
        assert word in run("encode", "bad.npz", "over.npy", "--output", "z.npy", expect=3).stderr


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
