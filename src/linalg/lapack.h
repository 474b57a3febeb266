// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "orthodict/types.h"

namespace orthodict::linalg {

// Thin SVD, M = U·diag(singular_values)·Vᵀ, with singular values in descending order.
template <typename Scalar>
struct Svd {
  Matrix<Scalar> u;
  Vector<Scalar> singular_values;
  Matrix<Scalar> vt;
};

// M's entries must be finite.
Svd<float> svd(const Matrix<float>& m);
Svd<double> svd(const Matrix<double>& m);

// S ← its lower Cholesky factor L, and inverse ← L⁻¹ with zeros above the diagonal; both are n×n blocks of larger
// matrices. Returns false if S isn't positive definite. Reads and writes the lower triangle of S only.
bool factor_and_invert(float* s, Index n, Index lds, float* inverse, Index ld_inverse);
bool factor_and_invert(double* s, Index n, Index lds, double* inverse, Index ld_inverse);

// M⁻¹·B for a square M, or nothing if M is singular.
std::optional<Matrix<double>> solve(Matrix<double> m, Matrix<double> b);

// S = vectors·diag(values)·vectorsᵀ, with eigenvalues in ascending order. Reads the lower triangle of S only.
struct SymmetricEigen {
  Vector<double> values;
  Matrix<double> vectors;
};
SymmetricEigen symmetric_eigen(Matrix<double> s);

// The same; of a matrix in real form (complex.h) with the real form of complex eigenvectors, so that each eigenvalue
// comes twice.
SymmetricEigen eigen(const Matrix<double>& s, bool is_complex);

// M = QR for M with at least as many rows as columns. Q has M's shape and orthonormal columns; R is square and upper
// triangular.
struct Qr {
  Matrix<double> q;
  Matrix<double> r;
};
Qr qr(Matrix<double> m);

}  // namespace orthodict::linalg
