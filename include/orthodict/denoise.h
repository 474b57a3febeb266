// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "orthodict/export.h"
#include "orthodict/image.h"
#include "orthodict/model.h"
#include "orthodict/names.h"
#include "orthodict/patches.h"

namespace orthodict {

// The orthogonal transform of patches.
enum class Transform { kLearned, kL4, kDct };
template <>
ORTHODICT_EXPORT std::span<const Named<Transform>> names_of();

enum class Quality { kBest, kFast };
template <>
ORTHODICT_EXPORT std::span<const Named<Quality>> names_of();

// How the variance of the noise depends on the brightness.
enum class NoiseModel { kAuto, kGaussian, kPoisson };
template <>
ORTHODICT_EXPORT std::span<const Named<NoiseModel>> names_of();

struct ORTHODICT_EXPORT DenoiseOptions {
  PatchShape patch = {};  // at most 1024 pixels
  // Standard deviation of the noise, on the scale of 0 … 255; > 0. Default: estimated for each plane of the image.
  std::optional<double> sigma = {};
  // auto is gaussian if sigma is given. poisson estimates the noise; sigma must not be given.
  NoiseModel noise_model = NoiseModel::kAuto;
  // Coefficients below threshold·sigma are set to zero; > 0.
  double threshold = 2.7;
  Quality quality = Quality::kBest;
  Transform transform = Transform::kLearned;
  // A transform from DenoiseResult::model, to be used instead of learning one; `patch` and `transform` are ignored.
  // That of a grey image is used for all planes of a colour image, and that of brightness for a grey image.
  std::optional<Model> model = {};
  // Seed of the choice of patches to learn from, and of the start of l4.
  std::uint64_t seed = 0;
  // Number of threads, 1 … 4096. Default: one per core. The result doesn't depend on it.
  std::optional<int> threads = {};
  // A stop request ends denoising soon, with Error (Fault::kStopped).
  std::stop_token stop = {};
  // Called by the calling thread with the share of the work that is done, 0 … 1.
  std::function<void(double)> progress = {};

  // Throws Error that names the first invalid option, its value and the legal values.
  void validate() const;
};

struct ORTHODICT_EXPORT DenoiseResult {
  Image image = {};  // same shape and depth as the noisy image; values within 0 … 255, except at a depth of 32
  // Deviation of the noise, given or estimated: the root of its mean variance over planes, and over pixels.
  double sigma = 0;
  // kGaussian or kPoisson. Poisson–Gaussian noise of a mean μ has the variance gain·μ + offset.
  NoiseModel noise_model = NoiseModel::kGaussian;
  double gain = 0;
  double offset = 0;
  double kept = 0;     // mean number of coefficients kept per patch, without the constant one
  int iterations = 0;  // of learning
  Model model = {};    // the transform: an orthogonal dictionary, constant atoms first
  // A transform was learned that has more than half as many numbers as the image has pixels, so that it may fit the
  // noise.
  bool too_few_patches = false;
};

// Removes white noise. Each pass transforms the patches of the image, shrinks their coefficients and averages the
// resulting patches: the first sets coefficients below the threshold to zero, the last is a Wiener filter with the
// result of the first as the signal. Groups of similar patches are shrunk together, with a Haar transform along each
// group (as BM3D does). The learned transform is the result of match, stretch, project on patches of the noisy image,
// with hard thresholding as the stretch and the cosine transform as the start. Colour images are rotated to brightness
// and two differences, which have their own transforms and noise. Noise that was clipped at 0 or 255 is accounted for.
// Poisson–Gaussian noise is stabilized before. Throws Error for invalid options, and for an image that is smaller than
// a patch; `name` is the image's name in messages. Needs memory for the image, if it is moved into the argument, and
// for some rows of it.
[[nodiscard]] ORTHODICT_EXPORT DenoiseResult denoise(Image noisy, const DenoiseOptions& options = {},
                                                     const std::string& name = "image");

// Estimates the standard deviation of white noise in an image: the root mean square of that of its planes. Texture that
// has all high frequencies is taken for noise. Throws Error for an image of less than 8×8 pixels.
[[nodiscard]] ORTHODICT_EXPORT double estimate_noise(const Image& image, const std::string& name = "image");

}  // namespace orthodict
