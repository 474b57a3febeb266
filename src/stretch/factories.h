// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "orthodict/stretch.h"

namespace orthodict::stretch {

// The names that make_stretch() accepts, for messages.
inline constexpr const char* kLegalNames =
    "l4, l3, power:Q (Q > 2), soft[:MU] (MU ≥ 0), hard[:TAU] (TAU ≥ 0), logcosh or mixture:THETA,S0,S1 "
    "(0 < THETA < 1, 0 < S0 < S1)";

// The built-in stretches of make_stretch(), from the numbers in their names. Throw Error if a number is out of range.
[[nodiscard]] std::shared_ptr<const Stretch> power(double q);
[[nodiscard]] std::shared_ptr<const Stretch> soft(double mu);
[[nodiscard]] std::shared_ptr<const Stretch> hard(double tau);
[[nodiscard]] std::shared_ptr<const Stretch> log_cosh();
[[nodiscard]] std::shared_ptr<const Stretch> mixture(double theta, double s0, double s1);

}  // namespace orthodict::stretch
