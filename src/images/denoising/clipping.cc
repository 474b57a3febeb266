// SPDX-License-Identifier: Apache-2.0
#include "images/denoising/clipping.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace orthodict::images {
namespace {

double density(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi); }
double distribution(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

// The mean and the variance of clip(μ + σz).
struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments clipped_moments(double mean, double sigma, const Clipping& clipping) {
  constexpr double kFar = 40;  // deviations, for a side without clipping
  const double low = clipping.low ? -mean / sigma : -kFar;
  const double high = clipping.high ? (255 - mean) / sigma : kFar;
  const double inside = distribution(high) - distribution(low);
  // Of z, cut off at low and at high.
  const double first = density(low) - density(high) + low * distribution(low) + high * distribution(-high);
  const double second = inside + low * density(low) - high * density(high) + low * low * distribution(low) +
                        high * high * distribution(-high);
  return {.mean = mean + sigma * first, .variance = sigma * sigma * (second - first * first)};
}

}  // namespace

Clipping find_clipping(const Image& image) {
  if (image.depth == 32) return {};
  constexpr double kFew = 1e-4;
  const auto [least, largest] = std::minmax_element(image.pixels.begin(), image.pixels.end());
  const auto share = [&](float value) {
    return static_cast<double>(std::count(image.pixels.begin(), image.pixels.end(), value)) /
           static_cast<double>(image.pixels.size());
  };
  return {.low = *least == 0 && share(0) > kFew, .high = *largest == 255 && share(255) > kFew};
}

// Each step takes the share of the variance that clipping leaves at the σ of the step before.
double unclipped_deviation(const Clipping& clipping, double deviation, const std::vector<double>& clipped_means) {
  if ((!clipping.low && !clipping.high) || !(deviation > 0) || clipped_means.empty()) return deviation;
  constexpr int kSteps = 8;
  double sigma = deviation;
  for (int step = 0; step < kSteps; ++step) {
    double left = 0;
    for (const double clipped : clipped_means) {
      double mean = clipped;
      for (int i = 0; i < kSteps; ++i) mean += clipped - clipped_moments(mean, sigma, clipping).mean;
      left += clipped_moments(mean, sigma, clipping).variance / (sigma * sigma);
    }
    sigma = deviation / std::sqrt(left / static_cast<double>(clipped_means.size()));
  }
  return sigma;
}

void undo_clipping_bias(const Clipping& clipping, const std::vector<double>& sigma, Image* image) {
  if (!clipping.low && !clipping.high) return;
  constexpr int kSteps = 1024;
  for (std::size_t c = 0; c < sigma.size(); ++c) {
    if (!(sigma[c] > 0)) continue;
    std::vector<double> shifted;  // for means of 255·i/kSteps; increasing
    for (int i = 0; i <= kSteps; ++i) shifted.push_back(clipped_moments(255.0 * i / kSteps, sigma[c], clipping).mean);
    for (std::size_t i = c; i < image->pixels.size(); i += sigma.size()) {
      const auto value = static_cast<double>(image->pixels[i]);
      const auto above = std::lower_bound(shifted.begin(), shifted.end(), value);
      double place = static_cast<double>(above - shifted.begin());
      if (above == shifted.begin() || above == shifted.end()) {
        if (value < shifted.front() && !clipping.low) continue;
        if (value > shifted.back() && !clipping.high) continue;
        place = std::min<double>(place, kSteps);
      } else {
        place -= (*above - value) / (*above - *(above - 1));
      }
      image->pixels[i] = static_cast<float>(255 * place / kSteps);
    }
  }
}

}  // namespace orthodict::images
