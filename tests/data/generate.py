# SPDX-License-Identifier: Apache-2.0
"""Writes the files of this folder: what NumPy, SciPy and h5py write, which the tests read. Needs numpy, scipy, h5py.

Every matrix is 3×4 with 1.5·(4i + j) at (i, j), or 2×3×4 with the index in C order.
"""
import gzip
import pathlib
import struct

import h5py
import numpy as np
import scipy.io
import scipy.sparse

here = pathlib.Path(__file__).parent
matrix = np.arange(12).reshape(3, 4) * 1.5
stack = np.arange(24).reshape(2, 3, 4)

np.save(here / "big_endian_fortran.npy", np.asfortranarray(matrix.astype(">f8")))
np.savez_compressed(here / "deflated.npz", X=matrix, stack=stack, note=np.array("grüße"), mark=np.array(b"csr"))
scipy.io.savemat(here / "plain.mat", {"X": matrix, "label": "text"})
scipy.io.savemat(
    here / "compressed.mat",
    {"X": matrix, "stack": stack, "complex": matrix + 1j, "sparse": scipy.sparse.csc_matrix(matrix), "text": "t",
     "record": {"q": 1}, "mask": matrix > 3, "cells": np.array([1, "a"], dtype=object)},
    do_compression=True,
)
idx = bytes([0, 0, 0x0B, 3]) + b"".join(struct.pack(">I", extent) for extent in stack.shape) + stack.astype(">i2").tobytes()
(here / "stack.idx.gz").write_bytes(gzip.compress(idx, mtime=0))
with h5py.File(here / "one.h5", "w", libver=("v110", "v110")) as file:
    file["group/X"] = matrix
with h5py.File(here / "many.h5", "w", libver=("v110", "v110")) as file:
    file["stack"] = stack.astype(">i2")
    file["half"] = matrix.astype("f2")
    file["mask"] = matrix > 3
    file["text"] = np.bytes_("t")
    file["scalar"] = 3.0
    file.create_dataset("never_written", shape=(10**9, 10**9), dtype="f8")
with h5py.File(here / "deflated.h5", "w", libver=("v110", "v110")) as file:
    file.create_dataset("X", data=matrix, compression="gzip", shuffle=True, chunks=(3, 4))
with h5py.File(here / "hdf5.mat", "w", userblock_size=512, libver=("v110", "v110")) as file:  # as MATLAB's -v7.3
    file.create_dataset("X", data=matrix.T).attrs["MATLAB_class"] = np.bytes_("double")
    file.create_dataset("label", data=np.frombuffer(b"t", "u1").astype("u2")).attrs["MATLAB_class"] = np.bytes_("char")
with open(here / "hdf5.mat", "r+b") as file:
    file.write(b"MATLAB 7.3 MAT-file".ljust(124) + struct.pack("<H", 0x0200) + b"IM")
