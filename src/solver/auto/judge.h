// SPDX-License-Identifier: Apache-2.0
// Judge: estimate confidences from held-out samples.
#pragma once

#include <memory>
#include <vector>

#include "solver/auto/steps.h"

namespace orthodict::solver {

// Atoms, and the finish that produced them.
struct Candidate {
  std::shared_ptr<const Search::State> state;
  Finish finish = Finish::kShrinkage;
  Mixture mixture = {};
  Verdict verdict = {};
};

// cos² between the atoms of two places, in the coordinates of the data.
[[nodiscard]] Vector<double> cosines2(const Coordinates& coordinates, const Place& one, const Place& other);

// Judges atoms by held-out samples, none of which are in the part they were learned from.
[[nodiscard]] Verdict judge_by_hold_out(Evidence& evidence, const View& part, const Place& at);

// Judges atoms that were learned from all samples, by cross-fitting: each fold is held out in turn, and the finishes
// continue without it. Restores the search afterwards.
void judge_by_crossfit(Steps& steps, const View& part, std::vector<Candidate>* candidates);

// Judges by held-out samples, or by folds if samples are few. With too few samples for either, nothing is established.
void judge(Steps& steps, const View& part, std::vector<Candidate>* candidates);

}  // namespace orthodict::solver
