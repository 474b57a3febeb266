// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace orthodict {

using Index = Eigen::Index;

// The library's matrices are DontAlign, so that Eigen allocates by malloc() whatever the compiler's flags. Otherwise a
// program compiled for AVX couldn't free memory that the library allocated. They convert from and to any Eigen
// expression.

// Column-major, as the paper writes matrices: a sample or an atom of D is a column.
template <typename Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor | Eigen::DontAlign>;

template <typename Scalar>
using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1, Eigen::ColMajor | Eigen::DontAlign>;

// Row-major, as in files and NumPy: a sample, an atom or a code is a row.
template <typename Scalar>
using RowMatrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor | Eigen::DontAlign>;

}  // namespace orthodict
