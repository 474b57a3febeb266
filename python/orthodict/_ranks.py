# SPDX-License-Identifier: Apache-2.0
"""Processes that learn together, through mpi4py."""

from __future__ import annotations

import contextlib
import os

from ._arrays import cores, count_threads

_LARGEST = 2**30  # bytes of a message: counts are int in MPI


class Communicator:
    """What the library needs of an mpi4py communicator."""

    def __init__(self, mpi, comm):
        self._mpi, self._comm = mpi, comm
        self.count, self.rank = comm.Get_size(), comm.Get_rank()
        own = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else cores()
        machine = comm.Split_type(mpi.COMM_TYPE_SHARED)
        self._sharing = machine.allgather(own).count(own)  # ranks that have the same processors
        machine.Free()

    def exchange(self, sent, received):
        """Each is a list of pairs of a rank and a buffer."""
        requests = [self._comm.Irecv([piece, self._mpi.BYTE], source=rank) for rank, piece in _pieces(received)]
        requests += [self._comm.Isend([piece, self._mpi.BYTE], dest=rank) for rank, piece in _pieces(sent)]
        self._mpi.Request.Waitall(requests)

    def threads(self, asked):
        """As many as asked for, here or by OMP_NUM_THREADS; else the ranks of one machine share its processors."""
        is_told = asked is not None or "OMP_NUM_THREADS" in os.environ
        return count_threads(asked) if is_told else max(1, cores() // self._sharing)


@contextlib.contextmanager
def joined(comm):
    """The communicator, duplicated as long as a fit needs it; None for None."""
    if comm is None:
        yield None
        return
    from mpi4py import MPI

    if not isinstance(comm, MPI.Intracomm):
        raise TypeError(f"comm must be a communicator of mpi4py, not {comm!r}")
    if MPI.Query_thread() < MPI.THREAD_SERIALIZED:
        raise ValueError("comm needs MPI with THREAD_SERIALIZED or more, which is mpi4py's default")
    duplicate = comm.Dup()
    try:
        yield Communicator(MPI, duplicate)
    finally:
        duplicate.Free()


@contextlib.contextmanager
def agreed(comm):
    """What raises on one rank raises on all. Nothing within may wait for another rank."""
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
