// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/moments.h"
#include "orthodict/samples.h"
#include "solver/run.h"

namespace orthodict::solver {

// Rescaled samples: sample j is point + factor_j·(y − point). The underlying samples must outlive them.
[[nodiscard]] std::unique_ptr<Samples> scale_samples(const Samples& samples, const Vector<double>& point,
                                                     std::vector<double> factors);

// Makes the run learn from normalized samples, with equal distance, in whitened coordinates, from the mean or, without
// centring, from zero. In these coordinates normalizing keeps round data round, so it creates no structure. Returns
// their moments, about the mean if `moments` are.
[[nodiscard]] engine::Moments normalize_samples(Run& run, bool center, const engine::Moments& moments,
                                                bool moments_are_centred);

}  // namespace orthodict::solver
