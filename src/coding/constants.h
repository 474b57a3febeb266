// SPDX-License-Identifier: Apache-2.0
// What coders decide by. Sizes are in units of the sample's norm, since coders see samples scaled to about 1.
#pragma once

#include "orthodict/types.h"

namespace orthodict::coding {

inline constexpr Index kBlock = 256;  // samples per task

template <typename Scalar>
inline constexpr bool kIsSingle = sizeof(Scalar) == sizeof(float);

// Correlations with the residual have errors of a few units in the last place of ‖y‖.
template <typename Scalar>
inline constexpr double kRounding = kIsSingle<Scalar> ? 1e-6 : 1e-13;

// The squared distance of an atom from the span of others, relative to its square, below which it counts as dependent.
template <typename Scalar>
inline constexpr double kDependent = kIsSingle<Scalar> ? 1e-5 : 1e-12;

// By how much a code of the lasso may violate its conditions, relative to λ.
template <typename Scalar>
inline constexpr double kLassoAccuracy = kIsSingle<Scalar> ? 1e-4 : 1e-8;

// With how many atoms pursuit by chance expects to begin on noise alone.
inline constexpr double kExpectedOfNoise = 1;

}  // namespace orthodict::coding
