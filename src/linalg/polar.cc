// SPDX-License-Identifier: Apache-2.0
#include "linalg/polar.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "linalg/blas.h"
#include "linalg/cholesky.h"
#include "linalg/lanczos.h"
#include "linalg/lapack.h"

namespace orthodict::linalg {
namespace {

// At a larger ratio of singular values the first step's Cholesky factor would lose digits, and the number of steps
// would make QDWH slower than the singular value decomposition.
constexpr double kWorstCondition = 30;
constexpr int kMaxSteps = 8;
// Rows per task.
constexpr Index kTaskRows = 256;

struct Weights {
  double a, b, c;
};

// The weights that map singular values in [low, 1] closest to 1.
Weights halley_weights(double low) {
  const double l2 = low * low;
  const double d = std::cbrt(4 * (1 - l2) / (l2 * l2));
  const double root = std::sqrt(1 + d);
  const double a = root + std::sqrt(8 - 4 * d + 8 * (2 - l2) / (l2 * root)) / 2;
  const double b = (a - 1) * (a - 1) / 4;
  return {a, b, a + b - 1};
}

double raised(double low, const Weights& w) { return low * (w.a + w.b * low * low) / (1 + w.c * low * low); }

// X ← (b/c)·X + (a − b/c)·X·W⁻¹. Returns ‖ΔX‖.
template <typename Scalar>
double step(const Cholesky<Scalar>& factor, const Weights& w, const ForEach& for_each, Matrix<Scalar>* x) {
  const Index tasks = (x->rows() + kTaskRows - 1) / kTaskRows;
  std::vector<double> change(static_cast<std::size_t>(tasks));
  for_each(tasks, [&](Index task) {
    const Index first = x->rows() * task / tasks;
    auto rows = x->middleRows(first, x->rows() * (task + 1) / tasks - first);
    Matrix<Scalar> solved = rows;
    factor.solve_right(&solved);
    solved = static_cast<Scalar>(w.a - w.b / w.c) * solved + static_cast<Scalar>(w.b / w.c - 1) * rows;
    change[static_cast<std::size_t>(task)] = static_cast<double>(solved.squaredNorm());
    rows += solved;
  });
  double sum = 0;
  for (const double part : change) sum += part;
  return std::sqrt(sum);
}

// Singular values that converged are 1 to rounding. One that did not converge is far below 1, and then the sum of
// squares differs from the number of singular values.
template <typename Scalar>
bool is_orthonormal(const Matrix<Scalar>& x) {
  const auto n = static_cast<double>(x.cols());
  double sum = 0;
  for (Index j = 0; j < x.cols(); ++j) sum += static_cast<double>(x.col(j).squaredNorm());
  return std::abs(sum - n) <= 4 * n * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
}

template <typename Scalar>
Matrix<Scalar> svd_factor(const Matrix<Scalar>& scaled) {
  const Svd<Scalar> f = svd(scaled);
  return multiply(f.u, f.vt);
}

// Scales the largest entry to 1, so that squares neither overflow nor underflow, whatever the units of M.
template <typename Scalar>
Matrix<Scalar> in_unit_scale(const Matrix<Scalar>& m) {
  const Scalar largest = m.size() == 0 ? Scalar(0) : m.cwiseAbs().maxCoeff();
  return largest > 0 ? Matrix<Scalar>(m / largest) : m;
}

}  // namespace

template <typename Scalar>
std::optional<Matrix<Scalar>> qdwh(Matrix<Scalar> x, const ForEach& for_each) {
  const auto epsilon = static_cast<double>(std::numeric_limits<Scalar>::epsilon());
  Matrix<Scalar> w = Matrix<Scalar>::Zero(x.cols(), x.cols());
  gram(x, for_each, &w);
  const Spectrum estimate = estimate_spectrum(w);
  const double condition = std::sqrt(estimate.largest / estimate.smallest);
  if (!(condition <= kWorstCondition)) return std::nullopt;

  // The estimates lie inside the spectrum, so both ends get a margin.
  const double scale = 1.02 * std::sqrt(estimate.largest);
  double low = 0.9 / (1.02 * condition);
  double gram_scale = 1 / (scale * scale);
  x *= static_cast<Scalar>(1 / scale);
  for (int steps = 0; steps < kMaxSteps; ++steps) {
    if (steps > 0) gram(x, for_each, &w);
    const Weights weights = halley_weights(low);
    w *= static_cast<Scalar>(weights.c * gram_scale);
    w.diagonal().array() += Scalar(1);
    const Cholesky<Scalar> factor(w);
    if (!factor.is_positive_definite()) return std::nullopt;
    const double change = step(factor, weights, for_each, &x);
    // Singular values 1 + e with |e| ≤ change go to 1 + O(e·max(e, 1 − low)²).
    const double spread = std::max(change, 1 - low);
    if (change * spread * spread <= epsilon) return is_orthonormal(x) ? std::optional(std::move(x)) : std::nullopt;
    low = std::min(std::max(raised(low, weights), 1 - change), 1.0);
    gram_scale = 1;
  }
  return std::nullopt;
}

template <typename Scalar>
Matrix<Scalar> polar_by_svd(const Matrix<Scalar>& m) {
  return svd_factor(in_unit_scale(m));
}

template <typename Scalar>
Matrix<Scalar> polar(const Matrix<Scalar>& m, const ForEach& for_each) {
  const Matrix<Scalar> scaled = in_unit_scale(m);
  if (m.size() == 0 || m.isZero(0)) return svd_factor(scaled);
  if (m.rows() >= m.cols()) {
    if (auto x = qdwh(scaled, for_each)) return *std::move(x);
  } else {
    if (auto x = qdwh(Matrix<Scalar>(scaled.transpose()), for_each)) return x->transpose();
  }
  return svd_factor(scaled);
}

template std::optional<Matrix<float>> qdwh(Matrix<float>, const ForEach&);
template std::optional<Matrix<double>> qdwh(Matrix<double>, const ForEach&);
template Matrix<float> polar_by_svd(const Matrix<float>&);
template Matrix<double> polar_by_svd(const Matrix<double>&);
template Matrix<float> polar(const Matrix<float>&, const ForEach&);
template Matrix<double> polar(const Matrix<double>&, const ForEach&);

}  // namespace orthodict::linalg
