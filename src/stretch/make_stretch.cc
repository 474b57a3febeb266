// SPDX-License-Identifier: Apache-2.0
// The built-in stretches. Each is a small functor, φ(z) with its first two derivatives for any scalar type;
// BuiltIn<F> turns it into a Stretch whose block form the compiler can unroll.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "orthodict/error.h"
#include "orthodict/stretch.h"

namespace orthodict {
namespace {

template <typename Scalar>
struct Taylor {
  Scalar value, derivative, curvature;
};

// |z|^Q for a small integer Q known to the compiler: the orders of the paper without std::pow.
template <int Q>
struct IntegerPower {
  template <typename Scalar>
  Taylor<Scalar> operator()(Scalar z) const {
    const Scalar a = std::abs(z);
    Scalar a_q2 = 1;  // |z|^(Q−2)
    for (int i = 0; i < Q - 2; ++i) a_q2 *= a;
    return {a_q2 * a * a, Q * a_q2 * z, Scalar(Q * (Q - 1)) * a_q2};
  }
  [[nodiscard]] std::string name() const { return Q <= 4 ? fmt::format("l{}", Q) : fmt::format("power:{}", Q); }
  [[nodiscard]] std::optional<double> degree() const { return Q; }
  static constexpr bool kSmooth = true;
  static constexpr bool kSubquadratic = false;
};

struct RealPower {
  double q;
  template <typename Scalar>
  Taylor<Scalar> operator()(Scalar z) const {
    const auto order = static_cast<Scalar>(q);
    const Scalar a = std::abs(z);
    const Scalar a_q2 = std::pow(a, order - 2);
    return {a_q2 * a * a, order * a_q2 * z, order * (order - 1) * a_q2};
  }
  [[nodiscard]] std::string name() const { return fmt::format("power:{}", q); }
  [[nodiscard]] std::optional<double> degree() const { return q; }
  static constexpr bool kSmooth = true;
  static constexpr bool kSubquadratic = false;
};

struct SoftThreshold {
  double mu;
  template <typename Scalar>
  Taylor<Scalar> operator()(Scalar z) const {
    const Scalar excess = std::max(std::abs(z) - static_cast<Scalar>(mu), Scalar(0));
    return {excess * excess / 2, std::copysign(excess, z), Scalar(excess > 0 ? 1 : 0)};
  }
  [[nodiscard]] std::string name() const { return fmt::format("soft:{}", mu); }
  [[nodiscard]] std::optional<double> degree() const { return std::nullopt; }
  static constexpr bool kSmooth = true;
  static constexpr bool kSubquadratic = false;
};

struct HardThreshold {
  double tau;
  template <typename Scalar>
  Taylor<Scalar> operator()(Scalar z) const {
    const auto t = static_cast<Scalar>(tau);
    const bool kept = std::abs(z) > t;
    return {kept ? (z * z - t * t) / 2 : Scalar(0), kept ? z : Scalar(0), Scalar(kept ? 1 : 0)};
  }
  [[nodiscard]] std::string name() const { return fmt::format("hard:{}", tau); }
  [[nodiscard]] std::optional<double> degree() const { return std::nullopt; }
  static constexpr bool kSmooth = false;
  static constexpr bool kSubquadratic = false;
};

struct LogCosh {
  template <typename Scalar>
  Taylor<Scalar> operator()(Scalar z) const {
    // log cosh z = |z| + log(1 + e^(−2|z|)) − log 2, which neither overflows nor cancels for large |z|; for small |z|
    // it cancels, and log1p(2 sinh²(z/2)) is used.
    const Scalar a = std::abs(z);
    const Scalar t = std::tanh(z);
    const Scalar s = std::sinh(std::min(a, Scalar(1)) / 2);
    const Scalar value = a < 1 ? std::log1p(2 * s * s) : a + std::log1p(std::exp(-2 * a)) - Scalar(M_LN2);
    return {value, t, (1 - t) * (1 + t)};
  }
  [[nodiscard]] std::string name() const { return "logcosh"; }
  [[nodiscard]] std::optional<double> degree() const { return std::nullopt; }
  static constexpr bool kSmooth = true;
  static constexpr bool kSubquadratic = true;
};

template <typename F>
class BuiltIn final : public Stretch {
 public:
  explicit BuiltIn(F f = {}) : f_(f) {}

  [[nodiscard]] std::string name() const override { return f_.name(); }
  [[nodiscard]] double value(double z) const override { return f_(z).value; }
  [[nodiscard]] double derivative(double z) const override { return f_(z).derivative; }
  [[nodiscard]] double second_derivative(double z) const override { return f_(z).curvature; }
  [[nodiscard]] std::optional<double> degree() const override { return f_.degree(); }
  [[nodiscard]] bool is_convex() const override { return true; }
  [[nodiscard]] bool is_smooth() const override { return F::kSmooth; }
  [[nodiscard]] bool is_subquadratic() const override { return F::kSubquadratic; }

  void apply(float* z, Index atoms, Index count, const StretchSums<float>& sums) const override {
    apply_block(z, atoms, count, sums);
  }
  void apply(double* z, Index atoms, Index count, const StretchSums<double>& sums) const override {
    apply_block(z, atoms, count, sums);
  }

 private:
  template <typename Scalar>
  void apply_block(Scalar* z, Index atoms, Index count, const StretchSums<Scalar>& sums) const {
    for (Index j = 0; j < count; ++j, z += atoms) {
      for (Index i = 0; i < atoms; ++i) {
        const Taylor<Scalar> t = f_(z[i]);
        sums.value[i] += t.value;
        sums.derivative[i] += t.derivative;
        sums.curvature[i] += t.curvature;
        z[i] = t.derivative;
      }
    }
  }

  F f_;
};

template <typename F>
std::shared_ptr<const Stretch> built_in(F f = {}) {
  return std::make_shared<BuiltIn<F>>(f);
}

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
  if (q == 3) return built_in<IntegerPower<3>>();
  if (q == 4) return built_in<IntegerPower<4>>();
  if (q == 6) return built_in<IntegerPower<6>>();
  if (q == 8) return built_in<IntegerPower<8>>();
  if (q == 10) return built_in<IntegerPower<10>>();
  return built_in(RealPower{q});
}

}  // namespace

std::shared_ptr<const Stretch> make_stretch(const std::string& name) {
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  const bool has_parameter = colon != std::string::npos;
  const double parameter = has_parameter ? parse_parameter(name, name.substr(colon + 1)) : 1.0;

  if (kind == "power" && has_parameter && parameter > 2) return make_power(parameter);
  if (kind == "soft" && parameter >= 0) return built_in(SoftThreshold{parameter});
  if (kind == "hard" && parameter >= 0) return built_in(HardThreshold{parameter});
  if (!has_parameter) {
    if (kind == "l4") return make_power(4);
    if (kind == "l3") return make_power(3);
    if (kind == "logcosh") return built_in<LogCosh>();
  }
  throw option_error("stretch", name, kLegal);
}

}  // namespace orthodict
