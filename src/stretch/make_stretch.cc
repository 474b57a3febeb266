// SPDX-License-Identifier: Apache-2.0
// The built-in stretches by name. What they compute is in formulas.cc.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "orthodict/error.h"
#include "orthodict/stretch.h"
#include "stretch/formulas.h"

namespace orthodict {
namespace {

using stretch::Formula;
using stretch::Parameters;

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

constexpr const char* kLegal =
    "l4, l3, power:Q (Q > 2), soft[:MU] (MU ≥ 0), hard[:TAU] (TAU ≥ 0), logcosh or mixture:THETA,S0,S1 "
    "(0 < THETA < 1, 0 < S0 < S1)";

// The numbers after the colon, separated by commas: at most as many as there are parameters.
std::vector<double> parse_numbers(const std::string& name, std::size_t from) {
  std::vector<double> numbers;
  const char* at = name.data() + from;
  const char* end = name.data() + name.size();
  for (;;) {
    double number = 0;
    const auto [parsed_to, status] = std::from_chars(at, end, number);
    const bool whole = status == std::errc{} && (parsed_to == end || *parsed_to == ',') && std::isfinite(number);
    if (!whole || numbers.size() == std::tuple_size_v<Parameters>) throw option_error("stretch", name, kLegal);
    numbers.push_back(number);
    if (parsed_to == end) return numbers;
    at = parsed_to + 1;
  }
}

std::shared_ptr<const Stretch> make_power(double q) {
  const std::string name = q == 3 || q == 4 ? fmt::format("l{}", q) : fmt::format("power:{}", q);
  for (const auto& [order, formula] : {std::pair{3, Formula::kPower3},
                                       {4, Formula::kPower4},
                                       {6, Formula::kPower6},
                                       {8, Formula::kPower8},
                                       {10, Formula::kPower10}}) {
    if (q == order) return std::make_shared<BuiltIn>(formula, Parameters{q}, name);
  }
  return std::make_shared<BuiltIn>(Formula::kPower, Parameters{q}, name);
}

}  // namespace

std::shared_ptr<const Stretch> make_stretch(const std::string& name) {
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  const std::vector<double> numbers =
      colon == std::string::npos ? std::vector<double>() : parse_numbers(name, colon + 1);
  const double first = numbers.empty() ? 1 : numbers[0];
  const auto threshold = [&](Formula formula) {
    return std::make_shared<BuiltIn>(formula, Parameters{first}, fmt::format("{}:{}", kind, first));
  };

  if (numbers.empty()) {
    if (kind == "l4") return make_power(4);
    if (kind == "l3") return make_power(3);
    if (kind == "logcosh") return std::make_shared<BuiltIn>(Formula::kLogCosh, Parameters{}, name);
  }
  if (numbers.size() <= 1) {
    if (kind == "power" && !numbers.empty() && first > 2) return make_power(first);
    if (kind == "soft" && first >= 0) return threshold(Formula::kSoft);
    if (kind == "hard" && first >= 0) return threshold(Formula::kHard);
  }
  if (kind == "mixture" && numbers.size() == 3 && first > 0 && first < 1 && numbers[1] > 0 && numbers[1] < numbers[2]) {
    return std::make_shared<BuiltIn>(Formula::kMixture, Parameters{first, numbers[1], numbers[2]},
                                     fmt::format("mixture:{}", fmt::join(numbers, ",")));
  }
  throw option_error("stretch", name, kLegal);
}

}  // namespace orthodict
