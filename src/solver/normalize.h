// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/moments.h"
#include "orthodict/samples.h"
#include "solver/run.h"

namespace orthodict::solver {

// Samples at other distances from a point: sample j becomes point + factor_j·(y − point). The samples must outlive it.
[[nodiscard]] std::unique_ptr<Samples> scale_samples(const Samples& samples, const Vector<double>& point,
                                                     std::vector<double> factors);

// From now on the run learns from its samples at one distance from the mean or, where they aren't centred, from zero,
// in whitened coordinates: there normalizing leaves round data round, and makes no structure of its own. Returns the
// moments of those, about the mean where `moments` are.
[[nodiscard]] engine::Moments normalize_samples(Run& run, bool center, const engine::Moments& moments,
                                                bool moments_are_centred);

}  // namespace orthodict::solver
