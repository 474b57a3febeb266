// SPDX-License-Identifier: Apache-2.0
// φ, φ' and φ'' of the built-in stretches, written once for vectors and compiled for several instruction sets. Highway
// includes this file once per target and selects a target at run time.
#include "stretch/formulas.h"

#include <limits>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stretch/formulas.cc"
#include "simd/targets.h"
// Highway requires this order of includes.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace orthodict::stretch::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class V>
struct Values {
  V value, derivative, curvature;
};

// A formula gets coefficients as one of the two classes below, and returns φ, φ' and φ'' of |z| through by_ratio(), if
// it knows φ'(|z|)/|z|, or by_size(), if it knows φ'(|z|).

// A real coefficient in each lane.
template <class D>
struct RealCoefficients {
  using V = hn::Vec<D>;
  static constexpr bool kIsComplex = false;
  D d;
  V z;

  HWY_INLINE V size() const { return hn::Abs(z); }
  HWY_INLINE V square() const { return hn::Mul(z, z); }
  HWY_INLINE Values<V> by_ratio(V value, V ratio, V curvature) const { return {value, hn::Mul(ratio, z), curvature}; }
  HWY_INLINE Values<V> by_size(V value, V derivative, V curvature) const {
    return {value, hn::CopySign(derivative, z), curvature};
  }
};

// A complex coefficient in two neighbouring lanes, its real and its imaginary part; `other` has the other part in each
// lane. Each lane gets half of the value, and half of the Laplacian of φ(|z|), ½(φ'' + φ'/|z|), as the curvature.
template <class D>
struct ComplexCoefficients {
  using V = hn::Vec<D>;
  static constexpr bool kIsComplex = true;
  D d;
  V z;
  V other;

