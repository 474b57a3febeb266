// SPDX-License-Identifier: Apache-2.0
#include "solver/lens.h"

#include <cmath>

#include "linalg/blas.h"
#include "linalg/lapack.h"

namespace orthodict::solver {

using linalg::multiply;
using linalg::Op;

constexpr double kLeastVariance = 1e-12;  // relative to the largest; less is rounding

Lens Lens::whitening(const Matrix<double>& second_moment) {
  const auto eigen = linalg::symmetric_eigen(second_moment);
  const double least = kLeastVariance * eigen.values[eigen.values.size() - 1];
  const Vector<double> scales =
      eigen.values.unaryExpr([&](double value) { return value > least ? 1 / std::sqrt(value) : 1.0; });
  Lens lens;
  lens.t_ = multiply<double>(eigen.vectors * scales.asDiagonal(), Op::kNone, eigen.vectors, Op::kTranspose);
  return lens;
}

Matrix<double> Lens::matcher(const Matrix<double>& b) const { return is_identity() ? b : multiply(b, t_); }

Matrix<double> Lens::correlation(const Matrix<double>& c) const {
  return is_identity() ? c : multiply(c, Op::kNone, t_, Op::kTranspose);
}

Vector<double> Lens::mean(const Vector<double>& mean) const { return is_identity() ? mean : Vector<double>(t_ * mean); }

Matrix<double> Lens::second_moment(const Matrix<double>& second_moment) const {
  return is_identity() ? second_moment : multiply(t_, correlation(second_moment));
}

}  // namespace orthodict::solver
