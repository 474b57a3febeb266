// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "linalg/tasks.h"
#include "orthodict/types.h"

namespace orthodict::linalg {

// The orthogonal polar factor of M. For M = U·Σ·Vᵀ it is U·Vᵀ, the nearest matrix to M with orthonormal columns (rows,
// if M has fewer rows than columns). If M is rank-deficient, the result is one of the nearest. M's entries must be
// finite.
//
// Well-conditioned matrices go through QDWH, the dynamically weighted Halley iteration
//   X ← (b/c)·X + (a − b/c)·X·(I + c·XᵀX)⁻¹
// (Nakatsukasa, Bai, Gygi, SIAM J. Matrix Anal. Appl. 31, 2010; with Cholesky factors, Nakatsukasa and Higham, 2013).
// All others go through the singular value decomposition, which costs at least twice as much. The result has the same
// bits for any `for_each`.
template <typename Scalar>
Matrix<Scalar> polar(const Matrix<Scalar>& m, const ForEach& for_each = for_each_in_turn);

// QDWH alone, for a matrix of moderate scale with at least as many rows as columns. Returns nothing if the condition
// number is well beyond 30 or the matrix is rank-deficient.
template <typename Scalar>
std::optional<Matrix<Scalar>> qdwh(Matrix<Scalar> x, const ForEach& for_each = for_each_in_turn);

// By singular value decomposition, for any condition number.
template <typename Scalar>
Matrix<Scalar> polar_by_svd(const Matrix<Scalar>& m);

}  // namespace orthodict::linalg
