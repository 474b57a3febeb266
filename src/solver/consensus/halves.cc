// SPDX-License-Identifier: Apache-2.0
#include "solver/consensus/halves.h"

#include <algorithm>

#include "random/stream.h"

namespace orthodict::solver {
namespace {

constexpr Index kMostBlocks = 64;
constexpr Index kLeastBlocks = 4;           // two for each half, if there are as many samples
constexpr double kBlockPerDependence = 15;  // a block's length, in units of the dependence

}  // namespace

Halves::Halves(Index samples, double dependence, std::uint64_t seed) : samples_(samples), seed_(seed) {
  const auto long_enough = static_cast<Index>(static_cast<double>(samples) / (kBlockPerDependence * dependence));
  blocks_ = std::min(std::clamp(long_enough, kLeastBlocks, kMostBlocks), samples);
}

std::vector<bool> Halves::blocks_of(int half) const {
  const auto split = static_cast<std::uint64_t>(half / 2);
  const random::Permutation order(blocks_,
                                  random::Stream(seed_ + split * 0x9e3779b97f4a7c15U, random::Purpose::kHalves));
  std::vector<bool> has(static_cast<std::size_t>(blocks_));
  for (Index i = 0; i < blocks_; ++i) has[static_cast<std::size_t>(order[i])] = (i < blocks_ / 2) == (half % 2 == 0);
  return has;
}

}  // namespace orthodict::solver
