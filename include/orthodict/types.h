// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace orthodict {

using Index = Eigen::Index;

// Matrices of ours are DontAlign: with it Eigen takes memory from malloc whatever the compiler's flags, so that what
// the library allocates a program compiled for AVX can free. Any Eigen expression converts to them and they to any.

// Column-major, as the paper writes matrices: a sample or an atom of D is a column.
template <typename Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor | Eigen::DontAlign>;

template <typename Scalar>
using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1, Eigen::ColMajor | Eigen::DontAlign>;

// Row-major, as files and NumPy hold them: a sample, an atom or a code is a row.
template <typename Scalar>
using RowMatrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor | Eigen::DontAlign>;

}  // namespace orthodict
