// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "images/denoising/noise.h"
#include "orthodict/image.h"

namespace orthodict::images {

// Makes noise of variance gain·μ + offset nearly Gaussian, with variance 1: the generalized Anscombe transform. gain >
// 0.
void stabilize(const SignalNoise& noise, Image* image);
// Replaces denoised stabilized values by estimates of the mean: the exact unbiased inverse, in closed form (Mäkitalo
// and Foi, IEEE Trans. Image Processing 22, 2013).
void unstabilize(const SignalNoise& noise, Image* image);

}  // namespace orthodict::images
