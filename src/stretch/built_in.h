// SPDX-License-Identifier: Apache-2.0
// The built-in stretches, a row each: make_stretch(), its messages, the command's help and the tests read them.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "orthodict/stretch.h"
#include "stretch/formulas.h"

namespace orthodict::stretch {

struct BuiltIn {
  std::string_view name;          // before the colon
  std::string_view numbers = {};  // the colon and what follows it; in brackets what may be left out
  std::string_view legal = {};    // range of the numbers, for messages
  std::string_view help;
  Formula formula;
  std::size_t least = 0;     // how many numbers may be given
  std::size_t most = 0;      // … and how many the formula has
  Parameters defaults = {};  // for numbers that are left out
  bool (*are_legal)(const Parameters&) = [](const Parameters&) { return true; };
  // Properties of φ, as in Stretch. It is convex.
  bool is_homogeneous = false;  // of degree parameters[0]
  bool is_smooth = true;
  bool is_subquadratic = false;
  // Names that the tests of all stretches go through; those beyond the first differ in how they are computed.
  std::array<const char*, 8> examples = {};
};

[[nodiscard]] std::span<const BuiltIn> built_in_stretches();

// Those of make_stretch(), from the numbers in their names. They throw Error where those are out of range.
[[nodiscard]] std::shared_ptr<const Stretch> power(double q);
[[nodiscard]] std::shared_ptr<const Stretch> soft(double mu);
[[nodiscard]] std::shared_ptr<const Stretch> hard(double tau);
[[nodiscard]] std::shared_ptr<const Stretch> log_cosh();
[[nodiscard]] std::shared_ptr<const Stretch> mixture(double theta, double s0, double s1);

}  // namespace orthodict::stretch
