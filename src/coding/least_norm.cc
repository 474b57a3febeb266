// SPDX-License-Identifier: Apache-2.0
#include "coding/least_norm.h"

#include "linalg/blas.h"
#include "linalg/lapack.h"

namespace orthodict::coding {

RowMatrix<double> least_norm_analysis(const RowMatrix<double>& dictionary) {
  const linalg::Svd<double> svd = linalg::svd(Matrix<double>(dictionary));
  const Vector<double>& s = svd.singular_values;
  // Singular values at the level of rounding count as zero.
  const double least = s[0] * 1e-14 * static_cast<double>(dictionary.rows());
  const Vector<double> inverse = s.unaryExpr([least](double value) { return value > least ? 1 / value : 0; });
  return linalg::multiply(Matrix<double>(svd.u * inverse.asDiagonal()), svd.vt);
}

}  // namespace orthodict::coding
