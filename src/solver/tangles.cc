// SPDX-License-Identifier: Apache-2.0
#include "solver/tangles.h"

#include <cmath>
#include <numbers>

#include "linalg/blas.h"

namespace orthodict::solver {

std::vector<std::pair<Index, Index>> tangled_pairs(const Matrix<double>& codes) {
  // Row-major, because rows are compared.
  const RowMatrix<double> sizes = codes.cwiseAbs();
  const Matrix<double> squares = codes.cwiseAbs2();
  Matrix<double> together = linalg::multiply(squares, linalg::Op::kNone, squares, linalg::Op::kTranspose);
  together.diagonal().setZero();
  const Vector<double> sums = sizes.rowwise().sum();

  // Less sparse than Gaussian coefficients, whose mean absolute value is √(2/π).
  const Vector<double> spread = (squares.rowwise().sum() * static_cast<double>(codes.cols())).cwiseSqrt();
  const auto is_less_sparse = [&](Index i) { return sums[i] > std::sqrt(2 / std::numbers::pi) * spread[i]; };

  std::vector<std::pair<Index, Index>> pairs;
  std::vector<bool> taken(static_cast<std::size_t>(codes.rows()));
  for (Index i = 0; i < codes.rows(); ++i) {
    Index j = 0;
    together.col(i).maxCoeff(&j);
    if (i == j || taken[static_cast<std::size_t>(i)] || taken[static_cast<std::size_t>(j)]) continue;
    if (is_less_sparse(i) && is_less_sparse(j)) continue;
    const double turned = std::sqrt(2.0) * sizes.row(i).cwiseMax(sizes.row(j)).sum();
    if (turned >= sums[i] + sums[j]) continue;
    taken[static_cast<std::size_t>(i)] = taken[static_cast<std::size_t>(j)] = true;
    pairs.emplace_back(i, j);
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
