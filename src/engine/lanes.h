// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "engine/workers.h"
#include "orthodict/types.h"

namespace orthodict::engine {

// How a pass is cut up. It depends on the data's size alone, never on the number of threads.
struct LanePlan {
  Index samples = 0;
  Index block = 0;  // samples that go through the engine at once
  Index lanes = 0;  // runs of whole blocks, each summed in order by one thread

  // 64 lanes, or fewer where adding up lanes, whose sums have some `dimension`² entries, would cost much next to
  // summing them; but at least 8, so that threads have something to share. A power of two shares out evenly.
  LanePlan(Index sample_count, Index dimension, Index block_size) : samples(sample_count), block(block_size) {
    const Index worthwhile = std::clamp<Index>(samples / (1024 + 3 * dimension), 8, 64);
    const Index most = std::max<Index>(std::min(worthwhile, block_count()), 1);
    lanes = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(most)));
  }
  [[nodiscard]] Index block_count() const { return (samples + block - 1) / block; }
  // Lane l holds samples [begin(l), begin(l + 1)).
  [[nodiscard]] Index begin(Index lane) const { return std::min(lane * block_count() / lanes * block, samples); }
};

// Sums over lanes with a fixed tree, so that the result has the same bits for any number of threads.
//
// Partial has add(const Partial&) and clear(); make() gives a zero Partial; work(thread, lane, partial) adds one lane's
// share to it. Lanes are handed out in order; whoever completes the second half of a node of the tree adds it to the
// first half and climbs. Lanes that are taken in turn keep few partial sums waiting: about threads + log₂(lanes).
template <typename Partial, typename Make, typename Work>
class LaneSum {
 public:
  LaneSum(Index lanes, const std::stop_token& stop, const Make& make, const Work& work)
      : lanes_(lanes), stop_(stop), make_(make), work_(work) {
    while ((Index{1} << top_) < lanes) ++top_;
  }

  std::optional<Partial> run(Workers& workers, int team) {
    workers.run(team, [this](int thread) { take_lanes(thread); });
    const auto root = waiting_.find({top_, 0});
    if (root == waiting_.end()) return std::nullopt;
    return std::move(*root->second);
  }

 private:
  using Node = std::pair<int, Index>;  // level, index: node (l, i) covers lanes [i·2^l, (i + 1)·2^l)
  using Sum = std::unique_ptr<Partial>;

  void take_lanes(int thread) {
    for (;;) {
      Index lane = 0;
      Sum sum;
      {
        const std::lock_guard lock(mutex_);
        if (next_lane_ == lanes_) return;
        lane = next_lane_++;
        if (!spare_.empty()) {
          sum = std::move(spare_.back());
          spare_.pop_back();
        }
      }
      if (stop_.stop_requested()) return;
      if (sum) {
        sum->clear();
      } else {
        sum = std::make_unique<Partial>(make_());
      }
      if (!work_(thread, lane, *sum)) return;
      climb(lane, std::move(sum));
    }
  }

  // Climbs from a finished lane as far as the sibling is there. The left half is always the one added to.
  void climb(Index lane, Sum sum) {
    Node node{0, lane};
    for (; node.first < top_; node = {node.first + 1, node.second / 2}) {
      const Index sibling = node.second ^ 1;
      if (sibling << node.first >= lanes_) continue;  // no such half: the node is this half
      Sum other;
      {
        const std::lock_guard lock(mutex_);
        const auto found = waiting_.find({node.first, sibling});
        if (found == waiting_.end()) {
          waiting_.emplace(node, std::move(sum));
          return;
        }
        other = std::move(found->second);
        waiting_.erase(found);
      }
      if (sibling < node.second) std::swap(sum, other);
      sum->add(*other);
      const std::lock_guard lock(mutex_);
      spare_.push_back(std::move(other));
    }
    const std::lock_guard lock(mutex_);
    waiting_.emplace(node, std::move(sum));
  }

  Index lanes_;
  const std::stop_token& stop_;
  const Make& make_;
  const Work& work_;
  int top_ = 0;  // level of the root
  std::mutex mutex_;
  Index next_lane_ = 0;
  std::map<Node, Sum> waiting_;
  std::vector<Sum> spare_;
};

// `flops` is what the whole sum costs: little work isn't worth many threads. Returns nothing when `stop` was requested
// on the way.
template <typename Partial, typename Make, typename Work>
std::optional<Partial> sum_lanes(Index lanes, Workers& workers, double flops, const std::stop_token& stop,
                                 const Make& make, const Work& work) {
  return LaneSum<Partial, Make, Work>(lanes, stop, make, work)
      .run(workers, static_cast<int>(std::min<Index>(lanes, team_for(flops, workers))));
}

}  // namespace orthodict::engine
