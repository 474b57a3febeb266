// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "orthodict/ranks.h"

namespace orthodict::cli {

// The processes that mpirun, or another launcher, started together with this one.
struct Launch {
  int ranks = 1;
  int rank = 0;
  bool is_told = false;  // by a launcher
};

// As the launcher tells, before anything is done with MPI. Where ORTHODICT_ALONE is set in the environment it isn't
// asked: a script that runs on several ranks may start commands of its own.
[[nodiscard]] Launch launch();

// Joins them; null if this process is the only one. Throws Error when there are others and the program was built
// without MPI.
[[nodiscard]] std::shared_ptr<Ranks> join_ranks();

// Threads for this rank, if nobody says how many; nothing when it is the only one.
[[nodiscard]] std::optional<int> threads_of_launch();

// A failure of this process: do all ranks fail? To be called on each that does.
enum class Failure { kOfAll, kOfOneRank };
[[nodiscard]] Failure failure_on_ranks();
// Where all seem to fail: whether rank 0 tells why. Ranks that haven't joined wait, since the launcher ends the others
// once rank 0 has ended; one that is still there a moment later has failed alone.
[[nodiscard]] bool is_left_to_first_rank();
// Ends all ranks.
[[noreturn]] void end_job(int code);

}  // namespace orthodict::cli
