// SPDX-License-Identifier: Apache-2.0
#include "orthodict/denoise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stop_token>

#include "images/denoising/cosine.h"
#include "images/denoising/noise.h"
#include "images/denoising/passes.h"
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
  const std::vector<images::Plane> planes = images::split_rows(image, 0, 16);
  ASSERT_EQ(planes.size(), 3);
  EXPECT_NEAR(planes[0](0, 7), (image.pixels[21] + image.pixels[22] + image.pixels[23]) / std::sqrt(3.0), 1e-4);
  EXPECT_NEAR(planes[1](0, 7), (image.pixels[21] - image.pixels[23]) / std::sqrt(2.0), 1e-4);
  EXPECT_NEAR(images::plane_of(image, 1).pixels[7], planes[1](0, 7), 1e-4);
  Image joined = image;
  std::fill(joined.pixels.begin(), joined.pixels.end(), 0.0F);
  images::join_rows(images::split_rows(image, 0, 5), 0, &joined);
  images::join_rows(images::split_rows(image, 5, 16), 5, &joined);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) ASSERT_NEAR(joined.pixels[i], image.pixels[i], 1e-4);
  const Image grey = stripes(16);
  Image back = grey;
  images::join_rows(images::split_rows(grey, 0, 16), 0, &back);
  EXPECT_EQ(back.pixels, grey.pixels);
}

