// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/moments.h"
#include "solver/run.h"

namespace orthodict::solver {

// Squared lengths of all original samples, divided by the number of their coordinates: of whitened samples, about the
// mean or zero, or of samples with all features at unit variance. Moments must be about the mean.
[[nodiscard]] std::vector<double> whitened_lengths(Run& run, engine::Moments moments, bool center);
[[nodiscard]] std::vector<double> lengths_at_unit_variance(Run& run, const engine::Moments& moments);

}  // namespace orthodict::solver
