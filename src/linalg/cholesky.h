// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "linalg/tasks.h"
#include "orthodict/types.h"

namespace orthodict::linalg {

// Computes the lower triangle of XᵀX in block columns. Entries above the block columns are left unchanged.
template <typename Scalar>
void gram(const Matrix<Scalar>& x, const ForEach& for_each, Matrix<Scalar>* w);

// W = L·Lᵀ for a well-conditioned positive definite W, written in terms of GEMM: at our sizes LAPACK's factorisation
// and BLAS's triangular solves reach at most half the speed of GEMM.
template <typename Scalar>
class Cholesky {
 public:
  // Reads the lower triangle of W. The result is valid only if is_positive_definite().
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
