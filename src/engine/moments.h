// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>

#include "engine/workers.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict::engine {

// First and second moments of the samples, in double precision whatever the sample type.
struct Moments {
  Vector<double> mean;           // Σ y / p
  Matrix<double> second_moment;  // Σ (y − c)(y − c)ᵀ / p, where c is the mean if centred, otherwise 0
  double largest = 0;            // the largest ‖y − c‖², where c is a sample if centred, otherwise 0
  Vector<double> signature =
      {};  // Σ w y with weights w that depend on the sample's index, so that the order of samples matters
};

// Throws Error, naming the sample `y` and its first feature that isn't finite.
[[noreturn]] void report_bad_sample(const Samples& samples, Index sample, const Vector<double>& y);

// Runs one pass over the samples, before all other passes, and checks that all values are finite. Throws Error, naming
// the first sample and feature that is NaN or infinite. Returns nothing if a stop was requested.
[[nodiscard]] std::optional<Moments> measure_moments(const Samples& samples, bool center, Workers& workers,
                                                     const std::stop_token& stop);

}  // namespace orthodict::engine
