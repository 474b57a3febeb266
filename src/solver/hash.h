// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace orthodict::solver {

// Detects whether numbers are the same to the bit. Not cryptographic.
template <typename Number>
[[nodiscard]] std::uint64_t hash_of(std::span<const Number> values, std::uint64_t hash = 0xcbf29ce484222325) {
  static_assert(sizeof(Number) == sizeof(std::uint64_t));
  for (const Number value : values) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

[[nodiscard]] inline std::uint64_t hash_of(std::string_view text) {
  const std::vector<std::uint64_t> words(text.begin(), text.end());
  return hash_of(std::span<const std::uint64_t>(words));
}

// The entries of an Eigen matrix or vector that owns its storage.
template <typename Dense>
[[nodiscard]] std::span<const typename Dense::Scalar> values_of(const Dense& dense) {
  return {dense.data(), static_cast<std::size_t>(dense.size())};
}

}  // namespace orthodict::solver
