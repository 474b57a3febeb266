// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/moments.h"
#include "orthodict/samples.h"
#include "solver/run.h"

namespace orthodict::solver {

// Samples at one distance from a point: y becomes point + (y − point)·distance/‖y − point‖, and the point stays where
// it is. Those that are set aside, in rising order, become the point. The samples must outlive it.
[[nodiscard]] std::unique_ptr<Samples> samples_at_distance(const Samples& samples, const Vector<double>& point,
                                                           double distance, std::vector<Index> set_aside = {});

// From now on the run learns from its samples at one distance, their root mean square, from the mean or, where they
// aren't centred, from zero. Returns the moments of those, about the mean where `moments` are.
[[nodiscard]] engine::Moments normalize_samples(Run& run, bool center, const engine::Moments& moments,
                                                bool moments_are_centred);

}  // namespace orthodict::solver
