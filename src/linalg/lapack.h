// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/types.h"

namespace orthodict::linalg {

// Thin SVD, M = U·diag(singular_values)·Vᵀ, singular values falling.
template <typename Scalar>
struct Svd {
  Matrix<Scalar> u;
  Vector<Scalar> singular_values;
  Matrix<Scalar> vt;
};

// M's entries must be finite.
Svd<float> svd(const Matrix<float>& m);
Svd<double> svd(const Matrix<double>& m);

// S = vectors·diag(values)·vectorsᵀ, values rising. Reads the lower triangle of S only.
struct SymmetricEigen {
  Vector<double> values;
  Matrix<double> vectors;
};
SymmetricEigen symmetric_eigen(Matrix<double> s);

}  // namespace orthodict::linalg
