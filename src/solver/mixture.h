// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "orthodict/export.h"
#include "orthodict/stretch.h"
#include "orthodict/types.h"

namespace orthodict::solver {

// The distribution of coefficients: (1 − theta)·N(0, noise²) + theta·N(0, signal²), circular if they are complex.
struct ORTHODICT_EXPORT Mixture {
  static constexpr double kLeastNoise = 1e-6;  // zero noise has no density

  double theta = 0.5;
  double noise = 0.3;
  double signal = 1.3;

  [[nodiscard]] bool is_legal() const {
    return theta > 0 && theta < 1 && noise > 0 && noise < signal && signal < 1e300;
  }
  // The posterior mean as a stretch.
  [[nodiscard]] std::shared_ptr<const Stretch> stretch() const;
  [[nodiscard]] double noise_to_signal() const { return noise / signal; }
  // Whether the two parts differ; otherwise one Gaussian would fit as well.
  [[nodiscard]] bool is_distinct() const { return noise_to_signal() < 0.9; }
  // The |z| from which signal is likelier than noise: theta·N(z; signal²) = (1 − theta)·N(z; noise²).
  [[nodiscard]] double threshold(bool is_complex = false) const;
};

// Of coefficients in any units. Nothing if all are zero. Complex coefficients have two rows each.
[[nodiscard]] ORTHODICT_EXPORT std::optional<Mixture> mixture_of(const Matrix<double>& coefficients,
                                                                 bool is_complex = false);

// Maximises the likelihood near `start` by expectation–maximisation. Coefficients are first collected in a histogram,
// with the sum of squares per bin, so that hundreds of updates cost less than one pass over the coefficients.
// Complex coefficients have two rows each.
[[nodiscard]] ORTHODICT_EXPORT Mixture fit_mixture(const Matrix<double>& coefficients, const Mixture& start,
                                                   bool is_complex = false);

}  // namespace orthodict::solver
