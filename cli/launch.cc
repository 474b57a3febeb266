// SPDX-License-Identifier: Apache-2.0
#include "launch.h"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>

#include "orthodict/error.h"

#ifdef ORTHODICT_WITH_MPI
#include "orthodict/mpi.h"
#endif

namespace orthodict::cli {
namespace {

std::optional<int> number_in(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  const std::string_view text = value;
  int number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  return status == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace

// Supports Open MPI's mpirun, launchers with PMI (MPICH), and Slurm with PMIx.
Launch launch() {
  if (std::getenv("ORTHODICT_ALONE") != nullptr) return {};
  for (const auto& [ranks, rank] :
       {std::pair("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"), std::pair("PMI_SIZE", "PMI_RANK"),
        std::pair("SLURM_STEP_NUM_TASKS", "PMIX_RANK")}) {
    const auto count = number_in(ranks);
    const auto own = number_in(rank);
    if (count && own) return {*count, *own, true};
  }
  return {};
}

namespace {

bool joined = false;

}  // namespace

bool is_left_to_first_rank() {
  constexpr std::chrono::seconds kMoment{5};
  if (!joined) std::this_thread::sleep_for(kMoment);
  return joined;
}

#ifdef ORTHODICT_WITH_MPI

namespace {

// Finalizes MPI when the process exits.
struct Session {
  Session() {
    int granted = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &granted);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { MPI_Finalize(); }
};

}  // namespace

std::shared_ptr<Ranks> join_ranks() {
  if (launch().ranks <= 1) return nullptr;
  static const Session kSession;
  joined = true;
  return make_mpi_ranks(MPI_COMM_WORLD);
}

std::optional<int> threads_of_launch() {
  return joined ? std::optional(threads_of_rank(MPI_COMM_WORLD)) : std::nullopt;
}

// Ranks that fail together reach the barrier at about the same time.
Failure failure_on_ranks() {
  if (!joined) return Failure::kOfAll;
  constexpr std::chrono::seconds kPatience{2};
  MPI_Request barrier = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  int complete = 0;
  while (MPI_Test(&barrier, &complete, MPI_STATUS_IGNORE), complete == 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return complete != 0 ? Failure::kOfAll : Failure::kOfOneRank;
}

void end_job(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();
}

#else

std::shared_ptr<Ranks> join_ranks() {
  if (launch().ranks <= 1) return nullptr;
  throw Error(Fault::kOption, "started on several ranks, but built without MPI (ORTHODICT_WITH_MPI)");
}

std::optional<int> threads_of_launch() { return std::nullopt; }

Failure failure_on_ranks() { return Failure::kOfAll; }

void end_job(int code) { std::exit(code); }

#endif

}  // namespace orthodict::cli
