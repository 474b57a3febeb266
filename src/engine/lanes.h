// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "engine/workers.h"
#include "orthodict/types.h"

namespace orthodict::engine {

// How a pass is cut up. It depends on the data's size alone, never on the number of threads.
struct LanePlan {
  Index samples = 0;
  Index block = 0;  // samples that go through the engine at once
  Index lanes = 0;  // runs of whole blocks, each summed in order by one thread

  LanePlan(Index sample_count, Index block_size) : samples(sample_count), block(block_size) {
    constexpr Index kLanes = 64;
    lanes = std::clamp<Index>(block_count(), 1, kLanes);
  }
  [[nodiscard]] Index block_count() const { return (samples + block - 1) / block; }
  // Lane l holds samples [begin(l), begin(l + 1)).
  [[nodiscard]] Index begin(Index lane) const { return std::min(lane * block_count() / lanes * block, samples); }
};

// Sums over lanes with a fixed tree, so that the result has the same bits for any number of threads.
//
// Partial has add(const Partial&); make() gives a zero Partial; work(lane, partial) adds one lane's share into it.
// Lanes are handed out in order; whoever completes the second half of a node of the tree adds it to the first half and
// climbs. Lanes that are taken in turn keep few partial sums waiting: about threads + log₂(lanes).
// Returns nothing when `stop` was requested on the way.
template <typename Partial, typename Make, typename Work>
std::optional<Partial> sum_lanes(Index lanes, Workers& workers, const std::stop_token& stop, const Make& make,
                                 const Work& work) {
  using Node = std::pair<int, Index>;  // level, index: node (l, i) covers lanes [i·2^l, (i + 1)·2^l)
  std::mutex mutex;
  Index next_lane = 0;
  std::map<Node, std::unique_ptr<Partial>> waiting;
  int top = 0;
  while ((Index{1} << top) < lanes) ++top;

  // Climbs from a finished lane as far as the sibling is there. The left half is always the one added to.
  const auto climb = [&](Index lane, std::unique_ptr<Partial> sum) {
    Node node{0, lane};
    for (; node.first < top; node = {node.first + 1, node.second / 2}) {
      const Index sibling = node.second ^ 1;
      if (sibling << node.first >= lanes) continue;  // no such half: the node is this half
      std::unique_ptr<Partial> other;
      {
        const std::lock_guard lock(mutex);
        const auto found = waiting.find({node.first, sibling});
        if (found == waiting.end()) {
          waiting.emplace(node, std::move(sum));
          return;
        }
        other = std::move(found->second);
        waiting.erase(found);
      }
      if (sibling < node.second) std::swap(sum, other);
      sum->add(*other);
    }
    const std::lock_guard lock(mutex);
    waiting.emplace(node, std::move(sum));
  };

  workers.run([&](int) {
    for (;;) {
      Index lane = 0;
      {
        const std::lock_guard lock(mutex);
        if (next_lane == lanes) return;
        lane = next_lane++;
      }
      if (stop.stop_requested()) return;
      auto partial = std::make_unique<Partial>(make());
      if (!work(lane, *partial)) return;
      climb(lane, std::move(partial));
    }
  });

  const auto root = waiting.find({top, 0});
  if (root == waiting.end()) return std::nullopt;
  return std::move(*root->second);
}

}  // namespace orthodict::engine
