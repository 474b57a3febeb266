// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "orthodict/ranks.h"

namespace orthodict::cli {

// The processes that mpirun or another launcher started together with this one.
struct Launch {
  int ranks = 1;
  int rank = 0;
  bool is_started_by_launcher = false;  // set by a launcher
};

// Reads the launcher's environment variables; doesn't initialise MPI. They are ignored if ORTHODICT_ALONE is set: a
// script on several ranks may run commands of its own.
[[nodiscard]] Launch launch();

// Joins the other processes; null if there are none. Throws Error if there are others but the program was built without
// MPI.
[[nodiscard]] std::shared_ptr<Ranks> join_ranks();

// The default number of threads of this rank; nothing if it is the only one.
[[nodiscard]] std::optional<int> threads_of_launch();

// Whether a failure of this process is one of all ranks. Must be called on each rank that fails.
enum class Failure { kOfAll, kOfOneRank };
[[nodiscard]] Failure failure_on_ranks();
// If all ranks fail: whether rank 0 reports the error. Ranks that haven't joined wait, because the launcher ends them
// when rank 0 ends; a rank that is still alive a moment later has failed alone.
[[nodiscard]] bool is_left_to_first_rank();
// Ends all ranks.
[[noreturn]] void end_job(int code);

}  // namespace orthodict::cli
