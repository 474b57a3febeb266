// SPDX-License-Identifier: Apache-2.0
#include "solver/consensus/resamples.h"

#include <algorithm>

#include "random/stream.h"

namespace orthodict::solver {
namespace {

constexpr Index kMostBlocks = 64;
constexpr Index kLeastBlocks = 4;           // two for each half, if there are as many samples
constexpr double kBlockPerDependence = 15;  // a block's length, in units of the dependence

random::Stream stream_of(std::uint64_t seed, int number) {
  return {seed + static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15U, random::Purpose::kHalves};
}

}  // namespace

Resamples::Resamples(Resampling how, Index samples, double dependence, std::uint64_t seed)
    : how_(how), samples_(samples), seed_(seed) {
  const auto long_enough = static_cast<Index>(static_cast<double>(samples) / (kBlockPerDependence * dependence));
  blocks_ = std::min(std::clamp(long_enough, kLeastBlocks, kMostBlocks), samples);
}

std::vector<int> Resamples::times(int choice) const {
  return how_ == Resampling::kBootstrap ? bootstrap(choice) : half(choice);
}

std::vector<int> Resamples::half(int choice) const {
  const random::Permutation order(blocks_, stream_of(seed_, choice / 2));
  std::vector<int> times(static_cast<std::size_t>(blocks_));
  for (Index i = 0; i < blocks_; ++i) {
    times[static_cast<std::size_t>(order[i])] = (i < blocks_ / 2) == (choice % 2 == 0) ? 1 : 0;
  }
  return times;
}

std::vector<int> Resamples::bootstrap(int choice) const {
  const random::Stream stream = stream_of(seed_, choice);
  std::vector<int> times(static_cast<std::size_t>(blocks_));
  for (Index i = 0; i < blocks_; ++i) {
    const auto drawn = static_cast<Index>(stream.uniform(i, 0) * static_cast<double>(blocks_));
    ++times[static_cast<std::size_t>(std::min(drawn, blocks_ - 1))];
  }
  return times;
}

std::vector<std::vector<Index>> Resamples::choices_without_a_block(int choices) const {
  std::vector<std::vector<Index>> without(static_cast<std::size_t>(blocks_));
  for (int choice = 0; choice < choices; ++choice) {
    const std::vector<int> times_of = times(choice);
    for (std::size_t block = 0; block < without.size(); ++block) {
      if (times_of[block] == 0) without[block].push_back(choice);
    }
  }
  std::erase_if(without, [](const auto& group) { return group.empty(); });
  return without;
}

std::vector<Index> Resamples::chosen(int choice, Index count, const std::function<Index(Index place)>& sample) const {
  const std::vector<int> times_of = times(choice);
  std::vector<Index> places;
  for (Index place = 0; place < count; ++place) {
    const Index block = sample(place) * blocks_ / samples_;
    places.insert(places.end(), static_cast<std::size_t>(times_of[static_cast<std::size_t>(block)]), place);
  }
  return places;
}

}  // namespace orthodict::solver
