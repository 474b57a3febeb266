// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "orthodict/stretch.h"

namespace orthodict::stretch {

// The functions φ that are built in, and the numbers after the colon in their names.
enum class Formula { kPower3, kPower4, kPower6, kPower8, kPower10, kPower, kSoft, kHard, kLogCosh, kMixture };
using Parameters = std::array<double, 3>;

// Stretch::apply() for a built-in φ, with the widest vectors of the processor at hand.
void apply(Formula formula, const Parameters& parameters, float* z, Index atoms, Index count,
           const StretchSums<float>& sums);
void apply(Formula formula, const Parameters& parameters, double* z, Index atoms, Index count,
           const StretchSums<double>& sums);

}  // namespace orthodict::stretch
