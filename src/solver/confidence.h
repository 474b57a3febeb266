// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/types.h"

namespace orthodict::solver {

// An atom with at least this confidence counts as established.
constexpr double kEstablished = 0.5;

[[nodiscard]] inline bool is_any_established(const Vector<double>& confidence) {
  return (confidence.array() >= kEstablished).any();
}
[[nodiscard]] inline bool are_all_established(const Vector<double>& confidence) {
  return (confidence.array() >= kEstablished).all();
}

}  // namespace orthodict::solver
