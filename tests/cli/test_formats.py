# SPDX-License-Identifier: Apache-2.0
"""The same samples in every format give the same model file, byte for byte: all values here are equal as doubles, and a
model doesn't hold the name of what it was learned from."""

import gzip
import io
import struct

import h5py
import harness
import numpy as np
import pytest
import scipy.io
import scipy.sparse
from harness import Model

# Few iterations are enough to tell one data set from another, and every value takes part in each.
FIT = ["--method", "msp", "--max-iterations", 5, "--tolerance", 0, "--center"]


@pytest.fixture(scope="session")
def integers(small):
    """Whole numbers from 1 to 255, so that every element type holds them exactly."""
    return np.clip(np.rint(small.x[:1000] * 40 + 128), 1, 255)


@pytest.fixture(scope="session")
def reference(tmp_path_factory):
    """reference(x): the model of the samples x by way of a plain .npy of doubles."""
    folder = tmp_path_factory.mktemp("reference")
    known = {}

    def model_bytes(x):
        x = np.ascontiguousarray(x, np.float64)
        if x.tobytes() not in known:
            np.save(folder / "x.npy", x)
            harness.run_command("fit", "x.npy", *FIT, "--output", "m.npz", cwd=folder, expect=4)
            known[x.tobytes()] = (folder / "m.npz").read_bytes()
        return known[x.tobytes()]

    return model_bytes


@pytest.fixture(scope="session")
def identity(tmp_path_factory):
    """A model whose codes are the samples themselves, to the bit."""
    path = tmp_path_factory.mktemp("identity") / "identity.npz"
    np.savez(path, dictionary=np.eye(10), analysis=np.eye(10), mean=np.zeros(10), metadata="{}")
    return path


@pytest.fixture
def check(run, reference, identity, tmp_path):
    """check(name, x): the file holds exactly the samples x, and gives their model; what a stack of pictures or a table
    tells besides, their shape and names, is in the metadata, as named arguments say."""

    def compare(name, x, *options, **told):
        run("encode", identity, name, *options, "--output", "read.npy")
        np.testing.assert_array_equal(np.load(tmp_path / "read.npy"), x)
        run("fit", name, *FIT, *options, "--output", "model.npz", expect=4)
        if not told:
            assert (tmp_path / "model.npz").read_bytes() == reference(x), "another model, though the values are the same"
        else:
            model, expected = Model(tmp_path / "model.npz"), Model(io.BytesIO(reference(x)))
            for name, value in told.items():
                assert model.metadata.pop(name) == value
            assert model.metadata == expected.metadata
            np.testing.assert_array_equal(model.dictionary, expected.dictionary)

    return compare


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f8", ">f8"])
def test_npy_of_doubles(check, small, tmp_path, dtype, order):
    np.save(tmp_path / "x.npy", np.array(small.x, dtype, order=order))
    check("x.npy", small.x)


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f2", ">f2"])
def test_npy_of_shorter_floats(check, small, tmp_path, dtype):
    x = small.x.astype(dtype)
    np.save(tmp_path / "x.npy", x)
    check("x.npy", x)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    "dtype", ["u1", "<u2", ">u2", "<u4", ">u4", "<u8", ">u8", "<i2", ">i2", "<i4", ">i4", "<i8", ">i8"]
)
def test_npy_of_integers(check, integers, tmp_path, dtype, order):
    np.save(tmp_path / "x.npy", np.array(integers, dtype, order=order))
    check("x.npy", integers)


@pytest.mark.parametrize("dtype", ["i1", "<i2", ">i4", "<i8"])
def test_npy_of_negative_integers(check, integers, tmp_path, dtype):
    np.save(tmp_path / "x.npy", (integers - 128).astype(dtype))
    check("x.npy", integers - 128)


def test_npy_of_truth_values(check, small, tmp_path):
    np.save(tmp_path / "x.npy", small.x > 0)
    check("x.npy", small.x > 0)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)], ids=str)
def test_npy_versions(check, small, tmp_path, version):
    with open(tmp_path / "x.npy", "wb") as file:
        np.lib.format.write_array(file, small.x, version=version)
    check("x.npy", small.x)


