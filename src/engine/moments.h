// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>

#include "engine/workers.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict::engine {

// First and second moments of the samples, in double whatever their type.
struct Moments {
  Vector<double> mean;            // Σ y / p
  Matrix<double> second_moment;   // Σ (y − c)(y − c)ᵀ / p, c the mean when centred and 0 otherwise
  double largest = 0;             // the largest ‖y − c‖² for a point c among the samples, or 0
  Vector<double> signature = {};  // Σ w y for weights w that follow from a sample's number: tells orders apart
};

// Throws Error that names the sample `y` and the first feature of it that isn't finite.
[[noreturn]] void report_bad_sample(const Samples& samples, Index sample, const Vector<double>& y);

// One pass, before everything else: it also is where data that aren't finite are found. Throws Error that names the
// first sample and feature with NaN or an infinity. Nothing is returned when a stop was requested on the way.
[[nodiscard]] std::optional<Moments> measure_moments(const Samples& samples, bool center, Workers& workers,
                                                     const std::stop_token& stop);

}  // namespace orthodict::engine
