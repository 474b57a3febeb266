// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "linalg/tasks.h"
#include "orthodict/types.h"

namespace orthodict::linalg {

// The orthogonal polar factor of M: with M = U·Σ·Vᵀ the matrix U·Vᵀ, nearest to M among those with orthonormal columns
// (or rows, where M has fewer rows). Where M lacks rank it is one of the nearest. M's entries must be finite.
//
// Well-conditioned matrices go through QDWH, the dynamically weighted Halley iteration
//   X ← (b/c)·X + (a − b/c)·X·(I + c·XᵀX)⁻¹
// (Nakatsukasa, Bai, Gygi, SIAM J. Matrix Anal. Appl. 31, 2010; with Cholesky factors, Nakatsukasa and Higham, 2013),
// all others through the singular value decomposition, which costs twice as much or more. The result has the same bits
// whoever runs the tasks.
template <typename Scalar>
Matrix<Scalar> polar(const Matrix<Scalar>& m, const ForEach& for_each = for_each_in_turn);

// QDWH alone, for a matrix of moderate scale with at least as many rows as columns. Nothing when its condition is
// well beyond 30, or when rank is lost.
template <typename Scalar>
std::optional<Matrix<Scalar>> qdwh(Matrix<Scalar> x, const ForEach& for_each = for_each_in_turn);

// By singular value decomposition, whatever the condition.
template <typename Scalar>
Matrix<Scalar> polar_by_svd(const Matrix<Scalar>& m);

}  // namespace orthodict::linalg
