// SPDX-License-Identifier: Apache-2.0
// Finish: falling hard thresholds, for coefficients that may have exact zeros.
#pragma once

#include "solver/auto/steps.h"

namespace orthodict::solver {

// Lowers the threshold from the first value to the last one of single precision, on the explored part. Returns whether
// zeros are exact.
[[nodiscard]] Zeros lower_threshold(Steps& steps, const View& part);

// Lowers the threshold until the last digits are stable. Coefficients that are small but not zero reappear as the
// threshold falls; then zeros aren't exact. `part` is the explored part.
[[nodiscard]] Zeros finish(Steps& steps, const View& view, const View& part, double threshold);

}  // namespace orthodict::solver
