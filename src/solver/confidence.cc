// SPDX-License-Identifier: Apache-2.0
#include "solver/confidence.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/blas.h"

namespace orthodict::solver {
namespace {

// E a_i b_j over the samples.
Matrix<double> mean_products(const Matrix<double>& a, const Matrix<double>& b) {
  return linalg::multiply(a, linalg::Op::kNone, b, linalg::Op::kTranspose) / static_cast<double>(a.cols());
}

Matrix<double> with_transpose(const Matrix<double>& m) { return m + m.transpose(); }

}  // namespace

Determination::Determination(Matrix<double> codes, const Stretch& stretch) {
  constexpr double kDeviations = 3;
  Matrix<double>& z = codes;
  const auto count = static_cast<double>(z.cols());
  const Vector<double> spread = (z.rowwise().squaredNorm() / count).cwiseSqrt().cwiseMax(1e-300);
  Matrix<double> h = z.unaryExpr([&](double x) { return stretch.derivative(x); });
  const Matrix<double> slope = z.unaryExpr([&](double x) { return stretch.second_derivative(x); });
  // In units of their spread; slopes have none.
  z = spread.cwiseInverse().asDiagonal() * z;
  h = spread.cwiseInverse().asDiagonal() * h;

  const Matrix<double> hz = h.cwiseProduct(z), z2 = z.cwiseAbs2(), slope_z2 = slope.cwiseProduct(z2);
  const Matrix<double> hz_hz = mean_products(hz, hz);
  scatter_ = with_transpose(mean_products(h.cwiseAbs2(), z2)) - 2 * hz_hz;

  // κ_ij is the mean of u − w, u = h_i z_i + h_j z_j and w = h'_i z_j² + h'_j z_i²; its error follows from E(u − w)².
  const Vector<double> hz_mean = hz.rowwise().mean();
  Matrix<double> kappa = -with_transpose(mean_products(slope, z2));
  kappa.colwise() += hz_mean;
  kappa.rowwise() += hz_mean.transpose();
  const Vector<double> hz_square = hz_hz.diagonal();
  Matrix<double> square = 2 * hz_hz;  // E u²
  square.colwise() += hz_square;
  square.rowwise() += hz_square.transpose();
  square += with_transpose(mean_products(slope.cwiseAbs2(), z2.cwiseAbs2()));  // E w²
  square += 2 * mean_products(slope_z2, slope_z2);
  square -= 2 * with_transpose(mean_products(hz.cwiseProduct(slope), z2) + mean_products(slope, hz.cwiseProduct(z2)));
  const Matrix<double> deviation = ((square - kappa.cwiseAbs2()).cwiseMax(0) / count).cwiseSqrt();
  curvature_ = kappa - kDeviations * deviation;
}

Vector<double> Determination::confidence(Index samples) const {
  const Index d = curvature_.rows();
  Vector<double> result(d);
  for (Index i = 0; i < d; ++i) {
    double sum = 0;
    for (Index j = 0; j < d; ++j) {
      if (j == i) continue;
      const double kappa = curvature_(i, j);
      const double angle = std::max(scatter_(i, j), 0.0) / (static_cast<double>(samples) * kappa * kappa);
      sum += kappa > 0 ? std::min(angle, 1.0) : 1.0;
    }
    result[i] = std::max(1 - sum, 0.0);
  }
  return result;
}

}  // namespace orthodict::solver
