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

// Which orthogonal transform of patches makes pictures sparse.
enum class Transform { kLearned, kL4, kDct };
template <>
ORTHODICT_EXPORT std::span<const Named<Transform>> names_of();

struct ORTHODICT_EXPORT DenoiseOptions {
  PatchShape patch = {};  // of at most 1024 pixels
  // Standard deviation of the noise, on the scale of 0 … 255; > 0. Unset: estimate_noise() of the image.
  std::optional<double> sigma = {};
  // Coefficients of at least threshold·sigma are kept; > 0.
  double threshold = 2.7;
  Transform transform = Transform::kLearned;
  // Of the patches that are learned from, and of the start of l4. Every integer is just a seed.
  std::uint64_t seed = 0;
  // Threads to use, 1 … 4096. Unset: as many as the machine has. The result doesn't depend on it.
  std::optional<int> threads = {};
  // Denoising ends soon after a stop is requested, with Error (Fault::kStopped).
  std::stop_token stop = {};

  // Throws Error that names the first option that isn't legal, its value and what is legal.
  void validate() const;
};

struct ORTHODICT_EXPORT DenoiseResult {
  Image image = {};    // of the noisy image's shape and depth; values within 0 … 255
  double sigma = 0;    // given or estimated
  double kept = 0;     // mean number of coefficients that a patch kept, the constants not counted
  int iterations = 0;  // of learning
  Model model = {};    // the transform: an orthogonal dictionary of patches, the constant atoms first
};

// Removes white Gaussian noise: every patch of the image is transformed, coefficients below the threshold become zero,
// and the patches are put back where they were, weighing 1/(1 + number of coefficients kept). The constant atom isn't
// learned and its coefficient always kept. The learned transform is match, stretch, project with the hard threshold as
// its stretch, on patches of the noisy image itself, from the cosine transform on. Colour is rotated into brightness
// and two differences, each of which is treated so on its own. Throws Error for bad options, and for an image that is
// smaller than a patch, which it calls `name`.
[[nodiscard]] ORTHODICT_EXPORT DenoiseResult denoise(const Image& noisy, const DenoiseOptions& options = {},
                                                     const std::string& name = "image");

// Standard deviation of white noise in an image: the smallest, over high frequencies of the cosine transform of 8×8
// patches, of the median absolute coefficient, scaled to the deviation of a Gaussian. Texture at all those frequencies
// counts as noise. Values that were clipped to 0 … 255 have lost noise, which makes it too small. Throws
// Error for an image of less than 8×8 pixels.
[[nodiscard]] ORTHODICT_EXPORT double estimate_noise(const Image& image, const std::string& name = "image");

}  // namespace orthodict
