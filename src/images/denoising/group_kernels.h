// SPDX-License-Identifier: Apache-2.0
// The inner loops of denoising, for the widest vectors that the processor supports. A group is an array of patches or
// of their coefficients, one after the other; the number of patches is a power of two.
#pragma once

#include "orthodict/patches.h"
#include "orthodict/types.h"

namespace orthodict::images {

// distances[i] ← the squared distance of the patch at `reference` from the patch at `candidates + i`, for i < count, in
// images whose rows are `stride` values apart.
void patch_distances(const float* reference, const float* candidates, Index stride, const PatchShape& patch,
                     Index count, float* distances);

// The orthonormal Haar transform along a group of `count` patches of n coefficients, and its inverse. The first patch
// becomes the scaled mean. `scratch` has the group's size.
void haar(float* group, Index n, Index count, float* scratch);
void inverse_haar(float* group, Index n, Index count, float* scratch);

// Sets values below the threshold to zero, except the first. Returns the number of values kept.
float keep_large(float* values, Index size, float threshold);

// Multiplies each value, except the first, by the gain q²/(q² + variance), q being the pilot's value. Returns Σ gain²;
// the gain of the first is 1.
float apply_wiener(float* values, const float* pilot, Index size, float variance);

}  // namespace orthodict::images
