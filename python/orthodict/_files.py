# SPDX-License-Identifier: Apache-2.0
"""Reading and writing arrays, in the file formats of the command."""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING

import numpy as np

from . import _core
from ._arrays import as_samples, is_sparse

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    Path = str | os.PathLike[str]


def existing(path):
    """The path as text, if the file exists; otherwise raises the OSError of opening it.

    The part after the last colon may be the name of an array in the file.
    """
    text = os.fspath(path)
    if text == "-":
        raise ValueError("path = '-': must be a file; standard input is for the command")
    name = text if os.path.exists(text) or ":" not in text else text.rpartition(":")[0]
    if not stat.S_ISFIFO(os.stat(name).st_mode):  # opening a FIFO waits for the other end
        with open(name, "rb"):
            pass
    return text


@contextlib.contextmanager
def writing(path):
    """The path as text. Errors with the file become OSError."""
    text = os.fspath(path)
    if text == "-":
        raise ValueError("path = '-': must be a file; standard output is for the command")
    try:
        _core.check_writable(text)
        yield text
    except _core.DataError as error:
        raise OSError(str(error)) from None


def read(path: Path) -> np.ndarray:
    """Read one array from a file. The suffix of the file gives its format.

    Parameters
    ----------
    path : str or path-like
        ``.npy``, ``.npz``, ``.csv``, ``.tsv``, ``.txt``, IDX, MATLAB's ``.mat`` or HDF5. ``file.npz:name`` is the
        array of that name; without it the file must have only one. docs/formats.md has the details.

    Returns
    -------
    numpy.ndarray
        A read-only array. For ``.npy`` it is mapped into memory.

    Raises
    ------
    OSError
        If the file can't be opened.
    ValueError
        If the file is damaged or has another format. The message names the file and what is wrong.
    """
    data, kind, shape, column_major, byte_swapped = _core.read(existing(path))
    dtype = np.dtype(f"{kind[0]}{int(kind[1:]) // 8}")
    if byte_swapped:
        dtype = dtype.newbyteorder()
    return data.view(dtype).reshape(shape, order="F" if column_major else "C")


def write(path: Path, array: ArrayLike) -> None:
    """Write a matrix to an ``.npy``, ``.csv`` or ``.tsv`` file: in single precision if it is, otherwise in double.

    The file is written atomically: it appears under its name when it is complete, and not at all after an error.
    """
    matrix = as_samples(array, "array")
    if is_sparse(matrix):
        raise TypeError("array is a sparse matrix: must be an array; scipy.sparse.save_npz writes what fit reads")
    with writing(path) as text:
        _core.write(text, matrix)
