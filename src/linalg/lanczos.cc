// SPDX-License-Identifier: Apache-2.0
#include "linalg/lanczos.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/blas.h"

namespace orthodict::linalg {
namespace {

constexpr Index kSteps = 8;
// The caller needs no detail about a spectrum wider than this, so no more steps are spent on it.
constexpr double kWide = 1e-3;

// A fixed start vector without a special direction: a Weyl sequence.
template <typename Scalar>
Vector<Scalar> start(Index n) {
  Vector<Scalar> q(n);
  for (Index i = 0; i < n; ++i) {
    const double weyl = static_cast<double>(i + 1) * 0.6180339887498949;
    q[i] = static_cast<Scalar>(weyl - std::floor(weyl) - 0.5);
  }
  return q / q.norm();
}

// The number of eigenvalues of the tridiagonal matrix below x, from the signs of its LDLᵀ factors (Sturm).
Index count_below(double x, const Vector<double>& diagonal, const Vector<double>& off, Index size) {
  Index count = 0;
  double d = 1;
  for (Index i = 0; i < size; ++i) {
    const double coupling = i == 0 ? 0 : off[i - 1] * off[i - 1] / d;
    d = diagonal[i] - x - coupling;
    if (d == 0) d = -std::numeric_limits<double>::min();
    if (d < 0) ++count;
  }
  return count;
}

// The smallest eigenvalue for wanted = 1 and the largest for wanted = size, by bisection to a relative error of 1 %.
double bisect(Index wanted, const Vector<double>& diagonal, const Vector<double>& off, Index size) {
  double radius = 0;
  for (Index i = 0; i < size; ++i) {
    radius = std::max(radius, std::abs(diagonal[i]) + (i > 0 ? off[i - 1] : 0) + (i + 1 < size ? off[i] : 0));
  }
  double low = -radius, high = radius;
  while (high - low > 0.01 * std::max(std::abs(high), 0.01 * kWide * radius)) {
    const double middle = (low + high) / 2;
    (count_below(middle, diagonal, off, size) >= wanted ? high : low) = middle;
  }
  return high;
}

}  // namespace

template <typename Scalar>
Spectrum estimate_spectrum(const Matrix<Scalar>& symmetric) {
  const Index n = symmetric.rows();
  Vector<double> diagonal(kSteps), off(kSteps);
  Vector<Scalar> q = start<Scalar>(n), previous = Vector<Scalar>::Zero(n), r(n);
  Scalar coupling = 0;
  Index size = 0;
  while (size < std::min(n, kSteps)) {
    multiply_symmetric(symmetric, q, &r);
    r -= coupling * previous;
    const Scalar alpha = q.dot(r);
    r -= alpha * q;
    coupling = r.norm();
    diagonal[size] = static_cast<double>(alpha);
    off[size] = static_cast<double>(coupling);
    ++size;
    if (size == kSteps / 2 && bisect(1, diagonal, off, size) <= kWide * bisect(size, diagonal, off, size)) break;
    // The rest is rounding error: q spans an invariant subspace.
    if (coupling <= 16 * std::numeric_limits<Scalar>::epsilon() * std::abs(alpha)) break;
    previous = q;
    q = r / coupling;
  }
  return {bisect(1, diagonal, off, size), bisect(size, diagonal, off, size)};
}

template Spectrum estimate_spectrum(const Matrix<float>&);
template Spectrum estimate_spectrum(const Matrix<double>&);

}  // namespace orthodict::linalg
