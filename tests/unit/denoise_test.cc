// SPDX-License-Identifier: Apache-2.0
#include "orthodict/denoise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stop_token>

#include "images/denoising/cosine.h"
#include "images/denoising/planes.h"
#include "random/stream.h"
#include "support.h"

namespace orthodict {
namespace {

Image flat(Index height, Index width, float value = 128, Index channels = 1) {
  Image image{.height = height, .width = width, .channels = channels};
  image.pixels.assign(static_cast<std::size_t>(height * width * channels), value);
  return image;
}

// Stripes at an angle that no cosine pattern has, in patches of one direction and of another.
Image stripes(Index side, Index channels = 1) {
  Image image = flat(side, side, 128, channels);
  for (Index y = 0; y < side; ++y) {
    for (Index x = 0; x < side; ++x) {
      const double phase = y < side / 2 ? 0.9 * static_cast<double>(x) + 0.5 * static_cast<double>(y)
                                        : 0.4 * static_cast<double>(x) - 1.1 * static_cast<double>(y);
      for (Index c = 0; c < channels; ++c) {
        image.at(y, x, c) += static_cast<float>(60 * std::sin(phase) / static_cast<double>(c + 1));
      }
    }
  }
  return image;
}

Image with_noise(Image image, double sigma, std::uint64_t seed = 1) {
  const random::Stream noise(seed, random::Purpose::kNoise);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    image.pixels[i] += static_cast<float>(sigma * noise.normal(static_cast<Index>(i), 0));
  }
  return image;
}

double psnr_with(Transform transform, const Image& noisy, const Image& clean) {
  return psnr(denoise(noisy, {.sigma = 20, .transform = transform}).image, clean);
}

RowMatrix<double> identity(Index n) { return RowMatrix<double>::Identity(n, n); }

TEST(CosineTransform, IsOrthogonalWithTheConstantFirst) {
  const RowMatrix<double> atoms = images::cosine_transform({4, 6});
  ASSERT_EQ(atoms.rows(), 24);
  EXPECT_LT((atoms * atoms.transpose() - identity(24)).norm(), 1e-13);
  EXPECT_LT((atoms.row(0).array() - 1 / std::sqrt(24.0)).matrix().norm(), 1e-14);
}

TEST(Planes, AreARotationOfTheChannels) {
  const Image image = with_noise(stripes(16, 3), 20);
  const std::vector<Image> planes = images::split_planes(image);
  ASSERT_EQ(planes.size(), 3);
  EXPECT_NEAR(planes[0].pixels[7], (image.pixels[21] + image.pixels[22] + image.pixels[23]) / std::sqrt(3.0), 1e-4);
  EXPECT_NEAR(planes[1].pixels[7], (image.pixels[21] - image.pixels[23]) / std::sqrt(2.0), 1e-4);
  const Image joined = images::join_planes(planes);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) ASSERT_NEAR(joined.pixels[i], image.pixels[i], 1e-4);
  const Image grey = stripes(16);
  EXPECT_EQ(images::join_planes(images::split_planes(grey)).pixels, grey.pixels);
}

// A coefficient of the joined dictionary equals that of the plane's atom within the plane.
TEST(Planes, AtomsOfPlanesAreJoinedInTheOrderOfPixels) {
  const Image image = with_noise(stripes(4, 3), 20);
  const RowMatrix<double> cosines = images::cosine_transform({4, 4});
  const RowMatrix<double> atoms = images::join_atoms({cosines, cosines, cosines});
  EXPECT_LT((atoms * atoms.transpose() - identity(48)).norm(), 1e-13);
  const Vector<double> codes = atoms * Eigen::Map<const Vector<float>>(image.pixels.data(), 48).cast<double>();
  const std::vector<Image> planes = images::split_planes(image);
  for (Index plane = 0; plane < 3; ++plane) {
    const auto& pixels = planes[static_cast<std::size_t>(plane)].pixels;
    const Vector<double> expected = cosines * Eigen::Map<const Vector<float>>(pixels.data(), 16).cast<double>();
    EXPECT_NEAR(codes[plane], expected[0], 1e-3);
    EXPECT_LT((codes.segment(3 + 15 * plane, 15) - expected.tail(15)).norm(), 1e-3);
  }
}

// The median of |z| of p independent values has the relative deviation 1.17/√p. Here 40 000 patches overlap, each pixel
// being in up to 64, and the least of 21 frequencies is taken: three deviations of 40 000/64 values are 14 %.
TEST(EstimateNoise, FindsTheDeviationOfWhiteNoise) {
  for (const double sigma : {2.0, 25.0}) {
    EXPECT_NEAR(estimate_noise(with_noise(flat(256, 256), sigma)), sigma, 0.14 * sigma);
    EXPECT_NEAR(estimate_noise(with_noise(stripes(128, 3), sigma)), sigma, 0.14 * sigma);
  }
  EXPECT_LT(estimate_noise(flat(20, 30)), 1e-4);  // rounding of single precision at 128
}

TEST(EstimateNoise, RefusesWhatIsNoImage) {
  const auto refused = [](const Image& image) {
    return test::error_of([&] { (void)estimate_noise(image); }).first == Fault::kData;
  };
  EXPECT_TRUE(refused({.height = 100, .width = 100, .channels = 3}));
  EXPECT_TRUE(refused(flat(7, 20)));
  Image broken = flat(20, 20);
  broken.pixels[3] = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(refused(broken));
}

