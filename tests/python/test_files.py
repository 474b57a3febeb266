# SPDX-License-Identifier: Apache-2.0
"""read() and write(): every format, compared with other programs that write and read it."""

import gzip
import os
import pathlib
import struct

import numpy as np
import pytest
from support import child, listing, on_a_full_disk, same_bits, sparse_data

from orthodict import read, write

TYPES = ["<f8", ">f8", "<f4", ">f4", "<f2", ">f2", "u1", "i1", "<u2", ">u2", "<i2", ">i2", "<u4", ">u4", "<i4", ">i4",
         "<u8", ">u8", "<i8", ">i8"]  # fmt: skip


def numbers(dtype="f8", shape=(7, 5)):
    """Values that every type holds."""
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def check(array, expected):
    """The same shape and numbers, of a type that holds them exactly, and nobody can change what was read."""
    assert array.shape == expected.shape
    assert array.dtype.kind == ("u" if expected.dtype.kind == "b" else expected.dtype.kind)
    assert array.dtype.itemsize >= expected.dtype.itemsize
    assert np.array_equal(array, expected)
    assert not array.flags.writeable
    with pytest.raises(ValueError):
        array[...] = 0


# NumPy's formats.


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [*TYPES, "?"])
def test_npy(tmp_path, dtype, order):
    expected = np.array(numbers(dtype), order=order)
    np.save(tmp_path / "x.npy", expected)
    array = read(tmp_path / "x.npy")
    check(array, expected)
    assert array.flags.f_contiguous == (order == "F")
    assert dtype == "?" or array.dtype == np.dtype(dtype), "the byte order is that of the file"


@pytest.mark.parametrize("shape", [(12,), (1, 1), (0, 5), (5, 0), (2, 3, 4), (2, 3, 2, 2)], ids=str)
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_of_other_shapes(tmp_path, shape, order):
    expected = np.array(numbers(shape=shape), order=order)
    np.save(tmp_path / "x.npy", expected)
    check(read(tmp_path / "x.npy"), expected)


def test_npy_is_mapped(tmp_path):
    """A file of a terabyte that is nearly all holes takes no time and no memory."""
    header = b"\x93NUMPY\x01\x00" + struct.pack("<H", 118)
    header += b"{'descr': '|u1', 'fortran_order': False, 'shape': (1099511627776, 1), }".ljust(117) + b"\n"
    with open(tmp_path / "x.npy", "wb") as file:
        file.write(header)
        file.truncate(len(header) + 2**40)
    array = read(tmp_path / "x.npy")
    assert array.shape == (2**40, 1)
    assert array[2**39, 0] == 0


def test_what_was_read_outlives_its_file(tmp_path):
    expected = numbers()
    np.save(tmp_path / "x.npy", expected)
    part = read(tmp_path / "x.npy")[2:, 1:]
    (tmp_path / "x.npy").unlink()
    assert np.array_equal(part, expected[2:, 1:])


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed], ids=["stored", "deflated"])
@pytest.mark.parametrize("dtype", ["<f8", ">f4", "u1", "<i8"])
def test_npz(tmp_path, save, dtype):
    first, second = numbers(dtype), np.asfortranarray(2 * numbers(dtype))
    save(tmp_path / "one.npz", first)
    save(tmp_path / "two.npz", first=first, second=second)
    check(read(tmp_path / "one.npz"), first)
    check(read(f"{tmp_path}/one.npz:arr_0"), first)
    check(read(f"{tmp_path}/two.npz:first"), first)
    check(read(tmp_path / "two.npz:second"), second)


# Other formats.


@pytest.mark.parametrize("dtype", ["f8", "f4", "u1", "i2", "u4", "i8"])
@pytest.mark.parametrize("compressed", [False, True])
def test_mat(tmp_path, dtype, compressed):
    scipy_io = pytest.importorskip("scipy.io")
    expected = numbers(dtype)
    scipy_io.savemat(tmp_path / "one.mat", {"x": expected, "note": "text"}, do_compression=compressed)
    scipy_io.savemat(tmp_path / "two.mat", {"x": expected, "y": 2 * expected}, do_compression=compressed)
    check(read(tmp_path / "one.mat"), expected)
    check(read(f"{tmp_path}/two.mat:y"), 2 * expected)


@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", "<f2", "u1", ">i2", "<u4", "<i8"])
@pytest.mark.parametrize("how", [{}, {"chunks": (3, 2), "compression": "gzip", "shuffle": True}],
                         ids=["contiguous", "gzip"])  # fmt: skip
def test_hdf5(tmp_path, dtype, how):
    h5py = pytest.importorskip("h5py")
    expected = numbers(dtype)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("group/x", data=expected, **how)
    check(read(tmp_path / "x.h5"), expected)
    with h5py.File(tmp_path / "x.h5", "a") as file:
        file["y"] = 2 * expected
    check(read(f"{tmp_path}/x.h5:/group/x"), expected)
    check(read(f"{tmp_path}/x.h5:/y"), 2 * expected)


