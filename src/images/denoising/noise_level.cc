// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "images/denoising/cosine.h"
#include "images/denoising/planes.h"
#include "orthodict/denoise.h"
#include "orthodict/error.h"
#include "random/stream.h"

namespace orthodict {
namespace {

constexpr PatchShape kPatch = {.height = 8, .width = 8};
constexpr Index kLowest = 9;                      // least sum of the two frequencies (0 … 7) used
constexpr double kQuartile = 0.6744897501960817;  // median of |z| for a standard normal z
constexpr Index kMostPatches = 40'000;

double median(std::vector<float>* values) {
  const auto middle = values->begin() + static_cast<std::ptrdiff_t>(values->size() / 2);
  std::nth_element(values->begin(), middle, values->end());
  return static_cast<double>(*middle);
}

// Absolute coefficients at high frequencies: one row per frequency, one column per patch.
RowMatrix<float> high_frequencies(const Samples& patches) {
  const RowMatrix<double> transform = images::cosine_transform(kPatch);
  std::vector<Index> rows;
  for (Index k = 0; k < transform.rows(); ++k) {
    if (k / kPatch.width + k % kPatch.width >= kLowest) rows.push_back(k);
  }
  const RowMatrix<float> high = transform(rows, Eigen::all).cast<float>();
  // A random subset. Every k-th patch could fall into the same columns of the image.
  const random::Permutation order(patches.size(), random::Stream(0, random::Purpose::kSubsample));
  RowMatrix<float> coefficients(high.rows(), std::min(patches.size(), kMostPatches));
  Vector<float> patch(patches.dimension());
  for (Index j = 0; j < coefficients.cols(); ++j) {
    (void)patches.block(order[j], 1, patch.data());
    coefficients.col(j) = (high * patch).cwiseAbs();
  }
  return coefficients;
}

}  // namespace

double estimate_noise(const Image& image, const std::string& name) {
  images::require_finite(image, name);
  if (image.height < kPatch.height || image.width < kPatch.width) {
    throw data_error(
        name, fmt::format("{}×{} pixels; estimating the noise needs at least 8×8 (give sigma for smaller images)",
                          image.height, image.width));
  }
  const PatchOptions options{.patch = kPatch};
  std::vector<Image> planes;
  for (Index channel = 0; channel < image.channels; ++channel) {
    planes.push_back(images::channel_of(image, channel));
  }
  const auto patches = image_patches(std::move(planes), options, "image");
  const RowMatrix<float> coefficients = high_frequencies(*patches);
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < coefficients.rows(); ++i) {
    std::vector<float> row(coefficients.row(i).begin(), coefficients.row(i).end());
    least = std::min(least, median(&row) / kQuartile);
  }
  return least;
}

}  // namespace orthodict
