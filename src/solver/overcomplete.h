// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/fit.h"

namespace orthodict::solver {

// Method auto for a dictionary with more atoms than dimensions, as many as the samples show or at most options.atoms
// (docs/overcomplete.md). Options must be resolved. Where the samples are exactly sparse in a complete dictionary, the
// result is that one.
[[nodiscard]] FitResult fit_overcomplete(const Samples& samples, const Options& options);

}  // namespace orthodict::solver
