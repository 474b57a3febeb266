// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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

struct ORTHODICT_EXPORT DenoiseOptions {
  PatchShape patch = {};  // at most 1024 pixels
  // Standard deviation of the noise, on the scale of 0 … 255; > 0. Default: estimate_noise() of the image.
  std::optional<double> sigma = {};
  // Coefficients below threshold·sigma are set to zero; > 0.
  double threshold = 2.7;
  Transform transform = Transform::kLearned;
  // Seed of the choice of patches to learn from, and of the start of l4.
  std::uint64_t seed = 0;
  // Number of threads, 1 … 4096. Default: one per core. The result doesn't depend on it.
  std::optional<int> threads = {};
  // A stop request ends denoising soon, with Error (Fault::kStopped).
  std::stop_token stop = {};

  // Throws Error that names the first invalid option, its value and the legal values.
  void validate() const;
};

struct ORTHODICT_EXPORT DenoiseResult {
  Image image = {};    // same shape and depth as the noisy image; values within 0 … 255
  double sigma = 0;    // given or estimated
  double kept = 0;     // mean number of coefficients kept per patch, without the constant one
  int iterations = 0;  // of learning
  Model model = {};    // the transform: an orthogonal dictionary, constant atoms first
};

// Removes white Gaussian noise. Every patch of the image is transformed, coefficients below the threshold are set to
// zero, and the result is the average of the inversely transformed patches, weighted by 1/(1 + number of coefficients
// kept). The constant atom isn't learned, and its coefficient is always kept. The learned transform is the result of
// match, stretch, project on patches of the noisy image, with hard thresholding as the stretch and the cosine transform
// as the start. Colour images are rotated to brightness and two differences, which are denoised separately. Throws
// Error for invalid options, and for an image that is smaller than a patch; `name` is the image's name in messages.
[[nodiscard]] ORTHODICT_EXPORT DenoiseResult denoise(const Image& noisy, const DenoiseOptions& options = {},
                                                     const std::string& name = "image");

// Estimates the standard deviation of white noise in an image: the median absolute coefficient of a frequency in the
// cosine transform of 8×8 patches, scaled to the deviation of a Gaussian, minimized over the high frequencies. Texture
// that has all these frequencies is taken for noise. Clipping to 0 … 255 makes the estimate too small. Throws Error for
// an image of less than 8×8 pixels.
[[nodiscard]] ORTHODICT_EXPORT double estimate_noise(const Image& image, const std::string& name = "image");

}  // namespace orthodict
