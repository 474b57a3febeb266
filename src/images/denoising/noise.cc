// SPDX-License-Identifier: Apache-2.0
#include "images/denoising/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "images/denoising/clipping.h"
#include "images/denoising/cosine.h"
#include "images/denoising/planes.h"
#include "orthodict/denoise.h"
#include "orthodict/error.h"
#include "random/stream.h"

namespace orthodict {
namespace images {
namespace {

constexpr Index kSide = 8;  // of patches
constexpr Index kPixels = kSide * kSide;
constexpr Index kLowest = 9;                      // least sum of the two frequencies (0 … 7) used
constexpr double kQuartile = 0.6744897501960817;  // median of |z| for a standard normal z
constexpr Index kMostPatches = 40'000;

// Overwrites and reorders its argument.
double median(std::vector<double>* values) {
  const auto middle = values->begin() + static_cast<std::ptrdiff_t>(values->size() / 2);
  std::nth_element(values->begin(), middle, values->end());
  return *middle;
}

// The cosine transform's rows of high frequency.
RowMatrix<float> high_frequencies() {
  const RowMatrix<double> transform = cosine_transform({.height = kSide, .width = kSide});
  std::vector<Index> rows;
  for (Index k = 0; k < transform.rows(); ++k) {
    if (k / kSide + k % kSide >= kLowest) rows.push_back(k);
  }
  return transform(rows, Eigen::all).cast<float>();
}

// Random patches: one column for each, with the channels of a pixel contiguous.
struct Sample {
  Index channels = 1;
  Matrix<float> patches = {};
};

// Patches of means of scale×scale pixels, multiplied by `scale`: white noise keeps its deviation.
Sample draw_patches(const Image& image, Index scale) {
  const Index extent = kSide * scale;
  const Index rows = image.height - extent + 1;
  const Index columns = image.width - extent + 1;
  Sample sample{.channels = image.channels};
  if (rows < 1 || columns < 1) return sample;
  // A random subset. Every k-th patch could fall into the same columns of the image.
  const random::Permutation order(rows * columns, random::Stream(0, random::Purpose::kSubsample));
  sample.patches = Matrix<float>::Zero(kPixels * image.channels, std::min(rows * columns, kMostPatches));
  const float share = 1 / static_cast<float>(scale);
  for (Index j = 0; j < sample.patches.cols(); ++j) {
    // Colour at half the resolution is stored in blocks of 2×2 pixels.
    const Index top = order[j] / columns / scale * scale;
    const Index left = order[j] % columns / scale * scale;
    for (Index y = 0; y < extent; ++y) {
      for (Index x = 0; x < extent; ++x) {
        float* to = &sample.patches(((y / scale) * kSide + x / scale) * image.channels, j);
        for (Index c = 0; c < image.channels; ++c) to[c] += share * image.at(top + y, left + x, c);
      }
    }
  }
  return sample;
}

// The patches with few clipped values, or the least clipped ones if there are too few.
std::vector<Index> choose_unclipped(const Sample& sample, const Clipping& clipping) {
  const Index count = sample.patches.cols();
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  if (!clipping.low && !clipping.high) return order;
  constexpr double kFew = 0.1;
  constexpr Index kEnough = 400;
  std::vector<double> clipped;
  for (Index j = 0; j < count; ++j) {
    const auto values = sample.patches.col(j).array();
    const Index low = clipping.low ? (values <= 0).count() : 0;
    const Index high = clipping.high ? (values >= 255).count() : 0;
    clipped.push_back(static_cast<double>(low + high) / static_cast<double>(values.size()));
  }
  const auto less = [&](Index a, Index b) {
    return clipped[static_cast<std::size_t>(a)] < clipped[static_cast<std::size_t>(b)];
  };
  std::stable_sort(order.begin(), order.end(), less);
  const auto few = std::partition_point(order.begin(), order.end(),
                                        [&](Index j) { return clipped[static_cast<std::size_t>(j)] <= kFew; });
  order.resize(std::max<std::size_t>(static_cast<std::size_t>(few - order.begin()),
                                     static_cast<std::size_t>(std::min(count, kEnough))));
  return order;
}

// The deviation of white noise in grey patches, one per column.
double deviation(const Matrix<float>& patches) {
  if (patches.cols() == 0) return 0;
  const Matrix<float> coefficients = high_frequencies() * patches;
  std::vector<double> found;
  for (Index i = 0; i < coefficients.rows(); ++i) {
    std::vector<double> row;
    for (Index j = 0; j < coefficients.cols(); ++j) row.push_back(std::abs(static_cast<double>(coefficients(i, j))));
    found.push_back(median(&row) / kQuartile);
  }
  std::sort(found.begin(), found.end());
  constexpr std::ptrdiff_t kFew = 3;
  return std::accumulate(found.begin(), found.begin() + kFew, 0.0) / static_cast<double>(kFew);
}

// The patches in one channel of a sample.
Matrix<float> channel_patches(const Sample& sample, const std::vector<Index>& chosen, Index channel) {
  Matrix<float> patches(kPixels, static_cast<Index>(chosen.size()));
  for (Index j = 0; j < patches.cols(); ++j) {
    for (Index i = 0; i < kPixels; ++i) {
      patches(i, j) = sample.patches(i * sample.channels + channel, chosen[static_cast<std::size_t>(j)]);
    }
  }
  return patches;
}

// The deviation of noise in each plane of a sample.
std::vector<double> deviations(const Sample& sample, const std::vector<Index>& chosen) {
  const RowMatrix<float> rotation = plane_rotation(sample.channels);
  std::vector<Matrix<float>> channels;
  for (Index c = 0; c < sample.channels; ++c) channels.push_back(channel_patches(sample, chosen, c));
  std::vector<double> found;
  for (Index plane = 0; plane < sample.channels; ++plane) {
    Matrix<float> patches = rotation(plane, 0) * channels[0];
    for (Index c = 1; c < sample.channels; ++c) patches += rotation(plane, c) * channels[static_cast<std::size_t>(c)];
    found.push_back(deviation(patches));
  }
  return found;
}

// The means of some of the patches, for each channel.
std::vector<double> channel_means(const Sample& sample, const std::vector<Index>& chosen) {
  constexpr Index kSome = 300;
  const auto count = static_cast<Index>(chosen.size());
  std::vector<double> means;
  for (Index i = 0; i < std::min(count, kSome); ++i) {
    const Index patch = chosen[static_cast<std::size_t>(i * count / std::min(count, kSome))];
    for (Index c = 0; c < sample.channels; ++c) {
      double sum = 0;
      for (Index pixel = 0; pixel < kPixels; ++pixel) {
        sum += static_cast<double>(sample.patches(pixel * sample.channels + c, patch));
      }
      means.push_back(sum / static_cast<double>(kPixels));
    }
  }
  return means;
}

std::vector<Index> all_of(const Sample& sample) {
  std::vector<Index> order(static_cast<std::size_t>(sample.patches.cols()));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// The median slope and the median intercept of lines through pairs of points (Theil and Sen).
void fit_line(const std::vector<double>& x, const std::vector<double>& y, double* slope, double* intercept) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (x[i] != x[j]) slopes.push_back((y[i] - y[j]) / (x[i] - x[j]));
    }
  }
  *slope = slopes.empty() ? 0 : median(&slopes);
  std::vector<double> rest;
  for (std::size_t i = 0; i < x.size(); ++i) rest.push_back(y[i] - *slope * x[i]);
  *intercept = median(&rest);
}

// The share of pairs in which y grows with x, minus that in which it falls (Kendall's τ).
double agreement(const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) sum += y[i] > y[j] ? 1 : -1;
  }
  const auto n = static_cast<double>(y.size());
  return sum / (n * (n - 1) / 2);
}

}  // namespace

