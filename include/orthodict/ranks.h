// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "orthodict/export.h"
#include "orthodict/samples.h"

namespace orthodict {

// Processes that learn together. Each passes over its share of the samples, and all get the same model, with the same
// bits as from one process. Every rank must call fit() with the same options and samples, or with samples_of_ranks().
// Derive from this class to use another means of communication than MPI (orthodict/mpi.h).
class ORTHODICT_EXPORT Ranks {
 public:
  struct Outgoing {
    int to = 0;
    std::span<const std::byte> data;
  };
  struct Incoming {
    int from = 0;
    std::span<std::byte> data;
  };

  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  virtual ~Ranks() = default;

  [[nodiscard]] virtual int count() const = 0;
  [[nodiscard]] virtual int rank() const = 0;  // number of this process, 0 … count() − 1
  // Sends and receives all messages, and returns when all are complete. Messages from one rank to another must arrive
  // in the order in which they were sent. Called by one thread at a time.
  virtual void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) = 0;
};

// Joins the samples of all ranks, in the order of ranks, if each rank has samples of its own: files on local disks,
// arrays in memory. fit() gives the same result as for all samples in one file. Must be called on all ranks; `own` and
// `ranks` must outlive the result. Samples that another rank has to process are copied there; they are few if all ranks
// have about equally many.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> samples_of_ranks(const Samples& own, Ranks& ranks);

}  // namespace orthodict
