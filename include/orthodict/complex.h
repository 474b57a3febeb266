// SPDX-License-Identifier: Apache-2.0
// Complex matrices as real ones with twice the columns, and back: the functions and models of this library have complex
// numbers as two neighbouring entries, real part and imaginary part, which is how std::complex lies in memory.
#pragma once

#include <complex>

#include "orthodict/types.h"

namespace orthodict {

// A view of rows of n complex numbers, for a matrix of 2n columns, which must outlive it.
[[nodiscard]] inline Eigen::Map<const RowMatrix<std::complex<double>>> as_complex(const RowMatrix<double>& rows) {
  return {reinterpret_cast<const std::complex<double>*>(rows.data()), rows.rows(), rows.cols() / 2};
}
[[nodiscard]] inline Eigen::Map<const Vector<std::complex<double>>> as_complex(const Vector<double>& values) {
  return {reinterpret_cast<const std::complex<double>*>(values.data()), values.size() / 2};
}

// A copy with the real and the imaginary part of each number in neighbouring columns.
template <typename Derived>
[[nodiscard]] RowMatrix<double> as_real(const Eigen::MatrixBase<Derived>& rows) {
  const RowMatrix<std::complex<double>> copy = rows.template cast<std::complex<double>>();
  return Eigen::Map<const RowMatrix<double>>(reinterpret_cast<const double*>(copy.data()), copy.rows(),
                                             2 * copy.cols());
}

}  // namespace orthodict
