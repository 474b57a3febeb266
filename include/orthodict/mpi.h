// SPDX-License-Identifier: Apache-2.0
// Ranks of MPI. In a library of its own, orthodict::mpi, so that orthodict::orthodict doesn't need MPI.
#pragma once

#include <mpi.h>

#include <memory>

#include "orthodict/ranks.h"

namespace orthodict {

// The processes of a communicator, which is duplicated. MPI must be initialised, with MPI_THREAD_SERIALIZED or more if
// fit() runs in another thread than the one that did it, and finalised after the last copy of the pointer is gone.
[[nodiscard]] std::shared_ptr<Ranks> make_mpi_ranks(MPI_Comm communicator);

// How many threads this process may have so that the ranks of one machine share its processors: those that it is bound
// to, divided by the ranks that are bound to the same. To be called on all ranks.
[[nodiscard]] int threads_of_rank(MPI_Comm communicator);

}  // namespace orthodict
