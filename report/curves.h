// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "report/report.h"

namespace orthodict::report {

// ‖x − x̂_j‖² for j = 0 … k, where x̂_j has the j largest coefficients of x (ties go to the earlier atom): summed over
// the samples, which are columns.
[[nodiscard]] Vector<double> energy_left(const Model& model, const Matrix<double>& samples, const Progress& progress);

// Σ‖x − mean‖², to which both methods' shares refer.
[[nodiscard]] double energy_of(const Model& model, const Matrix<double>& samples);

// Numbers of coefficients to show: 1, 2, … 32, then steps of about an eighth, up to `atoms`.
[[nodiscard]] std::vector<Index> levels_of(Index atoms);

// Samples beside what both models make of them with levels_of() coefficients. Values are bytes, item by item and level
// by level, from `low` to `high` of the item: pictures share a range, other samples have their own, with a margin.
// Errors are ‖x − x̂_j‖/‖x − mean‖ with the mean of `model`.
[[nodiscard]] Json describe_items(const Model& model, const Model& pca, const Matrix<double>& samples, bool pictures);

}  // namespace orthodict::report
