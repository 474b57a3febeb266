// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "orthodict/types.h"

namespace orthodict::solver {

// Two atoms may come to rest halfway between two true ones, (d_i ± d_j)/√2, where the step vanishes though no maximum
// is there. Their squares go together, which finds them; turning them by 45° undoes it, and is right if it lowers
// Σ|z|: from Σ|z_i| + |z_j| to √2·Σmax(|z_i|, |z_j|). Returns such pairs of rows of the coefficients, none twice.
[[nodiscard]] std::vector<std::pair<Index, Index>> tangled_pairs(const Matrix<double>& codes);

}  // namespace orthodict::solver
