// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/denoise.h"

namespace orthodict::images {

// An orthogonal transform of patches, with atoms in rows. The first atom is constant and isn't learned.
struct PatchTransform {
  RowMatrix<double> atoms;
  int iterations = 0;
};

// Returns the transform that the options select. A learned one is learned from patches of the grey image.
// `options.sigma` must be set.
[[nodiscard]] PatchTransform make_transform(const Image& image, const DenoiseOptions& options);

}  // namespace orthodict::images
