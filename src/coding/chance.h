// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orthodict/types.h"

namespace orthodict::coding {

// I_x(a, b), the regularized incomplete beta function, for a, b > 0 and 0 ≤ x ≤ 1, by its continued fraction.
[[nodiscard]] double incomplete_beta(double a, double b, double x);

// For s = 0 … most − 1 picked atoms: the cos² to a fixed direction that `expected` of `atoms` random directions exceed
// on average, in n − s dimensions. cos² of a random direction in d dimensions is Beta(½, (d − 1)/2). 1 where no
// dimension is left.
[[nodiscard]] std::vector<double> chance_cosines(Index n, Index atoms, Index most, double expected);

}  // namespace orthodict::coding
