// SPDX-License-Identifier: Apache-2.0
// Finish: hard thresholds that fall, where coefficients may have exact zeros.
#pragma once

#include "solver/auto/steps.h"

namespace orthodict::solver {

// From the first threshold to the last one of single precision, on the part that is explored. Tells if zeros come out.
[[nodiscard]] Zeros lower_threshold(Steps& steps, const View& part);

// From a threshold until the last digits stand. Zeros that don't hold weren't exact: coefficients that are small but
// not zero reappear as the threshold falls. `part` is what was explored.
[[nodiscard]] Zeros finish(Steps& steps, const View& view, const View& part, double threshold);

}  // namespace orthodict::solver
