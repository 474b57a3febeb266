# SPDX-License-Identifier: Apache-2.0
"""Processes that learn together, by mpi4py."""

from __future__ import annotations

import contextlib
import os

from ._arrays import cores, count_threads

_LARGEST = 2**30  # largest message in bytes, because counts are int in MPI


class Communicator:
    """The interface of an mpi4py communicator that the library needs."""

    def __init__(self, mpi, comm):
        self._mpi, self._comm = mpi, comm
        self.count, self.rank = comm.Get_size(), comm.Get_rank()
        own = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else cores()
        machine = comm.Split_type(mpi.COMM_TYPE_SHARED)
        self._sharing = machine.allgather(own).count(own)  # number of ranks with the same processors
        machine.Free()

    def exchange(self, sent, received):
        """Sends and receives lists of pairs (rank, buffer)."""
        requests = [self._comm.Irecv([piece, self._mpi.BYTE], source=rank) for rank, piece in _pieces(received)]
        requests += [self._comm.Isend([piece, self._mpi.BYTE], dest=rank) for rank, piece in _pieces(sent)]
        self._mpi.Request.Waitall(requests)

    def threads(self, asked):
        """The given number of threads, or OMP_NUM_THREADS; by default the ranks on one machine share its processors."""
        is_told = asked is not None or "OMP_NUM_THREADS" in os.environ
        return count_threads(asked) if is_told else max(1, cores() // self._sharing)


@contextlib.contextmanager
def joined(comm):
    """A duplicate of the communicator for the duration of a fit; None for None."""
    if comm is None:
        yield None
        return
    from mpi4py import MPI

    if not isinstance(comm, MPI.Intracomm):
        raise TypeError(f"comm must be a communicator of mpi4py, not {comm!r}")
    if MPI.Query_thread() < MPI.THREAD_SERIALIZED:
        raise ValueError("comm needs MPI with THREAD_SERIALIZED or more, as is mpi4py's default")
    duplicate = comm.Dup()
    try:
        yield Communicator(MPI, duplicate)
    finally:
        duplicate.Free()


@contextlib.contextmanager
def agreed(comm):
    """An exception on one rank is raised on all. The body must not wait for other ranks."""
    failure = None
    try:
        yield
    except Exception as error:
        if not hasattr(comm, "allgather"):
            raise
        failure = error
    if not hasattr(comm, "allgather"):
        return
    kinds = (OSError, TypeError, ValueError)
    kind = next((kind for kind in kinds if isinstance(failure, kind)), ValueError)
    told = comm.allgather(None if failure is None else (kind, str(failure)))
    if failure is not None:
        raise failure
    for rank, report in enumerate(told):
        if report is not None:
            raise report[0](f"rank {rank}: {report[1]}")


def _pieces(messages):
    for rank, data in messages:
        for first in range(0, len(data), _LARGEST):
            yield rank, data[first:first + _LARGEST]