@pytest.mark.parametrize("order", ["C", "F"])
def test_stack_of_images(check, integers, tmp_path, order):
    """Samples x 2 x 5: an image's pixels row by row, as NumPy's reshape has them, whatever the order in the file."""
    stack = integers.reshape(-1, 2, 5).astype("u1")
    np.save(tmp_path / "stack.npy", np.array(stack, order=order))
    check("stack.npy", stack.reshape(-1, 10), sample_shape=[2, 5])


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed], ids=["stored", "deflated"])
def test_npz(check, small, tmp_path, save):
    save(tmp_path / "one.npz", x=small.x)
    save(tmp_path / "several.npz", other=-small.x[::-1], x=np.asfortranarray(small.x))
    check("one.npz", small.x)
    check("several.npz:x", small.x)
    check("several.npz:other", -small.x[::-1])


@pytest.mark.parametrize("compressed", [False, True], ids=["stored", "deflated"])
def test_npz_of_a_sparse_matrix(check, small, tmp_path, compressed):
    x = np.where(np.abs(small.x) > 0.5, small.x, 0)
    scipy.sparse.save_npz(tmp_path / "sparse.npz", scipy.sparse.csr_matrix(x), compressed=compressed)
    check("sparse.npz", x)


TEXTS = {
    "plain": lambda rows: "".join(",".join(row) + "\n" for row in rows),
    "header": lambda rows: ",".join(f"x{i}" for i in range(10)) + "\n" + "".join(",".join(row) + "\n" for row in rows),
    "names_of_rows": lambda rows: "gene," + ",".join(f"x{i}" for i in range(10)) + "\n"
    + "".join(f"b{i:04}," + ",".join(row) + "\n" for i, row in enumerate(rows)),
    "pandas": lambda rows: "," + ",".join(f"x{i}" for i in range(10)) + "\n"
    + "".join(f"{i}," + ",".join(row) + "\n" for i, row in enumerate(rows)),
    "crlf": lambda rows: "".join(",".join(row) + "\r\n" for row in rows),
    "no_last_newline": lambda rows: "\n".join(",".join(row) for row in rows),
    "spaces_about": lambda rows: "".join(" , ".join(row) + " \n" for row in rows),
    "semicolons": lambda rows: "".join(";".join(row) + "\n" for row in rows),
    "quoted": lambda rows: "".join(",".join(f'"{field}"' for field in row) + "\n" for row in rows),
    "comments": lambda rows: "# by hand\n\n" + "".join(",".join(row) + "\n\n" for row in rows) + "# end\n",
    "byte_order_mark": lambda rows: "\ufeff" + "".join(",".join(row) + "\n" for row in rows),
    "plus_signs": lambda rows: "".join(
        ",".join(f.replace("0.", "+0.") if f[0] == "0" else f for f in row) + "\n" for row in rows
    ),
}


@pytest.mark.parametrize("style", TEXTS)
def test_csv(check, small, tmp_path, style):
    x = small.x[:300]
    rows = [[repr(float(value)) for value in row] for row in x]
    (tmp_path / "x.csv").write_bytes(TEXTS[style](rows).encode())
    has_names = style in ("header", "names_of_rows", "pandas")
    check("x.csv", x, **({"feature_names": [f"x{i}" for i in range(10)]} if has_names else {}))


def test_names_go_from_table_to_table(run, small, tmp_path):
    x = small.x[:300]
    names = [f"c{i}" for i in range(10)]
    lines = [f"b{i:04}," + ",".join(map(repr, map(float, row))) for i, row in enumerate(x)]
    (tmp_path / "x.csv").write_text("\n".join([",".join(["gene", *names]), *lines]) + "\n")
    run("fit", "x.csv", *FIT, "--output", "m.npz", expect=4)
    run("encode", "m.npz", "x.csv", "--output", "z.csv")
    run("decode", "m.npz", "z.csv", "--output", "back.csv")
    back = [line.split(",") for line in (tmp_path / "back.csv").read_text().splitlines()]
    assert back[0] == ["gene", *names]
    assert [row[0] for row in back[1:]] == [line.split(",")[0] for line in lines]
    np.testing.assert_allclose(np.array([row[1:] for row in back[1:]], float), x, atol=1e-12)


