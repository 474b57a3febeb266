// SPDX-License-Identifier: Apache-2.0
#include "random/stream.h"

#include <Random123/philox.h>

#include <cmath>

namespace orthodict::random {
namespace {

using Generator = r123::Philox4x64;

Generator::ctr_type draw(std::uint64_t seed, Purpose purpose, Index row, Index column, std::uint64_t attempt) {
  const Generator::ctr_type counter = {
      {static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(column), attempt, 0}};
  const Generator::key_type key = {{seed, static_cast<std::uint64_t>(purpose)}};
  return Generator{}(counter, key);
}

double to_unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

// log x for x in (0, 1], from exactly rounded operations only: std::log differs in the last bit between platforms.
// x = m·2^e with m in [√½, √2), and log m = 2·artanh(s), s = (m − 1)/(m + 1), |s| < 0.172: s²¹ is below 1e-16.
double portable_log(double x) {
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1);
  const double s2 = s * s;
  double sum = 0;
  for (int k = 21; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
  return exponent * kLn2 + 2 * s * sum;
}

// Σ x_i·y_i in a fixed order, with eight independent chains for the processor's pipelines.
double dot(const double* x, const double* y, Index n) {
  double lanes[8] = {};
  Index i = 0;
  for (; i + 8 <= n; i += 8) {
    for (Index l = 0; l < 8; ++l) lanes[l] += x[i + l] * y[i + l];
  }
  for (Index l = 0; i < n; ++i, ++l) lanes[l] += x[i] * y[i];
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

}  // namespace

double Stream::uniform(Index row, Index column) const { return to_unit(draw(seed_, purpose_, row, column, 0)[0]); }

std::uint64_t Stream::bits(Index row, Index column) const { return draw(seed_, purpose_, row, column, 0)[0]; }

double Stream::normal(Index row, Index column) const {
  // Elements 2c and 2c + 1 are the two normals of one accepted pair. Each draw gives two candidate pairs.
  for (std::uint64_t attempt = 1;; ++attempt) {
    const auto bits = draw(seed_, purpose_, row, column / 2, attempt);
    for (std::size_t pair = 0; pair < 4; pair += 2) {
      const double u = 2 * to_unit(bits[pair]) - 1;
      const double v = 2 * to_unit(bits[pair + 1]) - 1;
      const double s = u * u + v * v;
      if (s > 0 && s < 1) return (column % 2 == 0 ? u : v) * std::sqrt(-2 * portable_log(s) / s);
    }
  }
}

Permutation::Permutation(Index size, Stream stream) : size_(size), stream_(stream) {
  while ((Index{1} << (2 * half_bits_)) < size_) ++half_bits_;
}

Index Permutation::operator[](Index i) const {
  constexpr int kRounds = 4;
  const Index mask = (Index{1} << half_bits_) - 1;
  do {
    Index left = i >> half_bits_;
    Index right = i & mask;
    for (int round = 0; round < kRounds; ++round) {
      const Index mixed = left ^ (static_cast<Index>(stream_.bits(right, round)) & mask);
      left = right;
      right = mixed;
    }
    i = (left << half_bits_) | right;
  } while (i >= size_);
  return i;
}

Matrix<double> orthogonal(Index n, Stream stream) {
  // Q = H_0 H_1 … H_{n−1}·diag(signs), where H_j reflects the trailing n − j coordinates so that a Gaussian vector x
  // goes to ∓‖x‖e_1. The last reflection is applied first, so that each step changes the trailing block only.
  Matrix<double> q = Matrix<double>::Identity(n, n);
  Vector<double> v(n);
  for (Index j = n - 1; j >= 0; --j) {
    const Index size = n - j;
    for (Index i = 0; i < size; ++i) v[i] = stream.normal(j, i);
    const double norm = std::sqrt(dot(v.data(), v.data(), size));
    const double sign = v[0] < 0 ? -1 : 1;
    v[0] += sign * norm;
    const double scale = 2 / dot(v.data(), v.data(), size);
    for (Index c = j; c < n; ++c) {
      double* column = q.data() + c * n + j;
      const double factor = scale * dot(v.data(), column, size);
      for (Index i = 0; i < size; ++i) column[i] -= factor * v[i];
    }
    // H x = −sign·‖x‖e_1: R's diagonal is −sign·‖x‖, and the sign fix multiplies Q's column j by −sign.
    q.col(j) *= -sign;
  }
  return q;
}

}  // namespace orthodict::random
