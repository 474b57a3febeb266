// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "orthodict/types.h"
#include "solver/view.h"

namespace orthodict::solver {

// Samples first … first + count − 1, in the order of the recording.
struct Segment {
  Index first = 0;
  Index count = 0;
};

// At most `most` segments of equal length, spread evenly over all samples without overlap.
[[nodiscard]] std::vector<Segment> spread_evenly(Index samples, Index length, Index most);

// Several segments as one sequence of samples.
class Sequence {
 public:
  explicit Sequence(std::vector<Segment> segments);
  [[nodiscard]] Index size() const { return ends_.empty() ? 0 : ends_.back(); }
  [[nodiscard]] Index operator[](Index i) const;  // the index of its i-th sample
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  // The other samples of 0 … samples − 1.
  [[nodiscard]] Sequence complement(Index samples) const;

 private:
  std::vector<Segment> segments_;  // in ascending order
  std::vector<Index> ends_;        // their ends within the sequence
};

// Samples to judge by, and all others, to learn from.
struct Fold {
  Sequence held_out;
  Sequence learned_from;
};

// Decides which samples are learned from and which are held out to judge by. Nothing else decides that.
//
// Held-out samples form segments of neighbours, spread over the recording. So their neighbours and copies are mostly
// held out too, and learning and judging both cover all parts of a recording that changes slowly. Segments are longer
// if samples depend on more distant neighbours.
class Split {
 public:
  // `dependence` is the number of neighbouring samples that carry as much information as one independent sample, at
  // least 1.
  Split(Index samples, Index dimension, double dependence, std::uint64_t seed);

  // The samples held out during exploration; null if samples are few.
  [[nodiscard]] const Fold* hold_out() const { return hold_out_ ? &*hold_out_ : nullptr; }
  // If samples are few: folds that are held out in turn, while models continue from the result of exploring. Empty if
  // there are too few to judge at all.
  [[nodiscard]] const std::vector<Fold>& folds() const { return folds_; }

  // Sizes of the parts to explore, in ascending order. A part consists of random samples that aren't held out, and
  // contains the previous part.
  [[nodiscard]] const std::vector<Index>& parts() const { return parts_; }
  // The i-th sample of every part that has more than i.
  [[nodiscard]] Order order() const;
  // The number of samples of a part that are used to finish to the last digits.
  [[nodiscard]] Index to_finish(Index part) const;
  // The samples of a fold to learn from, in random order, and the number that fits in memory.
  [[nodiscard]] Order order_of(const Fold& fold) const;
  [[nodiscard]] Index size_of(const Fold& fold) const;

 private:
  [[nodiscard]] Order shuffled(const Sequence& sequence) const;

  Index dimension_;
  std::uint64_t seed_;
  Sequence explored_;
  std::optional<Fold> hold_out_;
  std::vector<Fold> folds_;
  std::vector<Index> parts_;
};

// Divides held-out samples into contiguous batches, several times longer than the dependence, with a margin of similar
// length to samples that were learned from. Uses about `room` samples at most.
[[nodiscard]] std::vector<Segment> batches_of(const Sequence& held_out, double dependence, Index batches, Index samples,
                                              Index room);

}  // namespace orthodict::solver