void require_estimable(const Image& image, const std::string& name) {
  if (image.height >= kSide && image.width >= kSide) return;
  throw data_error(name,
                   fmt::format("{}×{} pixels; estimating the noise needs at least 8×8 (give sigma for smaller images)",
                               image.height, image.width));
}

std::vector<double> plane_noise(const Image& image) {
  const Sample sample = draw_patches(image, 1);
  const Clipping clipping = find_clipping(image);
  const std::vector<Index> chosen = choose_unclipped(sample, clipping);
  std::vector<double> found = deviations(sample, chosen);
  const std::vector<double> means = channel_means(sample, chosen);
  for (double& sigma : found) sigma = unclipped_deviation(clipping, sigma, means);
  constexpr double kMuchLess = 0.8;
  for (const Index scale : {2, 4}) {
    const Sample coarse = draw_patches(image, scale);
    const std::vector<double> of_coarse = deviations(coarse, all_of(coarse));
    for (std::size_t plane = 1; plane < found.size(); ++plane) {
      if (found[plane] < kMuchLess * found[0])
        found[plane] = std::min(found[0], std::max(found[plane], of_coarse[plane]));
    }
  }
  return found;
}

SignalNoise signal_noise(const Image& image) {
  constexpr Index kBins = 16;
  constexpr double kSteady = 0.6;
  constexpr double kFar = 2;
  constexpr Index kEnough = 200;  // patches of a bin
  const Sample sample = draw_patches(image, 1);
  const std::vector<Index> chosen = choose_unclipped(sample, find_clipping(image));
  std::vector<double> means;
  std::vector<double> variances;
  SignalNoise noise{.is_clear = true};
  for (Index c = 0; c < image.channels; ++c) {
    const Matrix<float> patches = channel_patches(sample, chosen, c);
    std::vector<Index> order(chosen.size());
    std::iota(order.begin(), order.end(), 0);
    const Vector<float> brightness = patches.colwise().mean().transpose();
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return brightness[a] < brightness[b]; });
    const auto count = static_cast<Index>(order.size());
    std::vector<double> of_channel;
    for (Index bin = 0; bin < kBins; ++bin) {
      const std::vector<Index> part(order.begin() + count * bin / kBins, order.begin() + count * (bin + 1) / kBins);
      if (part.empty()) continue;
      const double sigma = deviation(patches(Eigen::all, part));
      means.push_back(static_cast<double>(brightness(part).mean()));
      variances.push_back(sigma * sigma);
      of_channel.push_back(sigma * sigma);
    }
    noise.is_clear = noise.is_clear && count >= kBins * kEnough && agreement(of_channel) > kSteady;
  }
  if (means.empty()) return {};
  fit_line(means, variances, &noise.gain, &noise.offset);
  const auto [darkest, brightest] = std::minmax_element(means.begin(), means.end());
  noise.is_clear = noise.is_clear && noise.gain > 0 &&
                   noise.gain * *brightest + noise.offset > kFar * std::max(0.0, noise.gain * *darkest + noise.offset);
  return noise;
}

}  // namespace images

double estimate_noise(const Image& image, const std::string& name) {
  images::require_finite(image, name);
  images::require_estimable(image, name);
  double sum = 0;
  for (const double sigma : images::plane_noise(image)) sum += sigma * sigma;
  return std::sqrt(sum / static_cast<double>(image.channels));
}

}  // namespace orthodict
