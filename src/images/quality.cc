// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "orthodict/error.h"
#include "orthodict/image.h"

namespace orthodict {
namespace {

constexpr double kPeak = 255;
constexpr Index kWindow = kLeastSsimSide;
constexpr Index kReach = kWindow / 2;

void require_same_shape(const Image& image, const Image& reference) {
  image.validate("image");
  reference.validate("reference");
  if (image.height == reference.height && image.width == reference.width && image.channels == reference.channels)
    return;
  throw data_error("image", fmt::format("{}×{}×{}, but the reference is {}×{}×{}", image.height, image.width,
                                        image.channels, reference.height, reference.width, reference.channels));
}

using Window = std::array<double, kWindow>;

Window gaussian_window() {
  constexpr double kSigma = 1.5;
  Window weights = {};
  double sum = 0;
  for (Index i = 0; i < kWindow; ++i) {
    const double distance = static_cast<double>(i - kReach) / kSigma;
    sum += weights[static_cast<std::size_t>(i)] = std::exp(-distance * distance / 2);
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

using Row = Eigen::Array<double, Eigen::Dynamic, 1>;

// The structural similarity of one channel of two images.
class Similarity {
 public:
  Similarity(const Image& image, const Image& reference, Index channel)
      : image_(image), reference_(reference), channel_(channel) {}

  // The mean over all positions of the window.
  [[nodiscard]] double mean() const {
    const Index rows = image_.height - kWindow + 1;
    double sum = 0;
    for (Index top = 0; top < rows; ++top) sum += row_sum(top);
    return sum / static_cast<double>(rows * (image_.width - kWindow + 1));
  }

 private:
  [[nodiscard]] Row values(const Image& image, Index y) const {
    const float* row = image.pixels.data() + y * image.width * image.channels + channel_;
    return Eigen::Map<const Eigen::ArrayXf, 0, Eigen::InnerStride<>>(row, image.width,
                                                                     Eigen::InnerStride<>(image.channels))
        .cast<double>();
  }

  // The sum of similarities over windows whose top row is `top`.
  [[nodiscard]] double row_sum(Index top) const {
    std::array<Row, 5> vertical;  // weighted means of x, y, x², y², xy over the rows of the window
    vertical.fill(Row::Zero(image_.width));
    for (Index i = 0; i < kWindow; ++i) {
      const double weight = window_[static_cast<std::size_t>(i)];
      const Row x = values(image_, top + i);
      const Row y = values(reference_, top + i);
      vertical[0] += weight * x;
      vertical[1] += weight * y;
      vertical[2] += weight * x.square();
      vertical[3] += weight * y.square();
      vertical[4] += weight * x * y;
    }
    const Row x = horizontal(vertical[0]);
    const Row y = horizontal(vertical[1]);
    const Row xx = horizontal(vertical[2]) - x.square();
    const Row yy = horizontal(vertical[3]) - y.square();
    const Row xy = horizontal(vertical[4]) - x * y;
    constexpr double kC1 = (0.01 * kPeak) * (0.01 * kPeak);
    constexpr double kC2 = (0.03 * kPeak) * (0.03 * kPeak);
    return ((2 * x * y + kC1) * (2 * xy + kC2) / ((x.square() + y.square() + kC1) * (xx + yy + kC2))).sum();
  }

  [[nodiscard]] Row horizontal(const Row& row) const {
    const Index count = row.size() - kWindow + 1;
    Row means = Row::Zero(count);
    for (Index i = 0; i < kWindow; ++i) means += window_[static_cast<std::size_t>(i)] * row.segment(i, count);
    return means;
  }

  const Image& image_;
  const Image& reference_;
  Index channel_;
  Window window_ = gaussian_window();
};

}  // namespace

double psnr(const Image& image, const Image& reference) {
  require_same_shape(image, reference);
  double sum = 0;
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    const double difference = double{image.pixels[i]} - double{reference.pixels[i]};
    sum += difference * difference;
  }
  if (sum == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(kPeak * kPeak * static_cast<double>(image.pixels.size()) / sum);
}

double ssim(const Image& image, const Image& reference) {
  require_same_shape(image, reference);
  if (image.height < kWindow || image.width < kWindow) {
    throw data_error("image", fmt::format("{}×{} pixels; the structural similarity needs at least {}×{}", image.height,
                                          image.width, kWindow, kWindow));
  }
  double sum = 0;
  for (Index channel = 0; channel < image.channels; ++channel) sum += Similarity(image, reference, channel).mean();
  return sum / static_cast<double>(image.channels);
}

}  // namespace orthodict