TEST(Denoise, LearnedTransformsAreAheadOfCosines) {
  const Image clean = stripes(128);
  const Image noisy = with_noise(clean, 20);
  const double dct = psnr_with(Transform::kDct, noisy, clean);
  EXPECT_GT(dct, psnr(noisy, clean) + 5);
  EXPECT_GT(psnr_with(Transform::kLearned, noisy, clean), dct + 1);
  EXPECT_GT(psnr_with(Transform::kL4, noisy, clean), dct + 1);
}

TEST(Denoise, ColourIsCleanedToo) {
  const Image clean = stripes(96, 3);
  const Image noisy = with_noise(clean, 20);
  const DenoiseResult result = denoise(noisy, {.sigma = 20});
  EXPECT_EQ(result.image.channels, 3);
  EXPECT_EQ(sample_shape(result.model), (std::vector<Index>{8, 8, 3}));
  EXPECT_GT(psnr(result.image, clean), psnr(noisy, clean) + 8);
}

TEST(Denoise, GivesTheSameBitsForAnyNumberOfThreads) {
  const Image noisy = with_noise(stripes(70), 20);
  const DenoiseResult one = denoise(noisy, {.threads = 1});
  const DenoiseResult three = denoise(noisy, {.threads = 3});
  EXPECT_EQ(one.image.pixels, three.image.pixels);
  EXPECT_EQ(one.kept, three.kept);
  EXPECT_EQ(one.model.dictionary, three.model.dictionary);
}

TEST(Denoise, ReturnsTheTransformItUsed) {
  const Image noisy = with_noise(stripes(64), 20);
  for (const Transform transform : {Transform::kLearned, Transform::kL4, Transform::kDct}) {
    const DenoiseResult result = denoise(noisy, {.patch = {6, 8}, .transform = transform});
    const RowMatrix<double>& atoms = result.model.dictionary;
    EXPECT_EQ(sample_shape(result.model), (std::vector<Index>{6, 8}));
    // Learned in single precision's sums, projected in double.
    EXPECT_LT((atoms * atoms.transpose() - identity(48)).norm(), 1e-12);
    EXPECT_LT((atoms.row(0).array() - 1 / std::sqrt(48.0)).matrix().norm(), 1e-13);
    EXPECT_EQ(result.iterations > 0, transform != Transform::kDct);
  }
}

TEST(Denoise, NoiseAloneBecomesFlat) {
  const Image clean = flat(100, 100);
  const Image noisy = with_noise(clean, 10);
  const DenoiseResult result = denoise(noisy, {.sigma = 10});
  // Of 63 coefficients 0.7 % exceed 2.7 deviations by chance.
  EXPECT_LT(result.kept, 1);
  EXPECT_GT(psnr(result.image, clean), psnr(noisy, clean) + 10);
}

TEST(Denoise, KeepsWhatHasNoNoise) {
  for (const Image& image : {flat(8, 8, 255), flat(9, 40, 0), stripes(24)}) {
    const DenoiseResult result = denoise(image, {.sigma = 1e-3});
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
      ASSERT_NEAR(result.image.pixels[i], std::min(255.0F, std::max(0.0F, image.pixels[i])), 0.02);
    }
  }
  const Image constant = flat(16, 16, 77);
  EXPECT_LT(std::abs(denoise(constant).image.pixels[100] - 77), 1e-3);  // no variation to estimate noise from
}

TEST(Denoise, KeepsTheDepthAndTheRange) {
  Image noisy = with_noise(flat(32, 32, 254), 30);
  noisy.depth = 16;
  const DenoiseResult result = denoise(noisy, {.sigma = 1});
  EXPECT_EQ(result.image.depth, 16);
  EXPECT_LE(*std::max_element(result.image.pixels.begin(), result.image.pixels.end()), 255);
}

TEST(Denoise, RefusesWhatIsNotLegal) {
  const Image image = stripes(32);
  const auto refused = [&](const DenoiseOptions& options, const Image& noisy) {
    return test::error_of([&] { (void)denoise(noisy, options); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(refused({.sigma = bad}, image).first, Fault::kOption);
    EXPECT_EQ(refused({.threshold = bad}, image).first, Fault::kOption);
  }
  EXPECT_EQ(refused({.threads = 0}, image).first, Fault::kOption);
  EXPECT_EQ(refused({.patch = {0, 8}}, image).first, Fault::kOption);
  EXPECT_EQ(refused({.patch = {33, 32}}, image).first, Fault::kOption);
  EXPECT_EQ(refused({.patch = {Index{1} << 40, Index{1} << 40}}, image).first, Fault::kOption);
  EXPECT_EQ(refused({.patch = {33, 8}}, image).first, Fault::kData);
  EXPECT_EQ(refused({.patch = {4, 4}}, flat(7, 7)).first, Fault::kData);  // too small for an estimate
  EXPECT_EQ(denoise(flat(7, 7), {.patch = {4, 4}, .sigma = 1}).image.height, 7);
  Image broken = image;
  broken.pixels[5] = static_cast<float>(nan);
  EXPECT_EQ(refused({}, broken).first, Fault::kData);
}

TEST(Denoise, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  const auto fault = test::error_of([&] { (void)denoise(stripes(64), {.sigma = 10, .stop = stop.get_token()}); }).first;
  EXPECT_EQ(fault, Fault::kStopped);
}

}  // namespace
}  // namespace orthodict