@pytest.mark.parametrize("code, dtype", [(0x08, "u1"), (0x09, "i1"), (0x0B, ">i2"), (0x0C, ">i4"), (0x0D, ">f4"),
                                         (0x0E, ">f8")])  # fmt: skip
@pytest.mark.parametrize("shape", [(12,), (3, 4), (2, 3, 2)], ids=str)
def test_idx(tmp_path, code, dtype, shape):
    expected = numbers(dtype, shape)
    contents = struct.pack(f">HBB{len(shape)}I", 0, code, len(shape), *shape) + expected.tobytes()
    (tmp_path / "x.idx").write_bytes(contents)
    (tmp_path / "x-ubyte.gz").write_bytes(gzip.compress(contents))
    for name in ("x.idx", "x-ubyte.gz"):
        check(read(tmp_path / name), expected)


@pytest.mark.parametrize("name, delimiter", [("x.csv", ","), ("x.tsv", "\t"), ("x.txt", " "), ("x.csv", ";")])
@pytest.mark.parametrize("header", ["", "a b c d e"])
def test_text(tmp_path, name, delimiter, header):
    """Seventeen digits tell every double."""
    expected = sparse_data().samples[:7, :5]
    np.savetxt(tmp_path / name, expected, delimiter=delimiter, fmt="%.17g", comments="",
               header=delimiter.join(header.split()))  # fmt: skip
    check(read(tmp_path / name), expected)


def test_sparse_matrices_are_for_fits(tmp_path):
    """An archive of several arrays: there is no one array to read, and the message says what there is."""
    sparse = pytest.importorskip("scipy.sparse")
    sparse.save_npz(tmp_path / "x.npz", sparse.csr_matrix(numbers()))
    with pytest.raises(ValueError, match="x.npz"):
        read(tmp_path / "x.npz")


def test_names_with_colons_and_beyond_ascii(tmp_path):
    folder = tmp_path / "run:1 Prüfdaten ∑"
    folder.mkdir()
    np.savez(folder / "x.npz", a=numbers(), b=2 * numbers())
    np.save(folder / "x:y.npy", numbers())
    check(read(folder / "x.npz:b"), 2 * numbers())
    check(read(folder / "x:y.npy"), numbers())
    write(folder / "out:put ∂.npy", numbers())
    assert np.array_equal(np.load(folder / "out:put ∂.npy"), numbers())


def test_paths_from_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("x.npy", numbers())
    check(read("x.npy"), numbers())
    check(read(pathlib.Path("x.npy")), numbers())


# Errors.


@pytest.mark.parametrize("name", ["missing.npy", "missing.npz:x", "missing.csv", "missing.mat", "missing.h5:/x"])
def test_files_that_are_not_there(tmp_path, name):
    with pytest.raises(FileNotFoundError, match="missing"):
        read(tmp_path / name)


@pytest.mark.parametrize("name", ["folder.npy", "folder.csv", "folder"])
def test_folders(tmp_path, name):
    (tmp_path / name).mkdir()
    with pytest.raises(IsADirectoryError):
        read(tmp_path / name)
    with pytest.raises((OSError, ValueError), match=name):
        write(tmp_path / name, numbers())


def test_a_pipe_is_not_waited_for(tmp_path):
    """Nobody writes into it: the answer must come without."""
    os.mkfifo(tmp_path / "pipe.npy")
    answer = child("""
        import json, signal, sys
        import orthodict

        def late(number, frame):
            print(json.dumps("waited"), flush=True)
            sys.exit()

        signal.signal(signal.SIGALRM, late)
        signal.alarm(3)
        try:
            orthodict.read(sys.argv[1])
        except (OSError, ValueError) as error:
            print(json.dumps(str(error)))
    """, tmp_path / "pipe.npy")  # fmt: skip
    assert "pipe.npy" in answer


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_files_that_may_not_be_read(tmp_path):
    write(tmp_path / "x.npy", numbers())
    (tmp_path / "x.npy").chmod(0)
    with pytest.raises(PermissionError):
        read(tmp_path / "x.npy")


