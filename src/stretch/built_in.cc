// SPDX-License-Identifier: Apache-2.0
#include "stretch/built_in.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "orthodict/error.h"

namespace orthodict {
namespace stretch {
namespace {

constexpr auto kIsThreshold = [](const Parameters& p) { return p[0] >= 0 && std::isfinite(p[0]); };

// What they compute is in formulas.cc. Powers whose exponent the compiler knows are faster: see formula_of().
constexpr std::array kBuiltIn = {
    BuiltIn{.name = "l4",
            .help = "|z|^4",
            .formula = Formula::kPower4,
            .defaults = {4},
            .is_homogeneous = true,
            .examples = {"l4"}},
    BuiltIn{.name = "l3",
            .help = "|z|^3",
            .formula = Formula::kPower3,
            .defaults = {3},
            .is_homogeneous = true,
            .examples = {"l3"}},
    BuiltIn{.name = "power",
            .numbers = ":Q",
            .legal = "Q > 2",
            .help = "|z|^Q for any real Q > 2",
            .formula = Formula::kPower,
            .least = 1,
            .most = 1,
            .are_legal = [](const Parameters& p) { return p[0] > 2 && std::isfinite(p[0]); },
            .is_homogeneous = true,
            .examples = {"power:6", "power:4", "power:8", "power:10", "power:12", "power:2.5", "power:3.7"}},
    BuiltIn{.name = "soft",
            .numbers = "[:MU]",
            .legal = "MU ≥ 0",
            .help = "max(|z| - MU, 0)^2 / 2, whose derivative is the soft threshold; MU is 1 when left out",
            .formula = Formula::kSoft,
            .most = 1,
            .defaults = {1},
            .are_legal = kIsThreshold,
            .examples = {"soft", "soft:0.4", "soft:0"}},
    BuiltIn{.name = "hard",
            .numbers = "[:TAU]",
            .legal = "TAU ≥ 0",
            .help = "max(z^2 - TAU^2, 0) / 2, whose derivative is the hard threshold; TAU is 1 when left out",
            .formula = Formula::kHard,
            .most = 1,
            .defaults = {1},
            .are_legal = kIsThreshold,
            .is_smooth = false,
            .examples = {"hard", "hard:0.75"}},
    BuiltIn{.name = "logcosh",
            .help = "log cosh z, whose derivative is tanh",
            .formula = Formula::kLogCosh,
            .is_subquadratic = true,
            .examples = {"logcosh"}},
    BuiltIn{
        .name = "mixture",
        .numbers = ":THETA,S0,S1",
        .legal = "0 < THETA < 1, 0 < S0 < S1",
        .help = "its derivative is the posterior mean of N(0, S1^2), of probability THETA, in N(0, S0^2) noise",
        .formula = Formula::kMixture,
        .least = 3,
        .most = 3,
        .are_legal =
            [](const Parameters& p) { return p[0] > 0 && p[0] < 1 && p[1] > 0 && p[1] < p[2] && std::isfinite(p[2]); },
        .examples = {"mixture:0.3,0.5,1.5", "mixture:0.7,0.2,1.1"}},
};

// "l4, l3, power:Q (Q > 2), …"
std::string legal_names() {
  std::string list;
  for (const BuiltIn& row : kBuiltIn) {
    if (!list.empty()) list += &row == &kBuiltIn.back() ? " or " : ", ";
    list += fmt::format("{}{}", row.name, row.numbers);
    if (!row.legal.empty()) list += fmt::format(" ({})", row.legal);
  }
  return list;
}

Formula formula_of(const BuiltIn& row, const Parameters& parameters) {
  if (row.formula != Formula::kPower) return row.formula;
  for (const auto& [order, formula] : {std::pair{3, Formula::kPower3},
                                       {4, Formula::kPower4},
                                       {6, Formula::kPower6},
                                       {8, Formula::kPower8},
                                       {10, Formula::kPower10}}) {
    if (parameters[0] == order) return formula;
  }
  return Formula::kPower;
}

// The shortest name: that of a row without numbers where one computes the same.
std::string name_of(const BuiltIn& row, const Parameters& parameters) {
  const Formula formula = formula_of(row, parameters);
  for (const BuiltIn& plain : kBuiltIn) {
    if (plain.most == 0 && plain.formula == formula && plain.defaults == parameters) return std::string(plain.name);
  }
  const std::span<const double> numbers = std::span(parameters).first(row.most);
  return fmt::format("{}:{}", row.name, fmt::join(numbers, ","));
}

class BuiltInStretch final : public Stretch {
 public:
  BuiltInStretch(const BuiltIn& row, const Parameters& parameters)
      : row_(row),
        formula_(formula_of(row, parameters)),
        parameters_(parameters),
        name_(stretch::name_of(row, parameters)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] double value(double z) const override { return at(z).value; }
  [[nodiscard]] double derivative(double z) const override { return at(z).derivative; }
  [[nodiscard]] double second_derivative(double z) const override { return at(z).curvature; }
  [[nodiscard]] std::optional<double> degree() const override {
    return row_.is_homogeneous ? std::optional(parameters_[0]) : std::nullopt;
  }
  [[nodiscard]] bool is_convex() const override { return true; }
  [[nodiscard]] bool is_smooth() const override { return row_.is_smooth; }
  [[nodiscard]] bool is_subquadratic() const override { return row_.is_subquadratic; }

