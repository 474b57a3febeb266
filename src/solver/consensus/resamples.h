// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "orthodict/fit.h"
#include "orthodict/types.h"

namespace orthodict::solver {

// Random choices of the samples, made of blocks of neighbours, so that the two halves of a recording have little in
// common. Halves 2i and 2i + 1 are complements of each other. A bootstrap sample is as many blocks as there are, drawn
// with replacement.
class Resamples {
 public:
  // `dependence` neighbours count as one sample: blocks are several times longer. `how` isn't kNone.
  Resamples(Resampling how, Index samples, double dependence, std::uint64_t seed);

  [[nodiscard]] Index blocks() const { return blocks_; }
  // For each block, how many times a choice has it.
  [[nodiscard]] std::vector<int> times(int choice) const;
  // For each block, which of the first choices don't have it; nothing for blocks that all of them have.
  [[nodiscard]] std::vector<std::vector<Index>> choices_without_a_block(int choices) const;
  // Of the places 0 … count − 1, the chosen ones, in rising order, as many times as the block of the sample there.
  [[nodiscard]] std::vector<Index> chosen(int choice, Index count,
                                          const std::function<Index(Index place)>& sample) const;

 private:
  [[nodiscard]] std::vector<int> half(int choice) const;
  [[nodiscard]] std::vector<int> bootstrap(int choice) const;

  Resampling how_;
  Index samples_;
  Index blocks_;
  std::uint64_t seed_;
};

}  // namespace orthodict::solver
