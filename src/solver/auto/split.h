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

// At most `most` segments of one length, spread evenly over all samples, which don't overlap.
[[nodiscard]] std::vector<Segment> spread_evenly(Index samples, Index length, Index most);

// Several segments as one sequence of samples.
class Sequence {
 public:
  explicit Sequence(std::vector<Segment> segments);
  [[nodiscard]] Index size() const { return ends_.empty() ? 0 : ends_.back(); }
  [[nodiscard]] Index operator[](Index i) const;  // the number of its i-th sample
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  // All other ones of so many samples.
  [[nodiscard]] Sequence complement(Index samples) const;

 private:
  std::vector<Segment> segments_;  // in rising order
  std::vector<Index> ends_;        // in the sequence
};

// Samples to judge by, and all others to learn from.
struct Fold {
  Sequence held_out;
  Sequence learned_from;
};

// Which samples are learned from, and which are held out to judge by: the only place where that is decided.
//
// What is held out are segments of neighbouring samples, spread over the recording: their neighbours and copies were
// not learned from, and all parts of a recording that changes slowly are in both. They are the longer, the further
// samples depend on each other.
class Split {
 public:
  // `dependence` is how many neighbouring samples tell as much as one that is independent, at least 1.
  Split(Index samples, Index dimension, double dependence, std::uint64_t seed);

  // Samples that are held out while parts are explored; none where all are few.
  [[nodiscard]] const Fold* hold_out() const { return hold_out_ ? &*hold_out_ : nullptr; }
  // Where samples are few: folds that are held out in turn, from models that go on from where exploring led. None where
  // there are too few to judge at all.
  [[nodiscard]] const std::vector<Fold>& folds() const { return folds_; }

  // Sizes of the parts to explore, one after the other: random samples that aren't held out for good, each part
  // containing the one before.
  [[nodiscard]] const std::vector<Index>& parts() const { return parts_; }
  // The i-th sample of every part that has so many.
  [[nodiscard]] Order order() const;
  // The number of samples of a part that a finish to the last digits takes.
  [[nodiscard]] Index to_finish(Index part) const;
  // Samples of a fold to learn from, in random order, as many as fit into memory.
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

// Batches of the samples that are held out: contiguous, several times as long as samples depend on each other, and away
// from those that were learned from by as much. At most about `room` samples in all.
[[nodiscard]] std::vector<Segment> batches_of(const Sequence& held_out, double dependence, Index batches, Index samples,
                                              Index room);

}  // namespace orthodict::solver
