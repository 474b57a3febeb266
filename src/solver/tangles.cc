// SPDX-License-Identifier: Apache-2.0
#include "solver/tangles.h"

#include <cmath>
#include <complex>
#include <numbers>

#include "linalg/blas.h"
#include "linalg/complex.h"

namespace orthodict::solver {

namespace {

// Twice the angle β for which z_j e^(iβ) is ±z_i wherever only one of two tangled atoms occurs is that of Σ(z_i z̄_j)².
double resolving_angle(const RowMatrix<double>& codes, Index i, Index j) {
  std::complex<double> sum = 0;
  for (Index k = 0; k < codes.cols(); ++k) {
    const std::complex<double> one(codes(2 * i, k), codes(2 * i + 1, k)), other(codes(2 * j, k), codes(2 * j + 1, k));
    const std::complex<double> product = one * std::conj(other);
    sum += product * product;
  }
  return std::arg(sum) / 2;
}

// Σ|z_i ± z_j|/√2 over both signs, after the turn of z_j by the angle.
double sum_of_turned(const RowMatrix<double>& codes, const Tangle& pair) {
  const std::complex<double> phase = std::polar(1.0, pair.angle);
  double sum = 0;
  for (Index k = 0; k < codes.cols(); ++k) {
    const std::complex<double> one(codes(2 * pair.i, k), codes(2 * pair.i + 1, k));
    const std::complex<double> other = phase * std::complex<double>(codes(2 * pair.j, k), codes(2 * pair.j + 1, k));
    sum += std::abs(one + other) + std::abs(one - other);
  }
  return sum / std::sqrt(2.0);
}

}  // namespace

std::vector<Tangle> tangled_pairs(const Matrix<double>& codes, bool is_complex) {
  // Row-major, because rows are compared.
  const RowMatrix<double> rows = is_complex ? codes : Matrix<double>();
  const RowMatrix<double> sizes = is_complex ? linalg::moduli(codes) : Matrix<double>(codes.cwiseAbs());
  const Matrix<double> squares = sizes.cwiseAbs2();
  Matrix<double> together = linalg::multiply(squares, linalg::Op::kNone, squares, linalg::Op::kTranspose);
  together.diagonal().setZero();
  const Vector<double> sums = sizes.rowwise().sum();

  // Less sparse than Gaussian coefficients, whose mean absolute value is √(2/π), or √(π/4) if complex.
  const double of_gaussian = std::sqrt(is_complex ? std::numbers::pi / 4 : 2 / std::numbers::pi);
  const Vector<double> spread = (squares.rowwise().sum() * static_cast<double>(codes.cols())).cwiseSqrt();
  const auto is_less_sparse = [&](Index i) { return sums[i] > of_gaussian * spread[i]; };

  std::vector<Tangle> pairs;
  std::vector<bool> taken(static_cast<std::size_t>(sizes.rows()));
  for (Index i = 0; i < sizes.rows(); ++i) {
    Index j = 0;
    together.col(i).maxCoeff(&j);
    if (i == j || taken[static_cast<std::size_t>(i)] || taken[static_cast<std::size_t>(j)]) continue;
    if (is_less_sparse(i) && is_less_sparse(j)) continue;
    const Tangle pair{i, j, is_complex ? resolving_angle(rows, i, j) : 0};
    const double turned =
        is_complex ? sum_of_turned(rows, pair) : std::sqrt(2.0) * sizes.row(i).cwiseMax(sizes.row(j)).sum();
    if (turned >= sums[i] + sums[j]) continue;
    taken[static_cast<std::size_t>(i)] = taken[static_cast<std::size_t>(j)] = true;
    pairs.push_back(pair);
  }
  return pairs;
}

NestedSupports nested_supports(const Matrix<double>& codes, double threshold) {
  constexpr double kAllButFew = 0.98;
  const double chance = 1e-6 / static_cast<double>(codes.rows() * codes.rows());
  const Matrix<double> support = (codes.array().abs() > threshold).cast<double>();
  const Matrix<double> both = linalg::multiply(support, linalg::Op::kNone, support, linalg::Op::kTranspose);
  const Vector<double> shares = both.diagonal() / static_cast<double>(codes.cols());
  NestedSupports nested{std::vector<bool>(static_cast<std::size_t>(codes.rows()))};
  for (Index j = 0; j < codes.rows(); ++j) {
    for (Index i = 0; i < codes.rows(); ++i) {
      const double size = both(j, j);
      const bool inside = i != j && both(i, j) >= kAllButFew * size;
      if (!inside || shares[i] >= 1) continue;
      if (kAllButFew * size * std::log(shares[i]) >= std::log(chance)) {
        nested.undecided = true;
      } else {
        nested.rows[static_cast<std::size_t>(i)] = nested.rows[static_cast<std::size_t>(j)] = true;
      }
    }
  }
  return nested;
}

}  // namespace orthodict::solver
