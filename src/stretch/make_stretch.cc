// SPDX-License-Identifier: Apache-2.0
// The built-in stretches by name. What they compute is in formulas.cc.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "orthodict/error.h"
#include "orthodict/stretch.h"
#include "stretch/formulas.h"

namespace orthodict {
namespace {

using stretch::Formula;

class BuiltIn final : public Stretch {
 public:
  BuiltIn(Formula formula, double parameter, std::string name)
      : formula_(formula), parameter_(parameter), name_(std::move(name)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] double value(double z) const override { return at(z).value; }
  [[nodiscard]] double derivative(double z) const override { return at(z).derivative; }
  [[nodiscard]] double second_derivative(double z) const override { return at(z).curvature; }
  [[nodiscard]] std::optional<double> degree() const override {
    const bool threshold = formula_ == Formula::kSoft || formula_ == Formula::kHard;
    if (threshold || formula_ == Formula::kLogCosh) return std::nullopt;
    return parameter_;
  }
  [[nodiscard]] bool is_convex() const override { return true; }
  [[nodiscard]] bool is_smooth() const override { return formula_ != Formula::kHard; }
  [[nodiscard]] bool is_subquadratic() const override { return formula_ == Formula::kLogCosh; }

  void apply(float* z, Index atoms, Index count, const StretchSums<float>& sums) const override {
    stretch::apply(formula_, parameter_, z, atoms, count, sums);
  }
  void apply(double* z, Index atoms, Index count, const StretchSums<double>& sums) const override {
    stretch::apply(formula_, parameter_, z, atoms, count, sums);
  }

 private:
  struct Values {
    double value = 0, derivative = 0, curvature = 0;
  };
  // The sums over a single coefficient.
  [[nodiscard]] Values at(double z) const {
    Values t;
    apply(&z, 1, 1, StretchSums<double>{&t.value, &t.derivative, &t.curvature});
    return t;
  }

  Formula formula_;
  double parameter_;
  std::string name_;
};

constexpr const char* kLegal = "l4, l3, power:Q (Q > 2), soft[:MU] (MU ≥ 0), hard[:TAU] (TAU ≥ 0) or logcosh";

double parse_parameter(const std::string& name, const std::string& text) {
  double parameter = 0;
  const char* end = text.data() + text.size();
  const auto [parsed_to, status] = std::from_chars(text.data(), end, parameter);
  if (status != std::errc{} || parsed_to != end || !std::isfinite(parameter))
    throw option_error("stretch", name, kLegal);
  return parameter;
}

std::shared_ptr<const Stretch> make_power(double q) {
  const std::string name = q == 3 || q == 4 ? fmt::format("l{}", q) : fmt::format("power:{}", q);
  for (const auto& [order, formula] : {std::pair{3, Formula::kPower3},
                                       {4, Formula::kPower4},
                                       {6, Formula::kPower6},
                                       {8, Formula::kPower8},
                                       {10, Formula::kPower10}}) {
    if (q == order) return std::make_shared<BuiltIn>(formula, q, name);
  }
  return std::make_shared<BuiltIn>(Formula::kPower, q, name);
}

}  // namespace

std::shared_ptr<const Stretch> make_stretch(const std::string& name) {
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  const bool has_parameter = colon != std::string::npos;
  const double parameter = has_parameter ? parse_parameter(name, name.substr(colon + 1)) : 1.0;
  const std::string full_name = fmt::format("{}:{}", kind, parameter);

  if (kind == "power" && has_parameter && parameter > 2) return make_power(parameter);
  if (kind == "soft" && parameter >= 0) return std::make_shared<BuiltIn>(Formula::kSoft, parameter, full_name);
  if (kind == "hard" && parameter >= 0) return std::make_shared<BuiltIn>(Formula::kHard, parameter, full_name);
  if (!has_parameter) {
    if (kind == "l4") return make_power(4);
    if (kind == "l3") return make_power(3);
    if (kind == "logcosh") return std::make_shared<BuiltIn>(Formula::kLogCosh, parameter, name);
  }
  throw option_error("stretch", name, kLegal);
}

}  // namespace orthodict
