// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "engine/collective.h"
#include "engine/lane_plan.h"
#include "engine/workers.h"
#include "orthodict/types.h"

namespace orthodict::engine {

// Sums over lanes along a fixed binary tree, so that the result has the same bits for any number of threads and ranks.
//
// Partial must have add(const Partial&), clear() and for_each_part(visit), which calls visit(std::span<double>) for all
// its numbers. make() returns a zero Partial; work(thread, lane, partial) adds one lane's contribution to it. Lanes are
// handed out in order. The thread that completes the second child of a node adds it to the first and climbs. Taking
// lanes in order keeps the number of waiting partial sums small: about threads + log₂(lanes). Nodes whose lanes belong
// to several ranks are completed last, when ranks exchange the halves.
template <typename Partial, typename Make, typename Work>
class LaneSum {
 public:
  LaneSum(const LaneShares& shares, Collective& collective, const std::stop_token& stop, const Make& make,
          const Work& work)
      : shares_(shares),
        collective_(collective),
        stop_(stop),
        make_(make),
        work_(work),
        next_lane_(shares.begin(collective.rank())),
        end_lane_(shares.begin(collective.rank() + 1)) {
    while ((Index{1} << top_) < shares.plan.lanes) ++top_;
  }

  std::optional<Partial> run(Workers& workers, int team) {
    if (collective_.is_alone()) {
      workers.run(team, [this](int thread) { take_lanes(thread); });
      if (stopped_) return std::nullopt;
      return std::move(sum_of(root()));
    }
    std::exception_ptr failure;
    try {
      workers.run(team, [this](int thread) { take_lanes(thread); });
      outcome_ = stopped_ ? Collective::kStopped : Collective::kDone;
    } catch (...) {
      failure = std::current_exception();
      outcome_ = collective_.failed();
    }
    for (int level = 1; level <= top_; ++level) merge_over_ranks(level);
    if (collective_.count() > shares_.ranks) hand_over();
    collective_.rethrow_failure(outcome_, failure);
    if (outcome_ == Collective::kStopped) return std::nullopt;
    return std::move(sum_of(root()));
  }

 private:
  using Node = std::pair<int, Index>;  // level, index: node (l, i) covers lanes [i·2^l, (i + 1)·2^l)
  using Sum = std::unique_ptr<Partial>;
  struct Group {  // the ranks that have lanes of a node
    int first = 0;
    int last = 0;
    [[nodiscard]] int size() const { return last - first + 1; }
    [[nodiscard]] bool has(int rank) const { return first <= rank && rank <= last; }
  };

  // A failure in one thread stops the others.
  void take_lanes(int thread) {
    try {
      take_lanes_in_turn(thread);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      throw;
    }
  }

  void take_lanes_in_turn(int thread) {
    for (;;) {
      Index lane = 0;
      Sum sum;
      {
        const std::lock_guard lock(mutex_);
        if (next_lane_ == end_lane_ || stopped_) return;
        lane = next_lane_++;
        if (!spare_.empty()) {
          sum = std::move(spare_.back());
          spare_.pop_back();
        }
      }
      if (sum) {
        sum->clear();
      } else {
        sum = std::make_unique<Partial>(make_());
      }
      if (stop_.stop_requested() || !work_(thread, lane, *sum)) {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        return;
      }
      merge_upwards(lane, std::move(sum));
    }
  }

