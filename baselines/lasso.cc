// SPDX-License-Identifier: Apache-2.0
#include "baselines/lasso.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "baselines/lasso.cc"
#include "simd/targets.h"
// Highway requires this order of includes.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace orthodict::baselines::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<double>;
constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(Tag()));

// r ← r − factor·g
HWY_INLINE void subtract(double factor, const double* HWY_RESTRICT g, Index size, double* HWY_RESTRICT r) {
  const Tag d;
  const auto factors = hn::Set(d, factor);
  Index i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    hn::StoreU(hn::NegMulAdd(factors, hn::LoadU(d, g + i), hn::LoadU(d, r + i)), d, r + i);
  }
  for (; i < size; ++i) r[i] -= factor * g[i];
}

HWY_INLINE double soft(double value, double threshold) {
  return value > threshold ? value - threshold : value < -threshold ? value + threshold : 0;
}

// Sweeps once over the atoms. Returns the largest violation.
double sweep(const double* gram, Index atoms, double penalty, double* x, double* r) {
  double violation = 0;
  for (Index j = 0; j < atoms; ++j) {
    const double* g = gram + j * atoms;
    if (!(g[j] > 0)) continue;
    const double best = soft(r[j] + g[j] * x[j], penalty) / g[j];
    const double change = best - x[j];
    if (change == 0) continue;
    x[j] = best;
    subtract(change, g, atoms, r);
    violation = std::max(violation, g[j] * std::abs(change));
  }
  return violation;
}

}  // namespace orthodict::baselines::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orthodict::baselines {
namespace {

HWY_EXPORT(sweep);

}  // namespace

int Lasso::solve(double* code, double* correlations) const {
  for (int sweeps = 1;; ++sweeps) {
    const double violation = HWY_DYNAMIC_DISPATCH(sweep)(gram_.data(), gram_.cols(), penalty_, code, correlations);
    if (violation <= kAccuracy * penalty_ || sweeps == kMaxSweeps) return sweeps;
  }
}

}  // namespace orthodict::baselines
#endif  // HWY_ONCE
