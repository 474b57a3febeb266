// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "orthodict/image.h"
#include "orthodict/types.h"

namespace orthodict::images {

// Throws Error, naming `name`, for an image of less than 8×8 pixels, which the estimates below need.
void require_estimable(const Image& image, const std::string& name);

// The deviation of noise in each plane: the median absolute coefficient of a frequency in the cosine transform of 8×8
// patches, scaled to the deviation of a Gaussian, for the three high frequencies where it is least. Patches
// with clipped pixels don't count if there are others. In a colour difference that was stored at half the resolution,
// noise has no high frequencies; there the mean of 2×2 pixels is used, too.
[[nodiscard]] std::vector<double> plane_noise(const Image& image);

// Noise whose variance depends on the mean μ of a value: gain·μ + offset.
struct SignalNoise {
  double gain = 0;
  double offset = 0;
  bool is_clear = false;  // the variance of bright patches is far above that of dark ones, and grows steadily
};
[[nodiscard]] SignalNoise signal_noise(const Image& image);

}  // namespace orthodict::images
