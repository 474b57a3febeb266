// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orthodict/export.h"
#include "orthodict/types.h"

namespace orthodict {

// Where the sums over a block go, one entry per atom (row of the block).
template <typename Scalar>
struct StretchSums {
  Scalar* value;       // += Σ_j φ(z_ij)
  Scalar* derivative;  // += Σ_j φ'(z_ij)
  Scalar* curvature;   // += Σ_j φ''(z_ij)
};

// An even function φ whose sum over all coefficients is maximised; its derivative is the "stretch" of match, stretch,
// project. The solver hands it coefficients in units of their root mean square, so that thresholds mean the same for
// data of any scale; for a homogeneous φ the unit cancels.
//
// It satisfies, and check_stretch() tests:
//   φ(−z) = φ(z), φ(0) = 0
//   derivative = dφ/dz where φ is differentiable, second_derivative = d²φ/dz² where that exists
//   degree() = q   ⇒  φ(sz) = |s|^q φ(z)
//   is_convex()    ⇒  φ' never decreases (then a step never lowers Σφ)
//   is_smooth()    ⇒  φ' is continuous (bias removal needs that)
//   apply() agrees with the three functions above
// All functions are called from several threads at once.
class ORTHODICT_EXPORT Stretch {
 public:
  Stretch() = default;
  Stretch(const Stretch&) = delete;
  Stretch& operator=(const Stretch&) = delete;
  virtual ~Stretch() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual double value(double z) const = 0;
  [[nodiscard]] virtual double derivative(double z) const = 0;
  [[nodiscard]] virtual double second_derivative(double z) const = 0;
  [[nodiscard]] virtual std::optional<double> degree() const { return std::nullopt; }
  [[nodiscard]] virtual bool is_convex() const = 0;
  [[nodiscard]] virtual bool is_smooth() const = 0;
  // φ grows more slowly than z²: maximising Σφ alone seeks the least sparse directions, and only with bias removal the
  // sparse ones.
  [[nodiscard]] virtual bool is_subquadratic() const { return false; }

  // z (atoms×count, column-major, contiguous) ← φ'(z), and adds to the sums. A stretch of your own needs only the
  // functions above; overriding these makes it faster.
  virtual void apply(float* z, Index atoms, Index count, const StretchSums<float>& sums) const;
  virtual void apply(double* z, Index atoms, Index count, const StretchSums<double>& sums) const;
};

// A stretch by name, such as l4, power:2.5 or soft:0.5; stretch_names() lists them. Throws Error that names the option
// "stretch", the value and what is legal.
[[nodiscard]] ORTHODICT_EXPORT std::shared_ptr<const Stretch> make_stretch(const std::string& name);

// The names that make_stretch() takes, with what stands for numbers in capitals, and in brackets where it may be left
// out: "power:Q", "soft[:MU]".
struct StretchName {
  std::string name;
  std::string help;  // φ in a line
};
[[nodiscard]] ORTHODICT_EXPORT std::vector<StretchName> stretch_names();

// What a stretch that is made of functions claims about itself, as the members of Stretch of these names do.
struct ORTHODICT_EXPORT StretchTraits {
  std::optional<double> degree = {};
  bool is_convex = false;
  bool is_smooth = false;
  bool is_subquadratic = false;
};

// A stretch made of φ, φ' and φ'', for Options::custom_stretch:
//   make_stretch("sqrt", [](double z) { return std::sqrt(1 + z * z) - 1; }, …)
// The functions are called from several threads at once. Throws Error, with what check_stretch() finds, when they don't
// fit together or don't have these traits.
[[nodiscard]] ORTHODICT_EXPORT std::shared_ptr<const Stretch> make_stretch(
    std::string name, std::function<double(double)> value, std::function<double(double)> derivative,
    std::function<double(double)> second_derivative, const StretchTraits& traits = {});

// Checks the identities above on a grid of points. Returns what is violated first, empty when all hold.
[[nodiscard]] ORTHODICT_EXPORT std::string check_stretch(const Stretch& stretch);

}  // namespace orthodict
