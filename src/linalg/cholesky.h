// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "linalg/tasks.h"
#include "orthodict/types.h"

namespace orthodict::linalg {

// The lower triangle of XᵀX, in block columns; what is above them is left as it was.
template <typename Scalar>
void gram(const Matrix<Scalar>& x, const ForEach& for_each, Matrix<Scalar>* w);

// W = L·Lᵀ for a positive definite W that is well conditioned, written in terms of GEMM: LAPACK's factorisation and
// BLAS's triangular solves run at half of GEMM's rate or less at the sizes we have.
template <typename Scalar>
class Cholesky {
 public:
  // Reads the lower triangle of W. Check is_positive_definite() before anything else.
  explicit Cholesky(Matrix<Scalar> w);
  [[nodiscard]] bool is_positive_definite() const { return positive_definite_; }
  // T ← T·W⁻¹, for any number of rows.
  void solve_right(Matrix<Scalar>* t) const;

 private:
  void factor_block(Index column, Index width);

  Matrix<Scalar> l_;
  Matrix<Scalar> inverses_;  // of L's diagonal blocks, side by side
  bool positive_definite_ = true;
};

}  // namespace orthodict::linalg
