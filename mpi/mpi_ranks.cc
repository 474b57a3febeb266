// SPDX-License-Identifier: Apache-2.0
#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "orthodict/error.h"
#include "orthodict/mpi.h"

namespace orthodict {
namespace {

class MpiRanks final : public Ranks {
 public:
  explicit MpiRanks(MPI_Comm communicator) {
    MPI_Comm_dup(communicator, &communicator_);
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_size(communicator_, &count_);
    MPI_Comm_rank(communicator_, &rank_);
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  ~MpiRanks() override { MPI_Comm_free(&communicator_); }

  [[nodiscard]] int count() const override { return count_; }
  [[nodiscard]] int rank() const override { return rank_; }

  // Errors in MPI itself end the job.
  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    std::vector<MPI_Request> requests;
    for (const Incoming& message : in) {
      for_each_piece(message.data, [&](std::byte* data, int size) {
        MPI_Irecv(data, size, MPI_BYTE, message.from, 0, communicator_, &requests.emplace_back());
      });
    }
    for (const Outgoing& message : out) {
      for_each_piece(message.data, [&](const std::byte* data, int size) {
        MPI_Isend(data, size, MPI_BYTE, message.to, 0, communicator_, &requests.emplace_back());
      });
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

 private:
  // Splits data into pieces, because sizes are int in MPI.
  template <typename Byte, typename Work>
  static void for_each_piece(std::span<Byte> data, const Work& work) {
    constexpr std::size_t kLargest = std::size_t{1} << 30;
    for (std::size_t at = 0; at < data.size(); at += kLargest) {
      work(data.data() + at, static_cast<int>(std::min(kLargest, data.size() - at)));
    }
  }

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int count_ = 1;
  int rank_ = 0;
};

}  // namespace

std::shared_ptr<Ranks> make_mpi_ranks(MPI_Comm communicator) {
  int connects_groups = 0;
  MPI_Comm_test_inter(communicator, &connects_groups);
  if (connects_groups != 0) throw option_error("communicator", "an intercommunicator", "an intracommunicator");
  return std::make_shared<MpiRanks>(communicator);
}

int threads_of_rank(MPI_Comm communicator) {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int count = 1;
  MPI_Comm_size(machine, &count);
  cpu_set_t own;
  CPU_ZERO(&own);
  sched_getaffinity(0, sizeof own, &own);
  std::vector<cpu_set_t> all(static_cast<std::size_t>(count));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, machine);
  MPI_Comm_free(&machine);
  const auto sharing =
      std::count_if(all.begin(), all.end(), [&](const cpu_set_t& set) { return CPU_EQUAL(&set, &own); });
  return std::max(1, CPU_COUNT(&own) / static_cast<int>(sharing));
}

}  // namespace orthodict