def test_an_index_with_a_heading_is_told(run, small, tmp_path):
    def save(heading, first):
        rows = [",".join([str(first + i), *map(repr, map(float, row))]) for i, row in enumerate(small.x[:2000, :3])]
        (tmp_path / "x.csv").write_text("\n".join([f"{heading},a,b,c", *rows]) + "\n")

    for heading, first, is_told in (("id", 0, True), ("id", 1, True), ("id", 2, False), ("", 0, False)):
        save(heading, first)
        told = run("fit", "x.csv", *FIT, expect=4).stderr
        assert told.startswith("warning: id counts the samples, and is taken for a feature: ") == is_told


def test_features_have_to_be_those_of_the_model(run, small, tmp_path):
    def save(name, names):
        rows = [",".join(map(repr, map(float, row))) for row in small.x[:100]]
        (tmp_path / name).write_text("\n".join([",".join(names), *rows]) + "\n")

    names = [f"c{i}" for i in range(10)]
    save("x.csv", names)
    save("permuted.csv", [names[1], names[0], *names[2:]])
    save("others.csv", [*names[:9], "d9"])
    save("numbers.csv", [*map(str, range(10))])
    run("fit", "x.csv", *FIT, "--output", "m.npz", expect=4)
    run("encode", "m.npz", "numbers.csv", "--output", "z.npy")
    for command in (["encode", "m.npz"], ["report", "m.npz", "--data"]):
        output = ["--output", "z.npy" if command[0] == "encode" else "r.html"]
        complaint = run(*command, "permuted.csv", *output, expect=3).stderr
        assert 'permuted.csv: feature 1 is "c1", but the model\'s is "c0": the features have another order' in complaint
        complaint = run(*command, "others.csv", *output, expect=3).stderr
        assert 'others.csv: feature 10 is "d9", but the model\'s is "c9"' in complaint
    complaint = run("fit", "x.csv", "permuted.csv", *FIT, "--output", "m.npz", expect=3).stderr
    assert "permuted.csv: has features of other names, or in another order, than x.csv" in complaint


@pytest.mark.parametrize("name, delimiter", [("x.tsv", "\t"), ("x.txt", " "), ("X.CSV", ",")])
def test_other_text(check, small, tmp_path, name, delimiter):
    x = small.x[:300]
    np.savetxt(tmp_path / name, x, delimiter=delimiter, fmt="%.17g")
    check(name, x)


@pytest.mark.parametrize("compressed", [False, True], ids=["plain", "deflated"])
def test_mat(check, small, tmp_path, compressed):
    scipy.io.savemat(tmp_path / "one.mat", {"x": small.x}, do_compression=compressed)
    scipy.io.savemat(tmp_path / "several.mat", {"note": "text", "x": small.x, "y": -small.x}, do_compression=compressed)
    check("one.mat", small.x)
    check("several.mat:x", small.x)
    check("several.mat:y", -small.x)


@pytest.mark.parametrize("dtype", ["u1", "i2", "u4", "i8", "f4"])
def test_mat_of_other_types(check, integers, tmp_path, dtype):
    scipy.io.savemat(tmp_path / "x.mat", {"note": "not a number", "x": integers.astype(dtype)})
    check("x.mat", integers)


@pytest.mark.parametrize(
    "how",
    [{}, {"chunks": (100, 10)}, {"chunks": (64, 3), "compression": "gzip"}, {"chunks": (64, 3), "shuffle": True}],
    ids=["contiguous", "chunked", "gzip", "shuffled"],
)
def test_hdf5(check, small, tmp_path, how):
    for name in ("x.h5", "x.hdf5"):
        with h5py.File(tmp_path / name, "w") as file:
            file.create_dataset("train/images", data=small.x, **how)
        check(name, small.x)  # the only dataset need not be named
        with h5py.File(tmp_path / name, "a") as file:
            file["labels"] = np.arange(10)
        check(f"{name}:/train/images", small.x)
        check(f"{name}:train/images", small.x)


@pytest.mark.parametrize("dtype", ["u1", "<i2", ">i2", ">u4", "<i8", "<f4", ">f8", "<f2"])
def test_hdf5_of_other_types(check, integers, tmp_path, dtype):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x"] = integers.astype(dtype)
    check("x.h5:/x", integers.astype(dtype))


