# SPDX-License-Identifier: Apache-2.0
"""Files that are damaged or unsuitable, one for each way that comes to mind."""

import gzip
import io
import os
import struct
import zipfile

import h5py
import numpy as np
import scipy.io
import scipy.sparse


def npy_header(shape, descr="<f8", more=""):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, {more}}}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def npy_bytes(array, **more):
    buffer = io.BytesIO()
    np.save(buffer, array, **more)
    return buffer.getvalue()


def npz_bytes(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def idx_bytes(rows, columns, count):
    return b"\x00\x00\x08\x02" + struct.pack(">II", rows, columns) + b"\x01\x02" * (count // 2)


def flipped(contents, position):
    return contents[:position] + bytes([contents[position] ^ 0xFF]) + contents[position + 1 :]


def samples_with(value):
    """Two thousand samples of ten features with `value` in sample 1234, feature 7."""
    x = np.random.default_rng(0).standard_normal((2000, 10))
    x[1234, 7] = value
    return x


def write_npy_files(folder):
    x = samples_with(0.5)
    good = npy_bytes(x)
    contents = {
        "empty": b"",
        "text": b"1,2,3\n4,5,6\n" * 20,
        "header_cut": good[:40],
        "magic_only": good[:6],
        "data_cut": good[:-100],
        "header_only": good[:128],
        "version_9": good[:6] + b"\x09" + good[7:],
        "no_dict": good[:10] + b"x" * 118 + good[128:],
        "more_keys": npy_header("(2, 3)", more="'x': 1") + bytes(48),
        "objects": npy_bytes(np.array([[1, "a"]], object), allow_pickle=True),
        "long_complex": npy_bytes((x + 1j).astype(np.clongdouble)),
        "strings": npy_bytes(np.array([["a", "b"]])),
        "records": npy_bytes(np.zeros((3, 2), [("a", "f8"), ("b", "i4")])),
        "dates": npy_bytes(np.array([["2020-01-01"]], "M8[D]")),
        "long_double": npy_bytes(x.astype(np.longdouble)) if np.dtype(np.longdouble).itemsize > 8 else b"",
        "overflow": npy_header("(4611686018427387904, 8)") + bytes(64),
        "overflow_zero": npy_header("(4611686018427387904, 8, 0)") + bytes(64),
        "promise": npy_header("(1000000000000, 8)") + bytes(64),
        "negative": npy_header("(-3, 8)") + bytes(64),
        "nan": npy_bytes(samples_with(np.nan)),
        "inf": npy_bytes(samples_with(np.inf)),
        "minus_inf": npy_bytes(samples_with(-np.inf)),
        "zero": npy_bytes(np.zeros((50, 10))),
        "constant": npy_bytes(np.full((50, 10), 3.7)),
        "one_sample": npy_bytes(x[:1]),
        "no_samples": npy_bytes(np.zeros((0, 10))),
        "no_features": npy_bytes(np.zeros((10, 0))),
        "scalar": npy_bytes(np.float64(3)),
        "twice": npy_bytes(x) + npy_bytes(x),
        "large": npy_bytes(x * 1e200),
        "tiny": npy_bytes(x * 1e-200),
        "nearly_tiny": npy_bytes(x * 1e-154),
        "four_features": npy_bytes(x[:, :4]),
        "no_samples_of_four": npy_bytes(np.zeros((0, 4))),
        "rank_6": npy_bytes(x[:, :6] @ np.random.default_rng(1).standard_normal((6, 10))),
        "few_atoms": npy_bytes(np.eye(10)[:7]),
        "zero_atom": npy_bytes(np.diag([1.0] * 9 + [0.0])),
        "nan_atoms": npy_bytes(np.full((10, 10), np.nan)),
    }
    for name, data in contents.items():
        (folder / f"{name}.npy").write_bytes(data)


def write_npz_files(folder):
    x = samples_with(0.5)
    eye, zero = np.eye(10), np.zeros(10)
    two = npz_bytes(a=x, b=x)
    contents = {
        "two": two,
        "cut": two[: len(two) // 2],
        "flipped": flipped(two, 5000),  # inside the first array: only the checksum detects it
        "npy": npy_bytes(x),
        "not_a_model": npz_bytes(x=x),
        "no_analysis": npz_bytes(dictionary=eye, mean=zero),
        "shapes": npz_bytes(dictionary=eye, analysis=eye[:4], mean=zero, metadata="{}"),
        "short_mean": npz_bytes(dictionary=eye, analysis=eye, mean=zero[:3], metadata="{}"),
        "nan_model": npz_bytes(dictionary=eye * np.nan, analysis=eye, mean=zero, metadata="{}"),
        "empty_model": npz_bytes(dictionary=eye[:0], analysis=eye[:0], mean=zero, metadata="{}"),
        "metadata_number": npz_bytes(dictionary=eye, analysis=eye, mean=zero, metadata=3.5),
        "metadata_broken": npz_bytes(dictionary=eye, analysis=eye, mean=zero, metadata="{broken"),
        "csr_falls": npz_bytes(format=b"csr", shape=[2, 10], indptr=[0, 3, 1], indices=[0, 1, 2], data=[1.0, 2, 3]),
        "csr_beyond": npz_bytes(format=b"csr", shape=[2, 10], indptr=[0, 1, 2], indices=[0, 10], data=[1.0, 2]),
        "csr_negative": npz_bytes(format=b"csr", shape=[2, 10], indptr=[0, 1, 2], indices=[0, -1], data=[1.0, 2]),
        "csr_lengths": npz_bytes(format=b"csr", shape=[2, 10], indptr=[0, 1, 2], indices=[0, 1], data=[1.0]),
        "csr_rows": npz_bytes(format=b"csr", shape=[9, 10], indptr=[0, 1, 2], indices=[0, 1], data=[1.0, 2]),
        "csr_wide": npz_bytes(format=b"csr", shape=[1, 2**30], indptr=[0, 0], indices=np.zeros(0, int), data=zero[:0]),
    }
    for name, data in contents.items():
        (folder / f"{name}.npz").write_bytes(data)
    with zipfile.ZipFile(folder / "no_arrays.npz", "w") as archive:
        archive.writestr("readme.txt", "no arrays here")
    scipy.sparse.save_npz(folder / "csc.npz", scipy.sparse.csc_matrix(x))


def write_text_files(folder):
    contents = {
        "ragged.csv": "1,2,3\n4,5,6\n7,8\n",
        "word.csv": "a,b\n1,2\n3,x4\n",
        "gap.csv": "1,2\n3,\n",
        "decimal_comma.csv": "1,5;2,5\n3,5;4,5\n",
        "header_only.csv": "a,b,c\n",
        "comments_only.csv": "# a\n\n# b\n",
        "nan.csv": "1,2\n3,4\nnan,5\n",
        "beyond.csv": "1,2\n3,1e999\n",
        "quote.csv": '1,"2\n3,4\n',
        "unknown.xyz": "1 2 3\n",
        "no_suffix": "1 2 3\n",
    }
    for name, text in contents.items():
        (folder / name).write_text(text)
    (folder / "utf16.csv").write_bytes("1,2\n3,4\n".encode("utf-16"))


def write_idx_files(folder):
    whole = idx_bytes(50, 4, 200)
    contents = {
        "magic.idx": b"\x01\x02" + whole[2:],
        "type.idx": b"\x00\x00\x07" + whole[3:],
        "header_cut.idx": whole[:7],
        "data_cut.idx": whole[:-50],
        "promise.idx": b"\x00\x00\x0e\x03" + b"\xff" * 12 + bytes(100),
        "cut.idx.gz": gzip.compress(whole)[:-12],
        "checksum.idx.gz": flipped(gzip.compress(whole), -8 + len(gzip.compress(whole))),
        "not_idx-ubyte.gz": gzip.compress(b"text instead of IDX"),
    }
    for name, data in contents.items():
        (folder / name).write_bytes(data)


def write_mat_and_hdf5_files(folder):
    x = samples_with(0.5)
    scipy.io.savemat(folder / "text.mat", {"note": "hello"})
    scipy.io.savemat(folder / "two.mat", {"a": x, "b": x})
    (folder / "cut.mat").write_bytes((folder / "two.mat").read_bytes()[:5000])
    (folder / "junk.mat").write_bytes(b"junk" * 100)
    with h5py.File(folder / "two.h5", "w") as file:
        file["train/x"] = x
        file["y"] = x
        file["note"] = "hello"
    with h5py.File(folder / "external.h5", "w") as file:
        file["x"] = x
        file["link"] = h5py.ExternalLink("two.h5", "/y")
    with h5py.File(folder / "groups_only.h5", "w") as file:
        file.create_group("train")
    with h5py.File(folder / "promise.h5", "w") as file:
        file.create_dataset("x", shape=(10**12, 8), dtype="f8", chunks=(1024, 8))
    with h5py.File(folder / "deep.h5", "w") as file:
        file["g/" * 1000 + "x"] = x
    (folder / "cut.h5").write_bytes((folder / "two.h5").read_bytes()[:3000])
    (folder / "junk.h5").write_bytes(b"junk" * 100)


def write_bad_files(folder):
    write_npy_files(folder)
    write_npz_files(folder)
    write_text_files(folder)
    write_idx_files(folder)
    write_mat_and_hdf5_files(folder)
    for suffix in ("npy", "npz", "csv", "h5", "mat"):
        (folder / f"folder.{suffix}").mkdir()
        os.symlink("/dev/full", folder / f"full.{suffix}")
        os.symlink(f"loop.{suffix}", folder / f"loop.{suffix}")
    os.mkfifo(folder / "pipe.npy")
