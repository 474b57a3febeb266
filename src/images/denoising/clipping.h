// SPDX-License-Identifier: Apache-2.0
// Noise that is cut off at 0 and at 255, as in files of integers.
#pragma once

#include <vector>

#include "orthodict/image.h"

namespace orthodict::images {

struct Clipping {
  bool low = false;   // at 0
  bool high = false;  // at 255
};
[[nodiscard]] Clipping find_clipping(const Image& image);

// The deviation of noise before it was clipped, from that of clipped values, whose means are `clipped_means`.
[[nodiscard]] double unclipped_deviation(const Clipping& clipping, double deviation,
                                         const std::vector<double>& clipped_means);

// Clipping noise shifts the mean of values near 0 and 255. Replaces means of clipped values by the mean before
// clipping, for Gaussian noise of the deviation of each channel.
void undo_clipping_bias(const Clipping& clipping, const std::vector<double>& sigma, Image* image);

}  // namespace orthodict::images
