// SPDX-License-Identifier: Apache-2.0
#include "orthodict/projection.h"

#include "linalg/polar.h"
#include "orthodict/error.h"

namespace orthodict {
namespace {

template <typename Scalar>
Matrix<Scalar> project(const Eigen::Ref<const Matrix<Scalar>>& m) {
  if (!m.allFinite()) throw Error(Fault::kData, "project_orthogonal: the matrix has entries that aren't finite");
  return linalg::polar<Scalar>(m);
}

}  // namespace

Matrix<float> project_orthogonal(const Eigen::Ref<const Matrix<float>>& m) { return project<float>(m); }
Matrix<double> project_orthogonal(const Eigen::Ref<const Matrix<double>>& m) { return project<double>(m); }

}  // namespace orthodict
