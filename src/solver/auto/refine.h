// SPDX-License-Identifier: Apache-2.0
// Refine: if zeros aren't exact, continue with the best of several finishes, on all samples.
#pragma once

#include "solver/auto/judge.h"

namespace orthodict::solver {

// The result of the last stage.
struct Outcome {
  Zeros zeros = Zeros::kNone;
  Motion motion = Motion::kMoving;
};

// Runs every finish from the current state, on a part of the samples. The finish with the least error on held-out
// samples wins; for a requested orthonormal basis, the one whose largest coefficients keep the most energy. The search
// continues from the winner. With hardly any noise, and without nested supports, the mixture wins without a comparison,
// because its errors are too small to measure.
[[nodiscard]] Candidate compare_finishes(Steps& steps, const View& part, bool has_nested_supports);

// Runs the winner's finish on all samples until the established atoms stop moving. If these show exact zeros, they are
// finished to the last digits instead, and the others follow them.
[[nodiscard]] Outcome refine(Steps& steps, const View& part, const Candidate& winner);

// The confidences of a model that was refined after it was judged. An atom that moved further than predicted gets at
// most its cos² with the judged one.
[[nodiscard]] Vector<double> confidence_after(const Steps& steps, const Candidate& judged);

}  // namespace orthodict::solver