  // Climbs from a finished lane while the sibling is complete. The right half is always added to the left.
  void merge_upwards(Index lane, Sum sum) {
    Node node{0, lane};
    for (; node.first < top_; node = {node.first + 1, node.second / 2}) {
      const Index sibling = node.second ^ 1;
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

  [[nodiscard]] Group group_of(const Node& node) const {
    return {shares_.owner_of_lane(node.second << node.first),
            shares_.owner_of_lane(((node.second + 1) << node.first) - 1)};
  }

  // Completes the nodes of a level whose lanes this rank shares with others. All ranks of such a node take part, in the
  // order of their lanes.
  void merge_over_ranks(int level) {
    const int rank = collective_.rank();
    if (rank >= shares_.ranks) return;
    const Index first = shares_.begin(rank) >> level;
    const Index last = (shares_.begin(rank + 1) - 1) >> level;
    for (const Index index : first == last ? std::vector{first} : std::vector{first, last}) {
      if (group_of({level, index}).size() > 1) complete({level, index});
    }
  }

  // Every rank of the group that lacks one half receives it from a rank that has it. If both halves belong to equally
  // many ranks, they exchange in pairs (recursive doubling).
  void complete(const Node& node) {
    const std::array<Node, 2> halves = {Node{node.first - 1, 2 * node.second},
                                        Node{node.first - 1, 2 * node.second + 1}};
    const std::array<Group, 2> groups = {group_of(halves[0]), group_of(halves[1])};
    const int rank = collective_.rank();
    std::array<Packet, 2> packets;
    std::vector<Ranks::Outgoing> out;
    std::vector<Ranks::Incoming> in;
    for (const std::size_t half : {0, 1}) {
      const Group& have = groups[half];
      const Group& want = groups[1 - half];
      const auto source = [&](int r) { return have.first + (r - want.first) % have.size(); };
      packets[half] = pack(sum_of(halves[half]));
      for (int r = want.first; r <= want.last; ++r) {
        if (!have.has(r) && source(r) == rank) out.push_back({r, std::as_bytes(std::span(packets[half]))});
      }
      if (!have.has(rank)) in.push_back({source(rank), std::as_writable_bytes(std::span(packets[half]))});
    }
    collective_.exchange(out, in);
    for (const std::size_t half : {0, 1}) {
      if (!groups[half].has(rank)) unpack(packets[half], &sum_of(halves[half]));
    }
    sum_of(halves[0]).add(sum_of(halves[1]));
    waiting_[node] = std::move(waiting_[halves[0]]);
    waiting_.erase(halves[0]);
    waiting_.erase(halves[1]);
  }

  // Ranks without lanes, if there are any, receive the sum from ranks with lanes.
  void hand_over() {
    const int rank = collective_.rank();
    Packet packet = pack(sum_of(root()));
    std::vector<Ranks::Outgoing> out;
    std::vector<Ranks::Incoming> in;
    for (int r = rank + shares_.ranks; rank < shares_.ranks && r < collective_.count(); r += shares_.ranks) {
      out.push_back({r, std::as_bytes(std::span(packet))});
    }
    if (rank >= shares_.ranks) in.push_back({rank % shares_.ranks, std::as_writable_bytes(std::span(packet))});
    collective_.exchange(out, in);
    if (!in.empty()) unpack(packet, &sum_of(root()));
  }

  [[nodiscard]] Node root() const { return {top_, 0}; }
  // Zero if the sum hasn't been received or completed yet.
  [[nodiscard]] Partial& sum_of(const Node& node) {
    Sum& sum = waiting_[node];
    if (!sum) sum = std::make_unique<Partial>(make_());
    return *sum;
  }

  // The outcome of the work, then the numbers of a sum.
  using Packet = std::vector<double>;
  [[nodiscard]] Packet pack(Partial& sum) const {
    Packet packet = {outcome_};
    sum.for_each_part([&](std::span<double> part) { packet.insert(packet.end(), part.begin(), part.end()); });
    return packet;
  }
  void unpack(const Packet& packet, Partial* sum) {
    outcome_ = std::max(outcome_, packet[0]);
    std::size_t at = 1;
    sum->for_each_part([&](std::span<double> part) {
      std::copy_n(packet.begin() + static_cast<std::ptrdiff_t>(at), part.size(), part.begin());
      at += part.size();
    });
  }

  const LaneShares& shares_;
  Collective& collective_;
  const std::stop_token& stop_;
  const Make& make_;
  const Work& work_;
  int top_ = 0;  // level of the root
  std::mutex mutex_;
  Index next_lane_;  // next lane of this rank
  Index end_lane_;
  bool stopped_ = false;
  std::map<Node, Sum> waiting_;
  std::vector<Sum> spare_;
  Collective::Outcome outcome_ = Collective::kDone;  // of this rank's work and of all sums received
};

// `flops` is the cost of the whole sum and limits the number of threads. Returns nothing if a stop was requested on any
// rank.
template <typename Partial, typename Make, typename Work>
std::optional<Partial> sum_lanes(const LanePlan& plan, Workers& workers, double flops, const std::stop_token& stop,
                                 const Make& make, const Work& work) {
  Collective& collective = workers.collective();
  const LaneShares shares(plan, collective.count());
  const Index own = shares.begin(collective.rank() + 1) - shares.begin(collective.rank());
  const int team = team_for(flops / collective.count(), workers);
  return LaneSum<Partial, Make, Work>(shares, collective, stop, make, work)
      .run(workers, static_cast<int>(std::clamp<Index>(own, 1, team)));
}

}  // namespace orthodict::engine
