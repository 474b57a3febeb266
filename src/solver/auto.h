// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/fit.h"
#include "solver/run.h"

namespace orthodict::solver {

// Explore, refine, finish: docs/auto.md says why each stage, what it assumes and when it fails.
[[nodiscard]] FitResult run_auto(Run& run);

}  // namespace orthodict::solver
