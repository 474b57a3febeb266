// SPDX-License-Identifier: Apache-2.0
// Refine: where zeros aren't exact, the best of several finishes, on all samples.
#pragma once

#include "solver/auto/judge.h"

namespace orthodict::solver {

// What a run has come to.
struct Outcome {
  Zeros zeros = Zeros::kNone;
  Motion motion = Motion::kMoving;
};

// Every finish goes on from where the search is, on a part of the samples. The one with the least error on samples held
// out wins; for an orthonormal basis that was asked for, the one whose largest coefficients keep the most energy there.
// The search is at the winner. Where there is hardly any noise the mixture wins without a competition, unless supports
// are nested: its errors are smaller than can be measured.
[[nodiscard]] Candidate compete(Steps& steps, const View& part, bool has_nested_supports);

// The winner's finish on all samples, until the atoms that are established stay where they are. Where exact zeros show
// in these, they are finished to the last digits instead, and the others make room.
[[nodiscard]] Outcome refine(Steps& steps, const View& part, const Candidate& winner);

// Confidences of a model that has gone on from the one that was judged: no more than its nearness to that one allows,
// where it went further than was predicted.
[[nodiscard]] Vector<double> confidence_after(const Steps& steps, const Candidate& judged);

}  // namespace orthodict::solver
