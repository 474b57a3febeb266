// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "report/report.h"

namespace orthodict::report {

// ‖x − x̂_j‖² for j = 0 … k, summed over the samples (columns), where x̂_j is the reconstruction from the j largest
// coefficients of x. Ties go to the earlier atom.
[[nodiscard]] Vector<double> energy_left(const Model& model, const Matrix<double>& samples, const Progress& progress);

// Σ‖x − mean‖², the denominator of both methods' shares.
[[nodiscard]] double energy_of(const Model& model, const Matrix<double>& samples);

// The numbers of coefficients to show: 1, 2, … 32, then in steps of about an eighth, up to `atoms`.
[[nodiscard]] std::vector<Index> levels_of(Index atoms);

// Samples and their reconstructions by both models from levels_of() coefficients. Values are bytes, ordered by item,
// then by level, which scale from `low` to `high` of the item; moduli, if samples are complex. Pictures share a range;
// other samples have their own, with a margin. Errors are ‖x − x̂_j‖/‖x − mean‖ with the mean of `model`.
[[nodiscard]] Json describe_items(const Model& model, const Model& pca, const Matrix<double>& samples, bool pictures);

}  // namespace orthodict::report
