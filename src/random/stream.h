// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "orthodict/export.h"
#include "orthodict/types.h"

namespace orthodict::random {

// What the numbers are used for. Streams with equal seeds and different purposes are independent.
enum class Purpose : std::uint64_t {
  kInitialization = 1,
  kDictionaryLeft,
  kDictionaryRight,
  kCoefficients,
  kNoise,
  kOutliers,
  kCorruption,
  kSubsample,
  kShaking,
  kHalves,
  kResiduals,
  kSupports,
};

// Counter-based random numbers (Philox4x64 of Random123). A number is a pure function of seed, purpose and position, so
// it depends on neither the order of calls nor threads. Only exactly rounded operations (+ − × ÷ √) follow, so it
// doesn't depend on the platform's mathematical library.
class ORTHODICT_EXPORT Stream {
 public:
  Stream(std::uint64_t seed, Purpose purpose) : seed_(seed), purpose_(purpose) {}

  // Uniform in [0, 1): element `column` of row `row`.
  [[nodiscard]] double uniform(Index row, Index column) const;
  // 64 random bits for the same position.
  [[nodiscard]] std::uint64_t bits(Index row, Index column) const;
  // Standard normal, by Marsaglia's polar method.
  [[nodiscard]] double normal(Index row, Index column) const;

 private:
  std::uint64_t seed_;
  Purpose purpose_;
};

// A random permutation of 0 … size − 1 that needs no memory: a Feistel network on the smallest suitable power of four,
// applied repeatedly until the value is in range (Black and Rogaway, CT-RSA 2002).
class ORTHODICT_EXPORT Permutation {
 public:
  Permutation(Index size, Stream stream);
  [[nodiscard]] Index operator[](Index i) const;

 private:
  Index size_;
  int half_bits_ = 1;
  Stream stream_;
};

// A Haar-distributed orthogonal n×n matrix: the Q of a Gaussian matrix's QR factorisation, with signs that make R's
// diagonal positive. It is built directly as a product of Householder reflections (Stewart 1980).
ORTHODICT_EXPORT Matrix<double> orthogonal(Index n, Stream stream);

}  // namespace orthodict::random
