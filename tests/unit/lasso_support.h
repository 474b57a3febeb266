// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "coding/lasso.h"
#include "orthodict/types.h"

namespace orthodict::test {

inline double lasso_objective(const Matrix<double>& d, const Vector<double>& y, double penalty,
                              const Vector<double>& x) {
  return (y - d * x).squaredNorm() / 2 + penalty * x.lpNorm<1>();
}

// Solves until nothing changes any more.
inline Vector<double> exact_lasso(const Matrix<double>& d, const Vector<double>& y, double penalty) {
  const Matrix<double> gram = d.transpose() * d;
  const coding::Lasso<double> lasso(gram.data(), gram.cols(), gram.rows(), penalty);
  Vector<double> x = Vector<double>::Zero(d.cols());
  Vector<double> r = d.transpose() * y;
  for (int time = 0; time < 10000; ++time) {
    const Vector<double> before = x;
    lasso.solve(x.data(), r.data());
    if ((x - before).norm() <= 1e-14 * x.norm()) break;
  }
  return x;
}

}  // namespace orthodict::test
