# SPDX-License-Identifier: Apache-2.0
"""Validation and conversion of arguments: arrays and numbers."""

import operator
import os
import sys

import numpy as np

MOST = 2**63 - 1  # limit of sizes and counts
_MOST_THREADS = 4096


def as_samples(x, name="X"):
    """A matrix that the library can read in place: integers or real numbers of at most 64 bits, or complex numbers of
    such parts, any strides; or the compressed rows of a sparse matrix.

    Copies only what the library can't read in place: lists, foreign byte order, odd strides; of sparse matrices the
    entries, unless they are rows of float32 or float64.
    """
    if hasattr(x, "tocsr"):
        return _as_sparse_rows(x, name)
    x = np.asarray(x)
    if x.ndim != 2:
        raise ValueError(f"{name} has {x.ndim} dimensions: a matrix has two, samples in rows")
    if x.dtype.kind not in "iufbc" or x.dtype.itemsize > (16 if x.dtype.kind == "c" else 8):
        if x.dtype.kind not in "Ofc":
            raise ValueError(f"{name} has elements of type {x.dtype}: integers, real or complex numbers are needed")
        try:
            x = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{name} has elements that are not numbers") from None
    native = x.dtype.newbyteorder("=")
    evenly_spaced = all(stride % x.itemsize == 0 for stride in x.strides)
    if x.dtype.kind == "b":
        x = x.view(np.uint8)
    elif x.dtype != native or not evenly_spaced:
        x = np.ascontiguousarray(x, dtype=native)
    return x


def _as_sparse_rows(x, name):
    if len(x.shape) != 2:
        raise ValueError(f"{name} has {len(x.shape)} dimensions: a matrix has two, samples in rows")
    rows = x.tocsr()
    if rows.dtype.kind not in "iufb":
        raise ValueError(f"{name} is a sparse matrix of type {rows.dtype}: integers or real numbers are needed")
    return rows if rows.dtype in (np.float32, np.float64) else rows.astype(np.float64)


def is_sparse(x):
    return hasattr(x, "indptr")


def native(x):
    """A matrix of as_samples() as the extension takes it."""
    if not is_sparse(x):
        return x
    integers = np.int32 if x.indices.dtype == x.indptr.dtype == np.int32 else np.int64
    indices, starts = (np.ascontiguousarray(part, dtype=integers) for part in (x.indices, x.indptr))
    return np.ascontiguousarray(x.data), indices, starts, x.shape[1]


def dense(x):
    """The array of a few rows, whatever they are."""
    return x.toarray() if is_sparse(x) else np.asarray(x)


def has_complex(x):
    if hasattr(x, "dtypes"):  # a table
        return any(getattr(dtype, "kind", None) == "c" for dtype in np.atleast_1d(x.dtypes))
    dtype = x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype
    return getattr(dtype, "kind", None) == "c"


def like_table(values, table, prefix, names=()):
    """A DataFrame with the index of `table` if that is one, and these names of columns, or prefix0, prefix1 ...; else the
    values."""
    if not _is_table(table):
        return values
    columns = names or [f"{prefix}{i}" for i in range(values.shape[1])]
    return sys.modules["pandas"].DataFrame(values, index=table.index, columns=columns)


def feature_names(table, columns=False):
    """The names of the columns of a DataFrame, or of its rows, if all are strings; else none."""
    if not _is_table(table):
        return []
    names = list(table.index if columns else table.columns)
    return names if all(isinstance(name, str) for name in names) else []


def _is_table(table):
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(table, pandas.DataFrame)


def as_matrix(x, name):
    """A small matrix of doubles or of complex numbers, such as a dictionary."""
    matrix = _as_doubles(x, name)
    if matrix.ndim != 2:
        raise ValueError(f"{name} has {matrix.ndim} dimensions: a matrix has two, atoms in rows")
    return matrix


def as_vector(x, name):
    vector = _as_doubles(x, name)
    if vector.ndim != 1:
        raise ValueError(f"{name} has {vector.ndim} dimensions: a vector has one")
    return vector


def _as_doubles(x, name):
    x = np.asarray(x)
    if x.dtype.kind not in "iufbOc":
        raise ValueError(f"{name} has elements of type {x.dtype}: integers, real or complex numbers are needed")
    return np.asarray(x, dtype=np.complex128 if x.dtype.kind == "c" else np.float64, order="C")


def interleaved(x, is_complex):
    """The numbers of a small array as the library wants them: with real and imaginary parts side by side if complex."""
    if is_complex:
        return np.ascontiguousarray(x, dtype=np.complex128).view(np.float64)
    return x


def as_interleaved(x, name, is_complex=None):
    """The same of a matrix that was given. Where it isn't known whether numbers must be complex, its own type says."""
    matrix = as_matrix(x, name)
    given = matrix.dtype.kind == "c"
    if given and is_complex is False:
        raise ValueError(f"{name} has complex numbers: real ones are needed")
    return interleaved(matrix, given or is_complex)


def as_integer(name, value, least, most):
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {value!r}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} = {number}: must be an integer from {least} to {most}")
    return number


def as_real(name, value):
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name} must be a number, not {value!r}")
    try:
        return float(value)
    except TypeError:
        raise TypeError(f"{name} must be a number, not {value!r}") from None


def as_atoms(name, value):
    """The number of atoms, if an integer; otherwise the share of the variance."""
    try:
        return as_integer(name, value, 1, MOST)
    except TypeError:
        pass
    try:
        share = as_real(name, value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, or a share of the variance between 0 and 1, not {value!r}") from None
    if not 0 < share < 1:
        raise ValueError(f"{name} = {share}: must be an integer, or a share of the variance between 0 and 1")
    return share


def as_boolean(name, value):
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise TypeError(f"{name} must be True or False, not {value!r}")


def count_threads(threads):
    """The given number; by default OMP_NUM_THREADS, which process pools set to share the cores, or else all cores."""
    if threads is not None:
        return as_integer("threads", threads, 1, _MOST_THREADS)
    shared = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return min(int(shared) if shared.isdecimal() and int(shared) > 0 else cores(), _MOST_THREADS)


def cores():
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
