// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/stretch.h"

namespace orthodict::stretch {

// The functions φ that are built in. `parameter` is Q, MU or TAU of make_stretch(), where the formula has one.
enum class Formula { kPower3, kPower4, kPower6, kPower8, kPower10, kPower, kSoft, kHard, kLogCosh };

// Stretch::apply() for a built-in φ, with the widest vectors of the processor at hand.
void apply(Formula formula, double parameter, float* z, Index atoms, Index count, const StretchSums<float>& sums);
void apply(Formula formula, double parameter, double* z, Index atoms, Index count, const StretchSums<double>& sums);

}  // namespace orthodict::stretch
