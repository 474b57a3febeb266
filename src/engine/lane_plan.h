// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict::engine {

// How a pass is divided into lanes. The plan depends only on the size of the data, never on the number of threads or
// ranks.
struct LanePlan {
  Index samples = 0;
  Index lanes = 0;                      // a power of two; a lane is a range of samples that one thread sums in order
  static constexpr Index kGrain = 128;  // lanes begin at multiples of this

  // 64 lanes by default. Fewer, but at least 8 to keep threads busy, when adding up the lanes' sums, which have about
  // `dimension`² entries, would cost much compared with computing them. Up to 4096 when there are many samples, so that
  // ranks can share them.
  LanePlan(Index sample_count, Index dimension) : samples(sample_count) {
    constexpr Index kManySamples = Index{1} << 14;
    const Index worthwhile = std::clamp<Index>(samples / (1024 + 3 * dimension), 8, 64);
    const Index for_ranks = std::clamp<Index>(samples / std::max(kManySamples, dimension), worthwhile, 4096);
    const Index most = std::clamp<Index>(for_ranks, 1, std::max<Index>(grains(), 1));
    lanes = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(most)));
  }

  // Lane l holds samples [begin(l), begin(l + 1)).
  [[nodiscard]] Index begin(Index lane) const { return std::min(lane * grains() / lanes * grain(), samples); }
  [[nodiscard]] Index lane_of(Index sample) const {
    Index lane = std::min(sample / grain() * lanes / grains(), lanes - 1);
    while (lane + 1 < lanes && begin(lane + 1) <= sample) ++lane;
    while (begin(lane) > sample) --lane;
    return lane;
  }

 private:
  // With many samples, lanes begin at multiples of a kernel's block, so that all blocks but the last are full.
  [[nodiscard]] Index grain() const { return samples < (Index{1} << 15) ? kGrain : 4 * kGrain; }
  [[nodiscard]] Index grains() const { return (samples + grain() - 1) / grain(); }
};

// Assigns contiguous ranges of lanes, as equal as possible, to ranks. Ranks beyond the number of lanes get none.
struct LaneShares {
  LanePlan plan;
  int ranks = 1;  // number of ranks that have lanes; these come first

  LaneShares(const LanePlan& lanes, int rank_count)
      : plan(lanes), ranks(static_cast<int>(std::min<Index>(rank_count, lanes.lanes))) {}
  LaneShares(const Samples& samples, int rank_count)
      : LaneShares(LanePlan(samples.size(), samples.dimension()), rank_count) {}

  // Rank r has lanes [begin(r), begin(r + 1)), that is, samples [first_sample(r), first_sample(r + 1)).
  [[nodiscard]] Index begin(int rank) const { return rank < ranks ? rank * plan.lanes / ranks : plan.lanes; }
  [[nodiscard]] Index first_sample(int rank) const { return plan.begin(begin(rank)); }
  [[nodiscard]] int owner_of_lane(Index lane) const { return static_cast<int>(((lane + 1) * ranks - 1) / plan.lanes); }
  [[nodiscard]] int owner_of_sample(Index sample) const { return owner_of_lane(plan.lane_of(sample)); }
};

}  // namespace orthodict::engine
