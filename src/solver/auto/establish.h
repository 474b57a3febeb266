// SPDX-License-Identifier: Apache-2.0
// Establish: are there exact zeros behind what was explored?
#pragma once

#include "solver/auto/steps.h"

namespace orthodict::solver {

// The mixture's steps on the part at hand, and thresholds that fall if zeros may be exact. Where they are, and hold to
// the last digits, the search is there. Where they are exact in single precision only, so small is the noise, it is
// where that led. Otherwise it is back where it was.
[[nodiscard]] Zeros sharpen(Steps& steps, const View& part);

}  // namespace orthodict::solver
