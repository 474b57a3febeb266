// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/types.h"

namespace orthodict::solver {

// How many neighbouring samples tell as much as one that is independent, at least 1: the integrated autocorrelation
// time 1 + 2Σρ(lag) of the products clip(z_i, ±1)·z_j, which atoms are judged by, over some pairs of rows together.
// Columns are samples in the order of the recording, in windows of `window` neighbours.
[[nodiscard]] double dependence_of(const Matrix<double>& z, Index window);
// The same for each row by itself, of clip(z_i, ±1)·z_i. A row that drifts has far more than its products with others.
[[nodiscard]] Vector<double> dependence_of_rows(const Matrix<double>& z, Index window);

}  // namespace orthodict::solver
