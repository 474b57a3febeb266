// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <variant>

#include "orthodict/export.h"
#include "orthodict/types.h"

namespace orthodict {

// How many atoms to learn. An integer is the number of atoms. A floating-point number in (0, 1) is the share of the
// variance that they must hold. So 1 is one atom, and 1.0 is a share out of range.
class ORTHODICT_EXPORT Atoms {
 public:
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) Atoms(Number count)  // NOLINT(google-explicit-constructor): options.atoms = 5
      : value_(static_cast<Index>(count)) {}
  template <std::floating_point Number>
  Atoms(Number share)  // NOLINT(google-explicit-constructor): options.atoms = 0.99
      : value_(static_cast<double>(share)) {}

  [[nodiscard]] std::optional<Index> count() const { return get<Index>(); }
  [[nodiscard]] std::optional<double> share() const { return get<double>(); }
  [[nodiscard]] bool is_legal() const;     // a number ≥ 1, or a share in (0, 1)
  [[nodiscard]] std::string text() const;  // 5, or 0.99
  bool operator==(const Atoms&) const = default;

 private:
  template <typename T>
  [[nodiscard]] std::optional<T> get() const {
    const T* value = std::get_if<T>(&value_);
    return value != nullptr ? std::optional(*value) : std::nullopt;
  }
  std::variant<Index, double> value_;
};

}  // namespace orthodict
