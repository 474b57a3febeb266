// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orthodict/types.h"

namespace orthodict::solver {

// Two atoms may settle halfway between two true ones, at (d_i ± d_j)/√2: a saddle, where the step vanishes without a
// maximum. Such pairs are recognised by large squares that occur together. Turning them by 45° resolves them; it is
// right if it lowers Σ|z|, from Σ|z_i| + |z_j| to √2·Σmax(|z_i|, |z_j|). Complex atoms may have any phase in between:
// the second one is first multiplied by e^(i·angle), so that where only one of the true atoms occurs the coefficients
// become equal or opposite.
struct Tangle {
  Index i = 0;
  Index j = 0;
  double angle = 0;

  bool operator==(const Tangle&) const = default;
};
// Such pairs of atoms, each atom at most once, found in their coefficients (rows; complex ones with two rows each).
// Pairs of which both are less sparse than Gaussian ones are skipped: sums and differences of binary sources are
// sparser than the sources.
[[nodiscard]] std::vector<Tangle> tangled_pairs(const Matrix<double>& codes, bool is_complex = false);

// Rows with exact zeros and nested supports: z_i is nonzero wherever z_j is. Then row i may contain a part of row j,
// however many zeros both have.
struct NestedSupports {
  std::vector<bool> rows;  // in such a pair, not by chance
  bool undecided = false;  // some pairs may still be by chance; more samples would decide
};
// Of the coefficients' absolute values.
[[nodiscard]] NestedSupports nested_supports(const Matrix<double>& codes, double threshold);

}  // namespace orthodict::solver
