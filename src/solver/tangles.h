// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "orthodict/types.h"

namespace orthodict::solver {

// Two atoms may come to rest halfway between two true ones, (d_i ± d_j)/√2, where the step vanishes though no maximum
// is there. Their squares go together, which finds them; turning them by 45° undoes it, and is right if it lowers
// Σ|z|: from Σ|z_i| + |z_j| to √2·Σmax(|z_i|, |z_j|). Returns such pairs of rows of the coefficients, none twice. Two
// rows that are both less sparse than Gaussian ones are left as they are: sums and differences of binary sources are
// sparser than these.
[[nodiscard]] std::vector<std::pair<Index, Index>> tangled_pairs(const Matrix<double>& codes);

// Rows with exact zeros whose supports lie inside one another: where z_j isn't zero, z_i never is. Then what is in row
// i may be partly what is in row j, however many zeros both have.
struct NestedSupports {
  std::vector<bool> rows;  // in such a pair, beyond chance
  bool undecided = false;  // in some pairs it may still be chance: more samples would tell
};
[[nodiscard]] NestedSupports nested_supports(const Matrix<double>& codes, double threshold);

}  // namespace orthodict::solver
