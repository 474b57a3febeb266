// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "orthodict/types.h"

namespace orthodict::solver {

// Random halves of the samples, made of blocks of neighbours, so that the two halves of a recording have little in
// common. Halves 2i and 2i + 1 are complements of each other.
class Halves {
 public:
  // `dependence` neighbours count as one sample: blocks are several times longer.
  Halves(Index samples, double dependence, std::uint64_t seed);

  [[nodiscard]] Index blocks() const { return blocks_; }
  // For each block, whether the half has it.
  [[nodiscard]] std::vector<bool> blocks_of(int half) const;
  [[nodiscard]] Index block_of(Index sample) const { return sample * blocks_ / samples_; }

 private:
  Index samples_;
  Index blocks_;
  std::uint64_t seed_;
};

}  // namespace orthodict::solver
