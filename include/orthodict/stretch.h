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

// Accumulators for sums over a block, one entry per atom (row of the block).
template <typename Scalar>
struct StretchSums {
  Scalar* value;       // += Σ_j φ(z_ij)
  Scalar* derivative;  // += Σ_j φ'(z_ij)
  Scalar* curvature;   // += Σ_j φ''(z_ij)
};

// An even function φ whose sum over all coefficients is maximized; its derivative is the "stretch" of match, stretch,
// project. The solver passes coefficients in units of their root mean square, so that thresholds don't depend on the
// scale of the data; for a homogeneous φ the unit cancels.
//
// Requirements, which check_stretch() tests:
//   φ(−z) = φ(z), φ(0) = 0
//   derivative = dφ/dz where φ is differentiable, second_derivative = d²φ/dz² where that exists
//   degree() = q   ⇒  φ(sz) = |s|^q φ(z)
//   is_convex()    ⇒  φ' never decreases (then a step never lowers Σφ)
//   is_smooth()    ⇒  φ' is continuous (required for bias removal)
//   apply() agrees with the three functions above
// All functions are called by several threads at once.
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
  // Whether φ grows more slowly than z². Maximizing Σφ then finds sparse directions only with bias removal; without,
  // the least sparse ones.
  [[nodiscard]] virtual bool is_subquadratic() const { return false; }

  // Adds to the sums and sets z ← φ'(z), for z of atoms×count, column-major, contiguous. Overriding these is optional
  // and makes a stretch faster.
  virtual void apply(float* z, Index atoms, Index count, const StretchSums<float>& sums) const;
  virtual void apply(double* z, Index atoms, Index count, const StretchSums<double>& sums) const;

  // The same for complex coefficients, each in two neighbouring rows, its real and its imaginary part: a function of
  // |z|. Sets z ← φ'(|z|)·z/|z|. To both rows of the sums it adds half of φ, φ' of the row's part, and
  // ½(φ'' + φ'/|z|), half of the Laplacian of φ(|z|). With mean |z|² = 1 as the unit.
  virtual void apply_to_complex(float* z, Index rows, Index count, const StretchSums<float>& sums) const;
  virtual void apply_to_complex(double* z, Index rows, Index count, const StretchSums<double>& sums) const;
};

// Returns a stretch by name, such as l4, power:2.5 or soft:0.5. Throws Error that names the option "stretch", the value
// and the legal values.
[[nodiscard]] ORTHODICT_EXPORT std::shared_ptr<const Stretch> make_stretch(const std::string& name);

// The names that make_stretch() accepts. Placeholders of numbers are in capitals, optional parts in brackets:
// "power:Q", "soft[:MU]".
struct StretchName {
  std::string name;
  std::string help;  // one line
};
[[nodiscard]] ORTHODICT_EXPORT std::vector<StretchName> stretch_names();

// The properties of a stretch that is made of functions; see the members of Stretch of these names.
struct ORTHODICT_EXPORT StretchTraits {
  std::optional<double> degree = {};
  bool is_convex = false;
  bool is_smooth = false;
  bool is_subquadratic = false;
};

// A stretch made of φ, φ' and φ'', for Options::custom_stretch:
//   make_stretch("sqrt", [](double z) { return std::sqrt(1 + z * z) - 1; }, …)
// The functions are called by several threads at once. Throws Error with the result of check_stretch() if they
// contradict each other or the traits.
[[nodiscard]] ORTHODICT_EXPORT std::shared_ptr<const Stretch> make_stretch(
    std::string name, std::function<double(double)> value, std::function<double(double)> derivative,
    std::function<double(double)> second_derivative, const StretchTraits& traits = {});

// Tests the requirements above on a grid of points. Returns a description of the first violation, empty if there is
// none.
[[nodiscard]] ORTHODICT_EXPORT std::string check_stretch(const Stretch& stretch);

}  // namespace orthodict
