// SPDX-License-Identifier: Apache-2.0
// Data for benchmarks.
#pragma once

#include <cmath>
#include <map>
#include <type_traits>
#include <utility>

#include "engine/pass.h"
#include "linalg/blas.h"
#include "orthodict/samples.h"
#include "random/stream.h"

namespace orthodict::bench {

template <typename Scalar>
constexpr engine::Arithmetic kArithmetic =
    std::is_same_v<Scalar, float> ? engine::Arithmetic::kF32 : engine::Arithmetic::kF64;

// Cached per n and seed, because it takes longer than the benchmarks that use it.
inline const Matrix<double>& rotation(Index n, std::uint64_t seed) {
  static std::map<std::pair<Index, std::uint64_t>, Matrix<double>> made;
  const auto [entry, is_new] = made.try_emplace({n, seed});
  if (is_new) entry->second = random::orthogonal(n, random::Stream(seed, random::Purpose::kInitialization));
  return entry->second;
}

// U·diag(σ)·Vᵀ, where σ decreases geometrically from 1 to 1/condition.
inline Matrix<double> with_condition(Index n, double condition) {
  Vector<double> sigma(n);
  for (Index i = 0; i < n; ++i) sigma[i] = std::pow(condition, -static_cast<double>(i) / static_cast<double>(n - 1));
  return linalg::multiply(Matrix<double>(rotation(n, 1) * sigma.asDiagonal()), rotation(n, 2));
}

// Uniform on [−1, 1), by a fast generator, since there are up to 10⁸ numbers.
template <typename Scalar>
Matrix<Scalar> uniform(Index rows, Index columns) {
  std::uint64_t state = 1;
  return Matrix<Scalar>::NullaryExpr(rows, columns, [&state] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<Scalar>(static_cast<double>(state >> 11) * 0x1p-52 - 1);
  });
}

}  // namespace orthodict::bench