// A coefficient of the joined dictionary equals that of the plane's atom within the plane.
TEST(Planes, AtomsOfPlanesAreJoinedInTheOrderOfPixels) {
  const Image image = with_noise(stripes(4, 3), 20);
  const RowMatrix<double> cosines = images::cosine_transform({4, 4});
  const RowMatrix<double> atoms = images::join_atoms({cosines, cosines, cosines});
  EXPECT_LT((atoms * atoms.transpose() - identity(48)).norm(), 1e-13);
  const Vector<double> codes = atoms * Eigen::Map<const Vector<float>>(image.pixels.data(), 48).cast<double>();
  for (Index plane = 0; plane < 3; ++plane) {
    const std::vector<float> pixels = images::plane_of(image, plane).pixels;
    const Vector<double> expected = cosines * Eigen::Map<const Vector<float>>(pixels.data(), 16).cast<double>();
    EXPECT_NEAR(codes[plane], expected[0], 1e-3);
    EXPECT_LT((codes.segment(3 + 15 * plane, 15) - expected.tail(15)).norm(), 1e-3);
  }
  for (const RowMatrix<double>& plane : images::split_atoms(atoms, 3)) EXPECT_LT((plane - cosines).norm(), 1e-13);
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

// Chroma at half the resolution has no noise at high frequencies, and clipped pixels have less.
TEST(EstimateNoise, HoldsForEachPlane) {
  Image image = with_noise(flat(128, 128, 128, 3), 20);
  std::vector<images::Plane> planes = images::split_rows(image, 0, 128);
  for (const int plane : {1, 2}) {
    images::Plane& rows = planes[static_cast<std::size_t>(plane)];
    for (Index y = 0; y < 128; y += 2) {
      for (Index x = 0; x < 128; x += 2) rows.block<2, 2>(y, x).setConstant(rows.block<2, 2>(y, x).mean());
    }
  }
  images::join_rows(planes, 0, &image);
  for (const double sigma : images::plane_noise(image)) EXPECT_NEAR(sigma, 20, 3);
}

TEST(EstimateNoise, IsNotMisledByClippedPixels) {
  Image image = with_noise(stripes(256), 40);
  for (Index y = 0; y < 180; ++y) {
    for (Index x = 0; x < 256; ++x) image.at(y, x) -= 110;
  }
  for (float& pixel : image.pixels) pixel = std::clamp(std::round(pixel), 0.0F, 255.0F);
  EXPECT_NEAR(estimate_noise(image), 40, 3);
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
    const DenoiseResult again = denoise(noisy, {.model = result.model});
    EXPECT_EQ(again.image.pixels, result.image.pixels);
    EXPECT_EQ(again.iterations, 0);
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
  EXPECT_EQ(refused({.sigma = 3, .noise_model = NoiseModel::kPoisson}, image).first, Fault::kOption);
  Model oblique = denoise(image, {.sigma = 5}).model;
  oblique.dictionary(3, 4) += 0.1;
  EXPECT_EQ(refused({.model = oblique}, image).first, Fault::kOption);
  EXPECT_EQ(denoise(flat(7, 7), {.patch = {4, 4}, .sigma = 1}).image.height, 7);
  Image broken = image;
  broken.pixels[5] = static_cast<float>(nan);
  EXPECT_EQ(refused({}, broken).first, Fault::kData);
}

TEST(Denoise, BestIsAheadOfFast) {
  const Image clean = stripes(96);
  const Image noisy = with_noise(clean, 30);
  const auto quality = [&](Quality of) { return psnr(denoise(noisy, {.sigma = 30, .quality = of}).image, clean); };
  EXPECT_GT(quality(Quality::kBest), quality(Quality::kFast) + 0.2);
}

// Clipping at 0 raises the mean of dark pixels: of a flat image of 5 by σφ(μ/σ) − μΦ(−μ/σ) = 7.7 at σ = 25.
TEST(Denoise, UndoesTheBiasOfClipping) {
  for (const float value : {5.0F, 250.0F}) {
    Image noisy = with_noise(flat(128, 128, value), 25);
    for (float& pixel : noisy.pixels) pixel = std::clamp(std::round(pixel), 0.0F, 255.0F);
    const Image result = denoise(noisy, {.sigma = 25}).image;
    double mean = 0;
    for (const float pixel : result.pixels)
      mean += static_cast<double>(pixel) / static_cast<double>(result.pixels.size());
    EXPECT_NEAR(mean, value, 2);
  }
}

// A ramp with noise of variance 2μ + 30.
TEST(Denoise, FindsNoiseThatGrowsWithTheBrightness) {
  Image clean = flat(192, 192);
  for (Index y = 0; y < 192; ++y) {
    for (Index x = 0; x < 192; ++x) clean.at(y, x) = 30 + static_cast<float>(x);
  }
  const random::Stream noise(3, random::Purpose::kNoise);
  Image noisy = clean;
  for (std::size_t i = 0; i < noisy.pixels.size(); ++i) {
    const double deviation = std::sqrt(2 * static_cast<double>(clean.pixels[i]) + 30);
    noisy.pixels[i] += static_cast<float>(deviation * noise.normal(static_cast<Index>(i), 0));
  }
  const DenoiseResult found = denoise(noisy);
  EXPECT_EQ(found.noise_model, NoiseModel::kPoisson);
  EXPECT_NEAR(found.gain * 120 + found.offset, 270, 40);
  EXPECT_GT(psnr(found.image, clean), psnr(denoise(noisy, {.noise_model = NoiseModel::kGaussian}).image, clean));
  EXPECT_EQ(denoise(with_noise(clean, 15)).noise_model, NoiseModel::kGaussian);
}

// Rows come out the same whether the image is one strip or many.
TEST(Denoise, DoesNotDependOnStrips) {
  const images::Transforms transforms{
      .patch = {8, 8}, .atoms = {images::cosine_transform({8, 8}).cast<float>()}, .sigma = {20}};
  const Image noisy = with_noise(stripes(150), 20);
  const std::vector<images::Pass> passes = {
      {.strength = 2.7, .step = 3, .search = {.window = 9, .most = 8, .reach = 4}},
      {.shrinkage = images::Pass::Shrinkage::kWiener,
       .strength = 1,
       .step = 3,
       .search = {.window = 9, .most = 8, .reach = 1}}};
  const auto filtered = [&](Index strip) {
    Image image = noisy;
    engine::Workers workers(2);
    (void)images::run_passes(passes, transforms, strip, &image, &workers, {}, [] {});
    return image;
  };
  const Image whole = filtered(1'000'000);
  const Image cut = filtered(150 * 20);
  for (std::size_t i = 0; i < whole.pixels.size(); ++i) ASSERT_NEAR(cut.pixels[i], whole.pixels[i], 1e-2);
}

TEST(Denoise, ReportsProgressAndKeepsAlpha) {
  Image noisy = with_noise(stripes(64), 20);
  noisy.alpha.assign(noisy.pixels.size(), 7);
  std::vector<double> shares;
  const DenoiseResult result =
      denoise(noisy, {.sigma = 20, .threads = 1, .progress = [&](double share) { shares.push_back(share); }});
  EXPECT_EQ(result.image.alpha, noisy.alpha);
  ASSERT_GT(shares.size(), 10);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_GT(shares.back(), 0.9);
}

TEST(Denoise, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  const auto fault = test::error_of([&] { (void)denoise(stripes(64), {.sigma = 10, .stop = stop.get_token()}); }).first;
  EXPECT_EQ(fault, Fault::kStopped);
}

}  // namespace
}  // namespace orthodict