  void apply(float* z, Index atoms, Index count, const StretchSums<float>& sums) const override {
    stretch::apply(Coefficients::kReal, formula_, parameters_, z, atoms, count, sums);
  }
  void apply_to_complex(float* z, Index rows, Index count, const StretchSums<float>& sums) const override {
    stretch::apply(Coefficients::kComplex, formula_, parameters_, z, rows, count, sums);
  }
  void apply(double* z, Index atoms, Index count, const StretchSums<double>& sums) const override {
    stretch::apply(Coefficients::kReal, formula_, parameters_, z, atoms, count, sums);
  }
  void apply_to_complex(double* z, Index rows, Index count, const StretchSums<double>& sums) const override {
    stretch::apply(Coefficients::kComplex, formula_, parameters_, z, rows, count, sums);
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

  const BuiltIn& row_;
  Formula formula_;
  Parameters parameters_;
  std::string name_;
};

std::shared_ptr<const Stretch> make(const BuiltIn& row, const Parameters& parameters) {
  if (!row.are_legal(parameters)) throw option_error("stretch", name_of(row, parameters), legal_names());
  return std::make_shared<BuiltInStretch>(row, parameters);
}

const BuiltIn* find(std::string_view name) {
  const auto* found =
      std::find_if(kBuiltIn.begin(), kBuiltIn.end(), [&](const BuiltIn& row) { return row.name == name; });
  return found == kBuiltIn.end() ? nullptr : found;
}

// The numbers after the colon, separated by commas. Nothing where the text is something else, or one isn't finite.
std::optional<std::vector<double>> parse_numbers(std::string_view text) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* end = text.data() + text.size();
  for (;;) {
    double number = 0;
    const auto [parsed_to, status] = std::from_chars(at, end, number);
    const bool whole = status == std::errc{} && (parsed_to == end || *parsed_to == ',') && std::isfinite(number);
    if (!whole) return std::nullopt;
    numbers.push_back(number);
    if (parsed_to == end) return numbers;
    at = parsed_to + 1;
  }
}

}  // namespace

std::span<const BuiltIn> built_in_stretches() { return kBuiltIn; }

std::shared_ptr<const Stretch> power(double q) { return make(*find("power"), {q}); }
std::shared_ptr<const Stretch> soft(double mu) { return make(*find("soft"), {mu}); }
std::shared_ptr<const Stretch> hard(double tau) { return make(*find("hard"), {tau}); }
std::shared_ptr<const Stretch> log_cosh() { return make(*find("logcosh"), {}); }
std::shared_ptr<const Stretch> mixture(double theta, double s0, double s1) {
  return make(*find("mixture"), {theta, s0, s1});
}

}  // namespace stretch

std::shared_ptr<const Stretch> make_stretch(const std::string& name) {
  const std::string_view text = name;
  const std::size_t colon = text.find(':');
  const stretch::BuiltIn* row = stretch::find(text.substr(0, colon));
  const auto numbers =
      colon == std::string_view::npos ? std::vector<double>() : stretch::parse_numbers(text.substr(colon + 1));
  if (row == nullptr || !numbers || numbers->size() < row->least || numbers->size() > row->most) {
    throw option_error("stretch", name, stretch::legal_names());
  }
  stretch::Parameters parameters = row->defaults;
  std::copy(numbers->begin(), numbers->end(), parameters.begin());
  return stretch::make(*row, parameters);
}

std::vector<StretchName> stretch_names() {
  std::vector<StretchName> names;
  names.reserve(stretch::kBuiltIn.size());
  for (const stretch::BuiltIn& row : stretch::kBuiltIn) {
    names.push_back({std::string(row.name) + std::string(row.numbers), std::string(row.help)});
  }
  return names;
}

}  // namespace orthodict
