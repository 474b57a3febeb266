// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/fit.h"
#include "solver/run.h"

namespace orthodict::solver {

// Method auto. docs/auto.md explains the stages, their assumptions, and when they fail.
[[nodiscard]] FitResult run_auto(Run& run);

}  // namespace orthodict::solver
