// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "orthodict/stretch.h"

namespace orthodict::stretch {

// The built-in functions φ, and their parameters, in the order of the names: Q, MU, TAU, or THETA, S0 and S1.
enum class Formula { kPower3, kPower4, kPower6, kPower8, kPower10, kPower, kSoft, kHard, kLogCosh, kMixture };
using Parameters = std::array<double, 3>;

// Stretch::apply() or apply_to_complex() for a built-in φ, with the widest vectors that the processor supports.
enum class Coefficients { kReal, kComplex };
void apply(Coefficients coefficients, Formula formula, const Parameters& parameters, float* z, Index atoms, Index count,
           const StretchSums<float>& sums);
void apply(Coefficients coefficients, Formula formula, const Parameters& parameters, double* z, Index atoms,
           Index count, const StretchSums<double>& sums);

}  // namespace orthodict::stretch
