// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "files.h"
#include "orthodict/image.h"

namespace orthodict {
namespace {

// A slope with noise that depends on `step`.
Image noisy_slope(Index height, Index width, Index channels, Index step) {
  Image image{.height = height, .width = width, .channels = channels};
  for (Index i = 0; i < height * width * channels; ++i) {
    const Index y = i / (width * channels);
    const Index x = i / channels % width;
    image.pixels.push_back(static_cast<float>((3 * y + 5 * x + 40 * (i % channels)) % 200 + step * i % 56));
  }
  return image;
}

// Variances are differences of means of squares below 255², each of which 22 summands round; they stand beside the
// constant C2 = (0.03·255)² in a quotient, of which two are multiplied. Two computations may err.
constexpr double kSsimRounding = 2 * 2 * 2 * 22 * 255 * 255 * std::numeric_limits<double>::epsilon() / (7.65 * 7.65);

// From scikit-image 0.26: structural_similarity(a, b, gaussian_weights=True, sigma=1.5, use_sample_covariance=False,
// data_range=255, channel_axis=2) and peak_signal_noise_ratio(b, a, data_range=255).
TEST(ImageQuality, IsWhatOthersMeasure) {
  const auto grey = [](Index step) { return noisy_slope(31, 45, 1, step); };
  const auto color = [](Index step) { return noisy_slope(31, 45, 3, step); };
  EXPECT_NEAR(ssim(grey(7919), grey(104729)), 0.49483770049428644, kSsimRounding);
  EXPECT_NEAR(ssim(color(7919), color(104729)), 0.5028623108721143, kSsimRounding);
  // Squares of integers are summed exactly; only a logarithm and a quotient round, in both programs.
  constexpr double kPsnrRounding = 4 * 22 * std::numeric_limits<double>::epsilon();
  EXPECT_NEAR(psnr(grey(7919), grey(104729)), 21.488631232252512, kPsnrRounding);
  EXPECT_NEAR(psnr(color(7919), color(104729)), 21.486428368995018, kPsnrRounding);
}

// The definition, window by window.
double direct_ssim(const Image& a, const Image& b) {
  double weights[11][11];
  double total = 0;
  for (int i = 0; i < 11; ++i) {
    for (int j = 0; j < 11; ++j) {
      total += weights[i][j] = std::exp(-((i - 5) * (i - 5) + (j - 5) * (j - 5)) / (2 * 1.5 * 1.5));
    }
  }
  double sum = 0;
  for (Index top = 0; top + 11 <= a.height; ++top) {
    for (Index left = 0; left + 11 <= a.width; ++left) {
      double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
      for (int i = 0; i < 11; ++i) {
        for (int j = 0; j < 11; ++j) {
          const double weight = weights[i][j] / total;
          const double u = a.at(top + i, left + j);
          const double v = b.at(top + i, left + j);
          x += weight * u, y += weight * v, xx += weight * u * u, yy += weight * v * v, xy += weight * u * v;
        }
      }
      const double c1 = 2.55 * 2.55, c2 = 7.65 * 7.65;
      sum += (2 * x * y + c1) * (2 * (xy - x * y) + c2) / ((x * x + y * y + c1) * (xx - x * x + yy - y * y + c2));
    }
  }
  return sum / static_cast<double>((a.height - 10) * (a.width - 10));
}

TEST(ImageQuality, FollowsTheDefinition) {
  for (const auto& [height, width] : {std::pair<Index, Index>{11, 11}, {12, 11}, {11, 40}, {33, 20}}) {
    const Image a = noisy_slope(height, width, 1, 7919);
    const Image b = noisy_slope(height, width, 1, 31);
    // The direct sums have 121 summands instead of 22.
    EXPECT_NEAR(ssim(a, b), direct_ssim(a, b), 6 * kSsimRounding);
  }
}

TEST(ImageQuality, OfTheSameImageIsTheBest) {
  const Image image = noisy_slope(20, 20, 3, 7919);
  EXPECT_EQ(psnr(image, image), std::numeric_limits<double>::infinity());
  EXPECT_NEAR(ssim(image, image), 1, kSsimRounding);
}

TEST(ImageQuality, WantsImagesOfOneShape) {
  const Image image = noisy_slope(20, 20, 1, 1);
  const auto refusal = [&](const Image& other) {
    EXPECT_MENTIONS(test::message_of([&] { static_cast<void>(ssim(other, image)); }), "image: ");
    return test::message_of([&] { static_cast<void>(psnr(other, image)); });
  };
  EXPECT_MENTIONS(refusal(noisy_slope(20, 21, 1, 1)), "20×21×1, but the reference is 20×20×1");
  EXPECT_MENTIONS(refusal(noisy_slope(19, 20, 1, 1)), "19×20×1");
  EXPECT_MENTIONS(refusal(noisy_slope(20, 20, 3, 1)), "20×20×3");
  EXPECT_MENTIONS(refusal(Image{}), "0×0×1");
  const Image small = noisy_slope(10, 20, 1, 1);
  EXPECT_MENTIONS(test::message_of([&] { static_cast<void>(ssim(small, small)); }), "needs at least 11×11");
}

}  // namespace
}  // namespace orthodict
