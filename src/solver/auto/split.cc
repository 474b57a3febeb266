// SPDX-License-Identifier: Apache-2.0
#include "solver/auto/split.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "random/stream.h"
#include "solver/auto/constants.h"

namespace orthodict::solver {
namespace {

Index first_part(Index dimension) { return std::max(kExploredPerDimension * dimension, kFewestExplored); }

// A sample's hash takes as much memory as two entries.
Index most_explored(Index dimension) { return std::max(first_part(dimension), kMostEntriesExplored / (dimension + 2)); }

std::vector<Index> part_sizes(Index samples, Index dimension) {
  const Index largest = std::min(samples, most_explored(dimension));
  std::vector<Index> sizes;
  for (Index size = first_part(dimension); size < largest; size *= kPartsGrowBy) sizes.push_back(size);
  // Merges the last two parts if the last is less than half as large again.
  if (sizes.size() > 1 && largest < sizes.back() * 3 / 2) sizes.pop_back();
  sizes.push_back(largest);
  return sizes;
}

// Fold `fold` of `folds`: one segment in each of `groups` stretches of equal length.
Fold fold_of(Index samples, Index groups, Index folds, Index fold) {
  std::vector<Segment> segments;
  for (Index group = 0; group < groups; ++group) {
    const auto place = [&](Index i) { return (group * folds + i) * samples / (groups * folds); };
    segments.push_back({.first = place(fold), .count = place(fold + 1) - place(fold)});
  }
  const Sequence held_out(std::move(segments));
  return {held_out, held_out.complement(samples)};
}

// As many groups as keep segments several times longer than the dependence.
Index groups_of(Index samples, double dependence, Index most, Index least) {
  const double length = kSegmentPerDependence * dependence;
  const auto groups = static_cast<Index>(static_cast<double>(samples) / (static_cast<double>(kFolds) * length));
  return std::clamp(groups, least, most);
}

}  // namespace

std::vector<Segment> spread_evenly(Index samples, Index length, Index most) {
  const Index count = std::min(samples / length, most);
  std::vector<Segment> segments;
  for (Index i = 0; i < count; ++i) {
    segments.push_back({.first = count > 1 ? (samples - length) * i / (count - 1) : 0, .count = length});
  }
  return segments;
}

Sequence::Sequence(std::vector<Segment> segments) : segments_(std::move(segments)) {
  std::erase_if(segments_, [](const Segment& segment) { return segment.count == 0; });
  Index end = 0;
  for (const Segment& segment : segments_) ends_.push_back(end += segment.count);
}

Index Sequence::operator[](Index i) const {
  const auto at = std::upper_bound(ends_.begin(), ends_.end(), i) - ends_.begin();
  const Segment& segment = segments_[static_cast<std::size_t>(at)];
  return segment.first + segment.count - (ends_[static_cast<std::size_t>(at)] - i);
}

Sequence Sequence::complement(Index samples) const {
  std::vector<Segment> others;
  Index first = 0;
  for (const Segment& segment : segments_) {
    others.push_back({.first = first, .count = segment.first - first});
    first = segment.first + segment.count;
  }
  others.push_back({.first = first, .count = samples - first});
  return Sequence(std::move(others));
}

Split::Split(Index samples, Index dimension, double dependence, std::uint64_t seed)
    : dimension_(dimension), seed_(seed), explored_({{.first = 0, .count = samples}}) {
  const bool few = first_part(dimension) * kFolds >= samples * (kFolds - 1);
  if (!few) {
    const Index groups = groups_of(samples, dependence, kMostGroups, kLeastGroups);
    hold_out_ = fold_of(samples, groups, kFolds, kFolds - 1);
    explored_ = hold_out_->learned_from;
  } else if (samples >= kFewestToJudge && samples >= kFewestToJudgePerDimension * dimension) {
    const Index groups = groups_of(samples, dependence, kGroupsOfCrossfit, 1);
    for (Index fold = 0; fold < kFolds; ++fold) folds_.push_back(fold_of(samples, groups, kFolds, fold));
  }
  parts_ = part_sizes(explored_.size(), dimension);
}

Order Split::shuffled(const Sequence& sequence) const {
  const random::Permutation order(sequence.size(), random::Stream(seed_, random::Purpose::kSubsample));
  return [sequence, order](Index i) { return sequence[order[i]]; };
}

Order Split::order() const { return shuffled(explored_); }

Order Split::order_of(const Fold& fold) const { return shuffled(fold.learned_from); }

Index Split::size_of(const Fold& fold) const { return std::min(fold.learned_from.size(), most_explored(dimension_)); }

Index Split::to_finish(Index part) const {
  return std::min(part, std::max(kExploredPerDimension * dimension_, kMostEntriesToFinish / dimension_));
}

std::vector<Segment> batches_of(const Sequence& held_out, double dependence, Index batches, Index samples, Index room) {
  const auto segments = static_cast<Index>(held_out.segments().size());
  const auto guard = dependence < kDependent ? Index{0} : static_cast<Index>(kGuardPerDependence * dependence);
  const auto least = std::max<Index>(static_cast<Index>(std::ceil(kBatchPerDependence * dependence)), 1);
  std::vector<Segment> result;
  for (const Segment& segment : held_out.segments()) {
    const Index margin = std::min(guard, segment.count / 3);
    const bool at_end = segment.first + segment.count == samples;
    const Index first = segment.first + (segment.first > 0 ? margin : 0);
    const Index end = segment.first + segment.count - (at_end ? 0 : margin);
    const Index count = std::min(end - first, std::max<Index>(room / segments, 1));
    const Index pieces = std::clamp<Index>(count / least, 1, std::max<Index>(batches / segments, 1));
    for (Index i = 0; i < pieces; ++i) {
      const Index begin = count * i / pieces;
      result.push_back({.first = first + begin, .count = count * (i + 1) / pieces - begin});
    }
  }
  std::erase_if(result, [](const Segment& batch) { return batch.count == 0; });
  return result;
}

}  // namespace orthodict::solver
