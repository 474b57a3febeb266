// SPDX-License-Identifier: Apache-2.0
#include "orthodict/projection.h"

#include "linalg/blas.h"
#include "linalg/lapack.h"
#include "orthodict/error.h"

namespace orthodict {
namespace {

template <typename Scalar>
Matrix<Scalar> project(const Eigen::Ref<const Matrix<Scalar>>& m) {
  if (!m.allFinite()) throw Error(Fault::kData, "project_orthogonal: the matrix has entries that aren't finite");
  // A scale of 1 keeps LAPACK away from overflow and underflow whatever the units of M.
  const Scalar largest = m.size() == 0 ? Scalar(0) : m.cwiseAbs().maxCoeff();
  const Matrix<Scalar> scaled = largest > 0 ? Matrix<Scalar>(m / largest) : Matrix<Scalar>(m);
  const linalg::Svd<Scalar> f = linalg::svd(scaled);
  return linalg::multiply(f.u, f.vt);
}

}  // namespace

Matrix<float> project_orthogonal(const Eigen::Ref<const Matrix<float>>& m) { return project<float>(m); }
Matrix<double> project_orthogonal(const Eigen::Ref<const Matrix<double>>& m) { return project<double>(m); }

}  // namespace orthodict
