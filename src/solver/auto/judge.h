// SPDX-License-Identifier: Apache-2.0
// Judge: what samples that weren't used say of the atoms.
#pragma once

#include <memory>
#include <vector>

#include "solver/auto/steps.h"

namespace orthodict::solver {

// Atoms, and how they were found.
struct Candidate {
  std::shared_ptr<const Search::State> state;
  Finish finish = Finish::kShrinkage;
  Mixture mixture = {};
  Verdict verdict = {};
};

// cos² between the atoms of two places, in the coordinates of the data.
[[nodiscard]] Vector<double> cosines2(const Coordinates& coordinates, const Place& one, const Place& other);

// By the samples held out, of atoms that were found on a part that has none of them.
[[nodiscard]] Verdict judge_by_hold_out(Evidence& evidence, const View& part, const Place& at);

// By folds that are held out in turn, of atoms that were found on all samples: their finishes go on from there without
// them. The search is back where it was afterwards.
void judge_by_crossfit(Steps& steps, const View& part, std::vector<Candidate>* candidates);

// By the samples held out, or by folds where samples are few. Nothing is established where they are too few for either.
void judge(Steps& steps, const View& part, std::vector<Candidate>* candidates);

}  // namespace orthodict::solver