def idx(array, code):
    big_endian = array.astype(array.dtype.newbyteorder(">"))
    return struct.pack(f">HBB{array.ndim}I", 0, code, array.ndim, *array.shape) + big_endian.tobytes()


@pytest.mark.parametrize("code, dtype", [(0x08, "u1"), (0x0B, "i2"), (0x0C, "i4"), (0x0D, "f4"), (0x0E, "f8")])
def test_idx(check, integers, tmp_path, code, dtype):
    contents = idx(integers.astype(dtype), code)
    for name in ("x.idx", "x-idx2-ubyte", "x.bin"):  # the last is known by its magic number
        (tmp_path / name).write_bytes(contents)
        check(name, integers)
    for name in ("x.idx.gz", "x-idx2-ubyte.gz", "x.gz"):
        (tmp_path / name).write_bytes(gzip.compress(contents))
        check(name, integers)


def test_idx_of_images(check, integers, tmp_path):
    (tmp_path / "images-idx3-ubyte").write_bytes(idx(integers.reshape(-1, 5, 2).astype("u1"), 0x08))
    check("images-idx3-ubyte", integers, sample_shape=[5, 2])


@pytest.mark.parametrize("suffix", ["npy", "npz", "csv", "mat", "h5"])
def test_columns_in_every_format(check, small, tmp_path, suffix):
    columns = np.ascontiguousarray(small.x[:500].T)
    path = tmp_path / f"x.{suffix}"
    if suffix == "npy":
        np.save(path, columns)
    elif suffix == "npz":
        np.savez(path, columns)
    elif suffix == "csv":
        np.savetxt(path, columns, delimiter=",", fmt="%.17g")
    elif suffix == "mat":
        scipy.io.savemat(path, {"x": columns})
    else:
        with h5py.File(path, "w") as file:
            file["x"] = columns
    check(path.name, small.x[:500], "--columns")


@pytest.mark.parametrize("suffix", ["npz:d", "csv", "mat", "h5:/d"])
def test_truth_and_start_in_other_formats(run, small, small_model, tmp_path, suffix):
    """Small matrices go through the same readers."""
    np.savez(tmp_path / "d.npz", d=small.d, other=small.d)
    np.savetxt(tmp_path / "d.csv", small.d, delimiter=",", fmt="%.17g")
    scipy.io.savemat(tmp_path / "d.mat", {"d": small.d})
    with h5py.File(tmp_path / "d.h5", "w") as file:
        file["d"] = small.d
    expected = run("eval", small_model, "--truth", small.truth, "--json").json
    assert run("eval", small_model, "--truth", f"d.{suffix}", "--json").json == expected
    run("fit", small.samples, "--init", f"d.{suffix}", "--max-iterations", 2, "--output", "a.npz", expect=4)
    run("fit", small.samples, "--init", small.truth, "--max-iterations", 2, "--output", "b.npz", expect=4)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_single_precision_reads_every_type(run, integers, tmp_path):
    """--precision f32 converts from the file's type directly; whole numbers to 255 are exact in both."""
    models = set()
    for dtype in ("u1", "<i4", ">f8", "<f4"):
        np.save(tmp_path / "x.npy", integers.astype(dtype))
        run("fit", "x.npy", *FIT, "--precision", "f32", "--output", "m.npz", expect=4)
        models.add((tmp_path / "m.npz").read_bytes())
    assert len(models) == 1


def test_a_colon_in_the_name_of_a_folder(run, small, tmp_path):
    (tmp_path / "run:1").mkdir()
    np.savez(tmp_path / "run:1" / "x.npz", a=small.x, b=small.x)
    run("fit", "run:1/x.npz:a", "--output", "run:1/m.npz")
    assert Model(tmp_path / "run:1" / "m.npz").atoms == 10


def test_names_outside_ascii(run, small, tmp_path):
    np.save(tmp_path / "Prüfdaten ∑.npy", small.x)
    run("fit", "Prüfdaten ∑.npy", "--output", "Modell ∂.npz")
    assert "Modell ∂.npz" in run("info", "Modell ∂.npz").text