def bad_files(folder):
    np.save(folder / "good.npy", numbers())
    good = (folder / "good.npy").read_bytes()
    np.savez(folder / "two.npz", a=numbers(), b=numbers())
    two = (folder / "two.npz").read_bytes()
    contents = {
        "empty.npy": b"",
        "text.npy": b"1,2,3\n" * 30,
        "header_cut.npy": good[:40],
        "data_cut.npy": good[:-10],
        "cut.npz": two[:len(two) // 2],
        "no_archive.npz": good,
        "ragged.csv": b"1,2,3\n4,5\n",
        "word.csv": b"1,2\n3,x\n",
        "magic.idx": b"\x01\x02\x08\x02" + bytes(20),
        "data_cut.idx": b"\x00\x00\x08\x02" + struct.pack(">II", 5, 5) + bytes(20),
        "junk.mat": bytes(200),
        "junk.h5": b"no HDF5 at all",
        "unknown.xyz": b"1 2 3\n",
    }
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    np.save(folder / "long_complex.npy", (numbers() + 1j).astype(np.clongdouble))
    np.save(folder / "text_array.npy", np.array([["a"]]))
    np.save(folder / "objects.npy", np.array([[1, None]], object), allow_pickle=True)


@pytest.mark.parametrize("name, words", [
    ("empty.npy", "empty"), ("text.npy", "NUMPY"), ("header_cut.npy", "truncated"), ("data_cut.npy", "truncated"),
    ("cut.npz", "zip"), ("no_archive.npz", "zip"), ("two.npz", "a, b"), ("two.npz:c", "a, b"), ("ragged.csv", "line 2"),
    ("word.csv", "line 2, column 2"), ("magic.idx", "01 02 08 02"), ("data_cut.idx", "5×5"), ("junk.mat", "MATLAB"),
    ("junk.h5", "HDF5"), ("unknown.xyz", "format"), ("long_complex.npy", "<c32"), ("text_array.npy", "<U1"),
    ("objects.npy", "|O"),
])  # fmt: skip
def test_files_that_are_wrong(tmp_path, name, words):
    bad_files(tmp_path)
    file = name.partition(":")[0]
    with pytest.raises(ValueError, match=f"{file}.*{words.replace('|', '[|]')}"):
        read(tmp_path / name)


@pytest.mark.parametrize("path", [None, 3, ["x.npy"]])
def test_paths_of_other_types(path):
    with pytest.raises(TypeError):
        read(path)
    with pytest.raises(TypeError):
        write(path, numbers())


def test_standard_streams_are_for_the_command():
    with pytest.raises(ValueError, match="-"):
        read("-")
    with pytest.raises(ValueError, match="-"):
        write("-", numbers())


# Writing.


@pytest.mark.parametrize("dtype", [*TYPES, "?", "longdouble"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_written_npy(tmp_path, dtype, order):
    array = np.array(numbers(dtype), order=order)
    write(tmp_path / "x.npy", array)
    written = np.load(tmp_path / "x.npy")
    assert written.dtype == ("<f4" if np.dtype(dtype).kind == "f" and np.dtype(dtype).itemsize == 4 else "<f8")
    assert written.flags.c_contiguous
    assert np.array_equal(written, array)


def test_written_npy_is_numpy_s(tmp_path):
    x = sparse_data().samples
    write(tmp_path / "a.npy", x)
    np.save(tmp_path / "b.npy", x)
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name, delimiter", [("x.csv", ","), ("x.tsv", "\t")])
def test_written_text_reads_back_the_same(tmp_path, name, delimiter, dtype):
    x = sparse_data().samples[:100].astype(dtype)
    x[0, :3] = [1e-300 if dtype == "f8" else 1e-38, -0.0, 1e30]
    write(tmp_path / name, x)
    assert same_bits(np.loadtxt(tmp_path / name, delimiter=delimiter).astype(dtype), x)
    assert np.array_equal(read(tmp_path / name).astype(dtype), x)


@pytest.mark.parametrize("shape", [(0, 5), (1, 1), (1025, 3)], ids=str)
def test_written_shapes(tmp_path, shape):
    write(tmp_path / "x.npy", numbers(shape=shape))
    assert np.array_equal(np.load(tmp_path / "x.npy"), numbers(shape=shape))


def test_values_that_are_not_finite_can_be_written(tmp_path):
    x = np.array([[np.nan, np.inf], [-np.inf, 1.0]])
    write(tmp_path / "x.npy", x)
    assert same_bits(np.load(tmp_path / "x.npy"), x)


def test_lists_can_be_written(tmp_path):
    write(tmp_path / "x.npy", [[1, 2], [3, 4]])
    assert np.load(tmp_path / "x.npy").tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize("array, words", [
    (np.ones(3), "array has 1 dimensions"), (np.ones((2, 2, 2)), "array has 3 dimensions"),
    ([["a"]], "array has elements of type <U1"),
])  # fmt: skip
def test_arrays_that_are_wrong(tmp_path, array, words):
    with pytest.raises(ValueError, match=words):
        write(tmp_path / "x.npy", array)
    assert listing(tmp_path) == []


@pytest.mark.parametrize("name", ["x", "x.npz", "x.mat", "x.h5", "x.xyz"])
def test_other_names_for_matrices(tmp_path, name):
    with pytest.raises(ValueError, match=rf"{name}: unknown output format.*\.npy, \.csv or \.tsv"):
        write(tmp_path / name, numbers())
    assert listing(tmp_path) == []


def test_folders_that_cannot_be_written(tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        write(tmp_path / "nowhere" / "x.npy", numbers())
    with pytest.raises(OSError, match="x.npy"):
        write("/proc/x.npy", numbers())


@pytest.mark.parametrize("name", ["x.npy", "x.csv"])
def test_a_full_disk_leaves_what_was_there(name):
    """The old file stays, and no part of the new one is left."""
    raised, same, left = on_a_full_disk(name, "orthodict.write(path, np.ones((2, 2)))",
                                        "orthodict.write(path, np.random.default_rng(0).random((100000, 10)))")
    assert name in raised
    assert same
    assert left == [name]
