// SPDX-License-Identifier: Apache-2.0
// Ranks of MPI, in the separate library orthodict::mpi, so that orthodict::orthodict doesn't depend on MPI.
#pragma once

#include <mpi.h>

#include <memory>

#include "orthodict/ranks.h"

namespace orthodict {

// The processes of a communicator, which is duplicated. MPI must be initialized, with at least MPI_THREAD_SERIALIZED if
// fit() runs in another thread than MPI_Init, and must not be finalized before the last copy of the pointer is
// destroyed.
[[nodiscard]] std::shared_ptr<Ranks> make_mpi_ranks(MPI_Comm communicator);

// The number of threads for this process so that the ranks of a machine share its processors fairly: the number of
// processors that it is bound to, divided by the number of ranks bound to the same ones. Must be called on all ranks.
[[nodiscard]] int threads_of_rank(MPI_Comm communicator);

}  // namespace orthodict
