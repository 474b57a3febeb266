// SPDX-License-Identifier: Apache-2.0
#include "images/denoising/stabilize.h"

#include <algorithm>
#include <cmath>

namespace orthodict::images {
namespace {

// The noise in units of the gain: Poisson noise of a mean λ = (μ − pedestal)/gain, and Gaussian noise of this variance.
struct Counts {
  double pedestal = 0;
  double variance = 0;
};

Counts counts_of(const SignalNoise& noise) {
  if (noise.offset < 0) return {.pedestal = -noise.offset / noise.gain};
  return {.variance = noise.offset / (noise.gain * noise.gain)};
}

}  // namespace

void stabilize(const SignalNoise& noise, Image* image) {
  const Counts counts = counts_of(noise);
  for (float& pixel : image->pixels) {
    const double count = (static_cast<double>(pixel) - counts.pedestal) / noise.gain;
    pixel = static_cast<float>(2 * std::sqrt(std::max(0.0, count + 3.0 / 8 + counts.variance)));
  }
}

void unstabilize(const SignalNoise& noise, Image* image) {
  const Counts counts = counts_of(noise);
  const double root = std::sqrt(1.5);
  const double least = 2 * std::sqrt(3.0 / 8 + counts.variance);
  for (float& pixel : image->pixels) {
    const double d = std::max(static_cast<double>(pixel), least);
    const double count = d * d / 4 + root / (4 * d) - 11 / (8 * d * d) + 5 * root / (8 * d * d * d) - 1.0 / 8;
    pixel = static_cast<float>(noise.gain * std::max(0.0, count - counts.variance) + counts.pedestal);
  }
}

}  // namespace orthodict::images