  HWY_INLINE V size() const { return hn::Sqrt(square()); }
  HWY_INLINE V square() const { return hn::Add(hn::Mul(z, z), hn::Mul(other, other)); }
  HWY_INLINE Values<V> by_ratio(V value, V ratio, V curvature) const {
    const V half = hn::Set(d, hn::TFromD<D>(0.5));
    return {hn::Mul(half, value), hn::Mul(ratio, z), hn::Mul(half, hn::Add(curvature, ratio))};
  }
  HWY_INLINE Values<V> by_size(V value, V derivative, V curvature) const {
    // Where squares underflow the size is zero. There φ' is zero or, for smooth φ, the ratio is φ''(0).
    const V r = size();
    const auto positive = hn::Gt(r, hn::Zero(d));
    return by_ratio(value, hn::IfThenElse(positive, hn::Div(derivative, r), curvature), curvature);
  }
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE RealCoefficients<D> coefficients(D d, V z, std::false_type) {
  return {d, z};
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE ComplexCoefficients<D> coefficients(D d, V z, std::true_type) {
  return {d, z, hn::Reverse2(d, z)};
}

// |z|^Q for an integer Q ≥ 3 known to the compiler.
template <int Q>
struct IntegerPower {
  template <class C, class V = typename C::V>
  HWY_INLINE Values<V> operator()(const C& z) const {
    using Scalar = hn::TFromV<V>;
    const V square = z.square();
    V rest = Q % 2 == 0 ? hn::Set(z.d, Scalar(1)) : z.size();  // grows to |z|^(Q−2)
    for (int i = 2 + Q % 2; i < Q; i += 2) rest = hn::Mul(rest, square);
    return z.by_ratio(hn::Mul(rest, square), hn::Mul(hn::Set(z.d, Scalar(Q)), rest),
                      hn::Mul(hn::Set(z.d, Scalar(Q * (Q - 1))), rest));
  }
};

// z|^2.5 by a square root, which is faster than the logarithm that other real powers need.
struct PowerTwoAndAHalf {
  template <class C, class V = typename C::V>
  HWY_INLINE Values<V> operator()(const C& z) const {
    using Scalar = hn::TFromV<V>;
    const V root = hn::Sqrt(z.size());
    return z.by_ratio(hn::Mul(root, z.square()), hn::Mul(hn::Set(z.d, Scalar(2.5)), root),
                      hn::Mul(hn::Set(z.d, Scalar(3.75)), root));
  }
};

// |z|^q for any real q > 2, as exp((q − 2)·log|z|)·z².
struct RealPower {
  double q;
  template <class C, class V = typename C::V>
  HWY_INLINE Values<V> operator()(const C& z) const {
    using Scalar = hn::TFromV<V>;
    const auto d = z.d;
    // Below this log|z| is inaccurate, and the power is taken as zero.
    const V least = hn::Set(d, std::numeric_limits<Scalar>::min());
    const V size = z.size();
    // Exp() is infinite from here on, but wraps around for much larger arguments.
    const V most = hn::Set(d, std::is_same_v<Scalar, float> ? Scalar(100) : Scalar(720));
    const V exponent = hn::Mul(hn::Set(d, static_cast<Scalar>(q - 2)), hn::Log(d, hn::Max(size, least)));
    const V power = hn::Exp(d, hn::Min(exponent, most));
    const V rest = hn::IfThenElseZero(hn::Gt(size, least), power);
    return z.by_ratio(hn::Mul(rest, z.square()), hn::Mul(hn::Set(d, static_cast<Scalar>(q)), rest),
                      hn::Mul(hn::Set(d, static_cast<Scalar>(q * (q - 1))), rest));
  }
};

struct SoftThreshold {
  double mu;
  template <class C, class V = typename C::V>
  HWY_INLINE Values<V> operator()(const C& z) const {
    using Scalar = hn::TFromV<V>;
    const auto d = z.d;
    const V excess = hn::Max(hn::Sub(z.size(), hn::Set(d, static_cast<Scalar>(mu))), hn::Zero(d));
    const V half_square = hn::Mul(hn::Set(d, Scalar(0.5)), hn::Mul(excess, excess));
    return z.by_size(half_square, excess, hn::IfThenElseZero(hn::Gt(excess, hn::Zero(d)), hn::Set(d, Scalar(1))));
  }
};

struct HardThreshold {
  double tau;
  template <class C, class V = typename C::V>
  HWY_INLINE Values<V> operator()(const C& z) const {
    using Scalar = hn::TFromV<V>;
    const auto d = z.d;
    const V t = hn::Set(d, static_cast<Scalar>(tau));
    const auto is_kept = hn::Gt(z.size(), t);
    const V kept = hn::IfThenElseZero(is_kept, hn::Set(d, Scalar(1)));
    const V half_square = hn::Mul(hn::Set(d, Scalar(0.5)), hn::Sub(z.square(), hn::Mul(t, t)));
    return z.by_ratio(hn::IfThenElseZero(is_kept, half_square), kept, kept);
  }
};

// With e = e^(−2|z|): tanh|z| = (1 − e)/(1 + e). log cosh z = |z| + log(1 + e) − log 2 suffers from cancellation for
// small |z|; there −½·log(1 − tanh²z) is used, which would suffer from it for large |z|.
struct LogCosh {
  template <class C, class V = typename C::V>
  HWY_INLINE Values<V> operator()(const C& z) const {
    using Scalar = hn::TFromV<V>;
    const auto d = z.d;
    const V one = hn::Set(d, Scalar(1));
    const V size = z.size();
    const V e_less_one = hn::Expm1(d, hn::Mul(hn::Set(d, Scalar(-2)), size));
    const V tanh = hn::Div(hn::Neg(e_less_one), hn::Add(hn::Set(d, Scalar(2)), e_less_one));
    const auto small = hn::Lt(size, one);
    const V log = hn::Log1p(d, hn::IfThenElse(small, hn::Neg(hn::Mul(tanh, tanh)), hn::Add(one, e_less_one)));
    const V value = hn::IfThenElse(small, hn::Mul(hn::Set(d, Scalar(-0.5)), log),
                                   hn::Add(hn::Sub(size, hn::Set(d, static_cast<Scalar>(0.6931471805599453))), log));
    return z.by_size(value, tanh, hn::Mul(hn::Sub(one, tanh), hn::Add(one, tanh)));
  }
};

// φ = z²/2 + s0²·log f(z), where f is the density of (1 − θ)·N(0, s0²) + θ·N(0, s1²). φ' is the posterior mean of a
// coefficient observed with noise of variance s0². With u = z²/2·(1/s0² − 1/s1²) and odds ρ = (1 − θ)/θ·s1/s0 at zero,
//   r = 1/(1 + ρe^(−u)),   φ' = (1 − s0²/s1²)·z·r,   φ'' = (1 − s0²/s1²)·r·(1 + 2u·(1 − r))
//   φ = s0²·(u + log(1 + ρe^(−u)) − log(1 + ρ))
// Complex coefficients are circular Gaussians with E|z|² = s²: u = |z|²·(1/s0² − 1/s1²), ρ = (1 − θ)/θ·s1²/s0², and φ
// has the factor s0²/2. They are those of real parts with half the variance, and with the square of s1/s0.
struct Mixture {
  double half_gap;          // ½(1/s0² − 1/s1²)
  double odds;              // ρ
  double odds_for_complex;  // ρ of complex coefficients
  double shrinkage;         // 1 − s0²/s1²
  double variance;          // s0²
  explicit Mixture(const Parameters& p)
      : half_gap(0.5 * (1 / (p[1] * p[1]) - 1 / (p[2] * p[2]))),
        odds((1 - p[0]) / p[0] * p[2] / p[1]),
        odds_for_complex(odds * p[2] / p[1]),
        shrinkage(1 - p[1] * p[1] / (p[2] * p[2])),
        variance(p[1] * p[1]) {}
  template <class C, class V = typename C::V>
  HWY_INLINE Values<V> operator()(const C& z) const {
    using Scalar = hn::TFromV<V>;
    constexpr double kReals = C::kIsComplex ? 2 : 1;
    const auto d = z.d;
    const V one = hn::Set(d, Scalar(1));
    const V rho = hn::Set(d, static_cast<Scalar>(C::kIsComplex ? odds_for_complex : odds));
    // Beyond this e^(−u) is negligible, and Exp() would wrap around for much larger arguments.
    const V most = hn::Set(d, std::is_same_v<Scalar, float> ? Scalar(80) : Scalar(700));
    const V u = hn::Mul(hn::Set(d, static_cast<Scalar>(kReals * half_gap)), z.square());
    const V q = hn::Mul(rho, hn::Exp(d, hn::Neg(hn::Min(u, most))));
    const V r = hn::Div(one, hn::Add(one, q));
    const V scaled = hn::Mul(hn::Set(d, static_cast<Scalar>(shrinkage)), r);
    const V logs = hn::Sub(hn::Log1p(d, q), hn::Log1p(d, rho));
    const V rise = hn::MulAdd(hn::Mul(hn::Set(d, Scalar(2)), hn::Min(u, most)), hn::Sub(one, r), one);
    return z.by_ratio(hn::Mul(hn::Set(d, static_cast<Scalar>(variance / kReals)), hn::Add(u, logs)), scaled,
                      hn::Mul(scaled, rise));
  }
};

// Sums over columns, for one vector of rows.
template <class D>
struct Sums {
  using V = hn::Vec<D>;
  explicit Sums(D d) : value(hn::Zero(d)), derivative(hn::Zero(d)), curvature(hn::Zero(d)) {}
  HWY_INLINE void add(const Values<V>& t) {
    value = hn::Add(value, t.value);
    derivative = hn::Add(derivative, t.derivative);
    curvature = hn::Add(curvature, t.curvature);
  }
  HWY_INLINE void add(const Sums& other) { add(Values<V>{other.value, other.derivative, other.curvature}); }
  V value, derivative, curvature;
};

// Applies f to rows [row, row + lanes) of all columns, two columns at a time to have two independent chains of sums.
template <class IsComplex, class F, class D, typename Scalar = hn::TFromD<D>>
void apply_strip(const F& f, D d, Scalar* z, Index rows, Index count, Index row, const StretchSums<Scalar>& to) {
  Sums<D> even(d), odd(d);
  Scalar* at = z + row;
  Index j = 0;
  for (; j + 1 < count; j += 2, at += 2 * rows) {
    const auto first = f(coefficients(d, hn::LoadU(d, at), IsComplex()));
    const auto second = f(coefficients(d, hn::LoadU(d, at + rows), IsComplex()));
    even.add(first);
    odd.add(second);
    hn::StoreU(first.derivative, d, at);
    hn::StoreU(second.derivative, d, at + rows);
  }
  if (j < count) {
    const auto last = f(coefficients(d, hn::LoadU(d, at), IsComplex()));
    even.add(last);
    hn::StoreU(last.derivative, d, at);
  }
  even.add(odd);
  hn::StoreU(hn::Add(hn::LoadU(d, to.value + row), even.value), d, to.value + row);
  hn::StoreU(hn::Add(hn::LoadU(d, to.derivative + row), even.derivative), d, to.derivative + row);
  hn::StoreU(hn::Add(hn::LoadU(d, to.curvature + row), even.curvature), d, to.curvature + row);
}

// For complex coefficients where vectors have a single element.
template <class F, typename Scalar>
void apply_pairs(const F& f, Scalar* z, Index rows, Index count, const StretchSums<Scalar>& sums) {
  using D = hn::ScalableTag<Scalar>;
  const D d;
  for (Index j = 0; j < count; ++j, z += rows) {
    for (Index row = 0; row < rows; row += 2) {
      const auto real = hn::Load(d, z + row), imaginary = hn::Load(d, z + row + 1);
      const auto first = f(ComplexCoefficients<D>{d, real, imaginary});
      const auto second = f(ComplexCoefficients<D>{d, imaginary, real});
      for (const Index part : {0, 1}) {
        const auto& one = part == 0 ? first : second;
        z[row + part] = hn::GetLane(one.derivative);
        sums.value[row + part] += hn::GetLane(one.value);
        sums.derivative[row + part] += hn::GetLane(one.derivative);
        sums.curvature[row + part] += hn::GetLane(one.curvature);
      }
    }
  }
}

template <class IsComplex, class F, typename Scalar>
void apply_rows(const F& f, Scalar* z, Index rows, Index count, const StretchSums<Scalar>& sums) {
  if constexpr (IsComplex::value && HWY_TARGET == HWY_SCALAR) {
    apply_pairs(f, z, rows, count, sums);
  } else {
    constexpr Index kReals = IsComplex::value ? 2 : 1;  // rows of a coefficient
    const hn::ScalableTag<Scalar> whole;
    const hn::CappedTag<Scalar, kReals> single;
    const auto lanes = static_cast<Index>(hn::Lanes(whole));
    Index row = 0;
    for (; row + lanes <= rows; row += lanes) apply_strip<IsComplex>(f, whole, z, rows, count, row, sums);
    for (; row < rows; row += kReals) apply_strip<IsComplex>(f, single, z, rows, count, row, sums);
  }
}

template <class IsComplex, typename Scalar>
void apply_formula(Formula formula, const Parameters& parameters, Scalar* z, Index rows, Index count,
                   const StretchSums<Scalar>& sums) {
  const auto apply_all = [&](const auto& f) { apply_rows<IsComplex>(f, z, rows, count, sums); };
  switch (formula) {
    case Formula::kPower3:
      return apply_all(IntegerPower<3>{});
    case Formula::kPower4:
      return apply_all(IntegerPower<4>{});
    case Formula::kPower6:
      return apply_all(IntegerPower<6>{});
    case Formula::kPower8:
      return apply_all(IntegerPower<8>{});
    case Formula::kPower10:
      return apply_all(IntegerPower<10>{});
    case Formula::kPower:
      if (parameters[0] == 2.5) return apply_all(PowerTwoAndAHalf{});
      return apply_all(RealPower{parameters[0]});
    case Formula::kSoft:
      return apply_all(SoftThreshold{parameters[0]});
    case Formula::kHard:
      return apply_all(HardThreshold{parameters[0]});
    case Formula::kLogCosh:
      return apply_all(LogCosh{});
    case Formula::kMixture:
      return apply_all(Mixture(parameters));
  }
}

template <typename Scalar>
void apply_to(Coefficients coefficients, Formula formula, const Parameters& parameters, Scalar* z, Index atoms,
              Index count, const StretchSums<Scalar>& sums) {
  if (coefficients == Coefficients::kComplex) {
    apply_formula<std::true_type>(formula, parameters, z, atoms, count, sums);
  } else {
    apply_formula<std::false_type>(formula, parameters, z, atoms, count, sums);
  }
}

void apply_f32(Coefficients coefficients, Formula formula, const Parameters& parameters, float* z, Index atoms,
               Index count, const StretchSums<float>& sums) {
  apply_to(coefficients, formula, parameters, z, atoms, count, sums);
}
void apply_f64(Coefficients coefficients, Formula formula, const Parameters& parameters, double* z, Index atoms,
               Index count, const StretchSums<double>& sums) {
  apply_to(coefficients, formula, parameters, z, atoms, count, sums);
}

}  // namespace orthodict::stretch::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orthodict::stretch {

HWY_EXPORT(apply_f32);
HWY_EXPORT(apply_f64);

void apply(Coefficients coefficients, Formula formula, const Parameters& parameters, float* z, Index atoms, Index count,
           const StretchSums<float>& sums) {
  HWY_DYNAMIC_DISPATCH(apply_f32)(coefficients, formula, parameters, z, atoms, count, sums);
}
void apply(Coefficients coefficients, Formula formula, const Parameters& parameters, double* z, Index atoms,
           Index count, const StretchSums<double>& sums) {
  HWY_DYNAMIC_DISPATCH(apply_f64)(coefficients, formula, parameters, z, atoms, count, sums);
}

}  // namespace orthodict::stretch
#endif
