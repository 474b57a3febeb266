// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/fit.h"
#include "solver/run.h"

namespace orthodict::solver {

// Method msp: the paper's algorithms and their relatives, with one stretch from one start.
[[nodiscard]] FitResult run_msp(Run& run);

}  // namespace orthodict::solver
