// SPDX-License-Identifier: Apache-2.0
// Establish: check for exact zeros after exploring.
#pragma once

#include "solver/auto/steps.h"

namespace orthodict::solver {

// Takes steps by the mixture on the part and then, if exact zeros are possible, by falling thresholds. If zeros are
// exact to the last digits, the search stays there. If they are exact in single precision only, because noise is very
// small, it stays at the single-precision result. Otherwise it goes back to where it was.
[[nodiscard]] Zeros sharpen(Steps& steps, const View& part);

}  // namespace orthodict::solver
