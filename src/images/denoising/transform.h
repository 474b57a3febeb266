// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/denoise.h"

namespace orthodict::images {

// An orthogonal transform of patches, atoms in rows; the first is constant and not learned.
struct PatchTransform {
  RowMatrix<double> atoms;
  int iterations = 0;
};

// The transform that the options ask for, learned from some patches of the grey image where it is learned.
// `options.sigma` is set.
[[nodiscard]] PatchTransform make_transform(const Image& image, const DenoiseOptions& options);

}  // namespace orthodict::images
