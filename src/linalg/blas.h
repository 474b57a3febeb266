// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/types.h"

namespace orthodict::linalg {

enum class Op : char { kNone = 'N', kTranspose = 'T' };

// C ← α·op(A)·op(B) + β·C, column-major; op(A) is m×k, op(B) is k×n.
void gemm(Op op_a, Op op_b, Index m, Index n, Index k, float alpha, const float* a, Index lda, const float* b,
          Index ldb, float beta, float* c, Index ldc);
void gemm(Op op_a, Op op_b, Index m, Index n, Index k, double alpha, const double* a, Index lda, const double* b,
          Index ldb, double beta, double* c, Index ldc);

// The lower triangle of C ← C + A·Aᵀ, column-major; A is n×k.
void add_gram(Index n, Index k, const double* a, Index lda, double* c, Index ldc);

// y ← S·x. Reads the lower triangle of S only.
void multiply_symmetric(const Matrix<float>& s, const Vector<float>& x, Vector<float>* y);
void multiply_symmetric(const Matrix<double>& s, const Vector<double>& x, Vector<double>* y);

// op(A)·op(B) for whole matrices.
template <typename Scalar>
Matrix<Scalar> multiply(const Matrix<Scalar>& a, Op op_a, const Matrix<Scalar>& b, Op op_b) {
  const Index m = op_a == Op::kNone ? a.rows() : a.cols();
  const Index k = op_a == Op::kNone ? a.cols() : a.rows();
  const Index n = op_b == Op::kNone ? b.cols() : b.rows();
  Matrix<Scalar> c(m, n);
  gemm(op_a, op_b, m, n, k, Scalar(1), a.data(), a.rows(), b.data(), b.rows(), Scalar(0), c.data(), m);
  return c;
}

template <typename Scalar>
Matrix<Scalar> multiply(const Matrix<Scalar>& a, const Matrix<Scalar>& b) {
  return multiply(a, Op::kNone, b, Op::kNone);
}

}  // namespace orthodict::linalg
