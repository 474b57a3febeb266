// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/export.h"
#include "orthodict/types.h"

namespace orthodict {

// The nearest matrix with orthonormal rows (k ≤ n) or columns (k ≥ n) in Frobenius norm: UVᵀ of the thin SVD
// M = UΣVᵀ (the paper proves it for k = n). If M is rank-deficient, the nearest matrix isn't unique, and one of them is
// returned. Throws Error if an entry of M isn't finite.
[[nodiscard]] ORTHODICT_EXPORT Matrix<float> project_orthogonal(const Eigen::Ref<const Matrix<float>>& m);
[[nodiscard]] ORTHODICT_EXPORT Matrix<double> project_orthogonal(const Eigen::Ref<const Matrix<double>>& m);

}  // namespace orthodict
