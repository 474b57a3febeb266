// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/types.h"

namespace orthodict::solver {

// The number of neighbouring samples that carry as much information as one independent sample, at least 1. It is the
// integrated autocorrelation time 1 + 2Σρ(lag) of the products clip(z_i, ±1)·z_j, by which atoms are judged, pooled
// over some pairs of rows. Columns of z are samples in the order of the recording, in windows of `window` neighbours.
[[nodiscard]] double dependence_of(const Matrix<double>& z, Index window);
// The same for each row alone, with products clip(z_i, ±1)·z_i. A drifting row has a much larger value than its
// products with other rows.
[[nodiscard]] Vector<double> dependence_of_rows(const Matrix<double>& z, Index window);

}  // namespace orthodict::solver
