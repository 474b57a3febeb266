// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orthodict/denoise.h"

namespace orthodict::images {

// An orthogonal transform of patches, with atoms in rows. The first atom is constant and isn't learned.
struct PatchTransform {
  RowMatrix<double> atoms;
  int iterations = 0;
  bool too_few_patches = false;  // as in DenoiseResult
};

// Returns the transform that the options select. A learned one is learned from patches of the plane, a grey image.
[[nodiscard]] PatchTransform make_transform(Image plane, double sigma, const DenoiseOptions& options);

// The planes' transforms in a model that denoise() returned, for an image of this many channels. Throws Error (option
// "model") for others.
[[nodiscard]] std::vector<RowMatrix<double>> transforms_of(const Model& model, Index channels, PatchShape* patch);

}  // namespace orthodict::images
