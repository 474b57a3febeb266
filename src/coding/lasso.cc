// SPDX-License-Identifier: Apache-2.0
#include "coding/lasso.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "coding/lasso.cc"
#include "simd/targets.h"
// Highway requires this order of includes.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace orthodict::coding::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// r ← r − factor·g
template <typename Scalar>
HWY_INLINE void subtract(Scalar factor, const Scalar* HWY_RESTRICT g, Index size, Scalar* HWY_RESTRICT r) {
  const hn::ScalableTag<Scalar> d;
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(d));
  const auto factors = hn::Set(d, factor);
  Index i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    hn::StoreU(hn::NegMulAdd(factors, hn::LoadU(d, g + i), hn::LoadU(d, r + i)), d, r + i);
  }
  for (; i < size; ++i) r[i] -= factor * g[i];
}

template <typename Scalar>
HWY_INLINE Scalar soft(Scalar value, Scalar threshold) {
  return value > threshold ? value - threshold : value < -threshold ? value + threshold : 0;
}

// Sweeps once over the atoms. Returns the largest violation that an atom had when it was visited.
template <typename Scalar>
HWY_INLINE Scalar sweep(const Scalar* gram, Index atoms, Index stride, Scalar penalty, Scalar* x, Scalar* r) {
  Scalar violation = 0;
  for (Index j = 0; j < atoms; ++j) {
    const Scalar* g = gram + j * stride;
    if (!(g[j] > 0)) continue;
    const Scalar best = soft(r[j] + g[j] * x[j], penalty) / g[j];
    const Scalar change = best - x[j];
    if (change == 0) continue;
    x[j] = best;
    subtract(change, g, atoms, r);
    violation = std::max(violation, g[j] * std::abs(change));
  }
  return violation;
}

float sweep_f32(const float* gram, Index atoms, Index stride, float penalty, float* x, float* r) {
  return sweep(gram, atoms, stride, penalty, x, r);
}
double sweep_f64(const double* gram, Index atoms, Index stride, double penalty, double* x, double* r) {
  return sweep(gram, atoms, stride, penalty, x, r);
}

}  // namespace orthodict::coding::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orthodict::coding {
namespace {

HWY_EXPORT(sweep_f32);
HWY_EXPORT(sweep_f64);

float sweep(const float* gram, Index atoms, Index stride, float penalty, float* x, float* r) {
  return HWY_DYNAMIC_DISPATCH(sweep_f32)(gram, atoms, stride, penalty, x, r);
}
double sweep(const double* gram, Index atoms, Index stride, double penalty, double* x, double* r) {
  return HWY_DYNAMIC_DISPATCH(sweep_f64)(gram, atoms, stride, penalty, x, r);
}

}  // namespace

template <typename Scalar>
int Lasso<Scalar>::solve(Scalar* code, Scalar* correlations) const {
  const double most = end_.accuracy * penalty_;
  for (int sweeps = 1;; ++sweeps) {
    const double violation = sweep(gram_, atoms_, stride_, static_cast<Scalar>(penalty_), code, correlations);
    if (violation == 0 || sweeps >= end_.max_sweeps) return sweeps;
    if (violation <= most && largest_violation(code, correlations) <= most) return sweeps;
  }
}

template <typename Scalar>
double Lasso<Scalar>::largest_violation(const Scalar* code, const Scalar* correlations) const {
  double largest = 0;
  for (Index j = 0; j < atoms_; ++j) {
    if (!(gram_[j * stride_ + j] > 0)) continue;
    const auto r = static_cast<double>(correlations[j]);
    largest =
        std::max(largest, code[j] == 0 ? std::abs(r) - penalty_ : std::abs(r - (code[j] > 0 ? penalty_ : -penalty_)));
  }
  return largest;
}

template class Lasso<float>;
template class Lasso<double>;

}  // namespace orthodict::coding
#endif  // HWY_ONCE
