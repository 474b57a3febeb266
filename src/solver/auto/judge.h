// SPDX-License-Identifier: Apache-2.0
// Judge: what samples that weren't used say of the atoms.
#pragma once

#include "orthodict/types.h"
#include "solver/auto/steps.h"

namespace orthodict::solver {

// By the samples held out, of atoms that were found on a part that has none of them.
[[nodiscard]] Verdict judge_by_hold_out(Steps& steps, const View& part);

// By folds that are held out in turn, of atoms that were found on all samples: the finish goes on from there without
// them. The search is back where it was afterwards.
[[nodiscard]] Verdict judge_by_crossfit(Steps& steps, const View& part, Finish finish);

// By one or the other; nothing is established where samples are too few for either.
[[nodiscard]] Verdict judge(Steps& steps, const View& part, Finish finish);

}  // namespace orthodict::solver
