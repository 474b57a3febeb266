// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "orthodict/types.h"

namespace orthodict::soak {

// Random numbers that are a function of seed, case and position, so that a case can be redrawn at any time in any
// thread.
class Draw {
 public:
  Draw(std::uint64_t seed, std::uint64_t number) : key_(mix(mix(seed) + number)) {}

  [[nodiscard]] std::uint64_t bits() { return mix(key_ + 0x9e3779b97f4a7c15U * ++place_); }
  [[nodiscard]] double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  [[nodiscard]] bool chance(double probability) { return uniform() < probability; }
  // Uniform from `least` to `most`, inclusive.
  [[nodiscard]] Index integer(Index least, Index most) {
    return least + static_cast<Index>(bits() % static_cast<std::uint64_t>(most - least + 1));
  }
  // Log-uniform from `least` to `most`.
  [[nodiscard]] double size(double least, double most) { return least * std::pow(most / least, uniform()); }
  template <typename T, std::size_t kCount>
  [[nodiscard]] T one_of(const T (&values)[kCount]) {
    return values[bits() % kCount];
  }

 private:
  // The output function of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  }

  std::uint64_t key_;
  std::uint64_t place_ = 0;
};

}  // namespace orthodict::soak
