// SPDX-License-Identifier: Apache-2.0
// The built-in stretches. Their formulas are in formulas.cc.
#include "stretch/factories.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "orthodict/error.h"
#include "stretch/formulas.h"

namespace orthodict::stretch {
namespace {

class BuiltIn final : public Stretch {
 public:
  BuiltIn(Formula formula, const Parameters& parameters, std::string name)
      : formula_(formula), parameters_(parameters), name_(std::move(name)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] double value(double z) const override { return at(z).value; }
  [[nodiscard]] double derivative(double z) const override { return at(z).derivative; }
  [[nodiscard]] double second_derivative(double z) const override { return at(z).curvature; }
  [[nodiscard]] std::optional<double> degree() const override {
    return formula_ <= Formula::kPower ? std::optional(parameters_[0]) : std::nullopt;
  }
  [[nodiscard]] bool is_convex() const override { return true; }
  [[nodiscard]] bool is_smooth() const override { return formula_ != Formula::kHard; }
  [[nodiscard]] bool is_subquadratic() const override { return formula_ == Formula::kLogCosh; }

  void apply(float* z, Index atoms, Index count, const StretchSums<float>& sums) const override {
    stretch::apply(formula_, parameters_, z, atoms, count, sums);
  }
  void apply(double* z, Index atoms, Index count, const StretchSums<double>& sums) const override {
    stretch::apply(formula_, parameters_, z, atoms, count, sums);
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
  Parameters parameters_;
  std::string name_;
};

std::shared_ptr<const Stretch> make(bool legal, Formula formula, const Parameters& parameters, std::string name) {
  if (!legal) throw option_error("stretch", name, kLegalNames);
  return std::make_shared<BuiltIn>(formula, parameters, std::move(name));
}

// Powers with an exponent known at compile time are faster.
Formula formula_of_power(double q) {
  for (const auto& [order, formula] : {std::pair{3, Formula::kPower3},
                                       {4, Formula::kPower4},
                                       {6, Formula::kPower6},
                                       {8, Formula::kPower8},
                                       {10, Formula::kPower10}}) {
    if (q == order) return formula;
  }
  return Formula::kPower;
}

}  // namespace

std::shared_ptr<const Stretch> power(double q) {
  return make(q > 2 && std::isfinite(q), formula_of_power(q), {q},
              q == 3 || q == 4 ? fmt::format("l{}", q) : fmt::format("power:{}", q));
}

std::shared_ptr<const Stretch> soft(double mu) {
  return make(mu >= 0 && std::isfinite(mu), Formula::kSoft, {mu}, fmt::format("soft:{}", mu));
}

std::shared_ptr<const Stretch> hard(double tau) {
  return make(tau >= 0 && std::isfinite(tau), Formula::kHard, {tau}, fmt::format("hard:{}", tau));
}

std::shared_ptr<const Stretch> log_cosh() { return make(true, Formula::kLogCosh, {}, "logcosh"); }

std::shared_ptr<const Stretch> mixture(double theta, double s0, double s1) {
  return make(theta > 0 && theta < 1 && s0 > 0 && s0 < s1 && std::isfinite(s1), Formula::kMixture, {theta, s0, s1},
              fmt::format("mixture:{},{},{}", theta, s0, s1));
}

}  // namespace orthodict::stretch
