// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "orthodict/export.h"
#include "orthodict/samples.h"

namespace orthodict {

// Processes that learn from the same samples together: each passes over its share of them, and all come to the same
// model, which is that of one process alone to the bit. Every one calls fit() with the same options and samples, or
// with samples_of_ranks(). orthodict/mpi.h has those of MPI.
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
  [[nodiscard]] virtual int rank() const = 0;  // of this process, 0 … count() − 1
  // Sends and receives all of these and returns when that is done. What one rank sends to another arrives in the order
  // in which it was sent. Called from one thread at a time.
  virtual void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) = 0;
};

// The samples of all ranks, those of rank 0 first, where each has only its own at hand: files on disks of their own,
// arrays in memory. fit() gives what it would give for one file with all of them. To be called on all ranks; `own` and
// `ranks` must outlive it. Samples that lie with one rank and are passed over by another are copied there: few if all
// ranks have equally many.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> samples_of_ranks(const Samples& own, Ranks& ranks);

}  // namespace orthodict
