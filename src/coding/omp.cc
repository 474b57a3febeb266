// SPDX-License-Identifier: Apache-2.0
#include "coding/omp.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "coding/omp.cc"
#include "simd/targets.h"
// Highway requires this order of includes.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace orthodict::coding::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The index of the first entry of largest magnitude. `size` must be padded.
template <typename Scalar>
HWY_INLINE Index largest_of(const Scalar* HWY_RESTRICT x, Index size) {
  const hn::ScalableTag<Scalar> d;
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(d));
  // Four maxima, since each takes longer than a load.
  constexpr Index kStep = 4 * kLanes;
  hn::Vec<hn::ScalableTag<Scalar>> highest[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  Index at = 0;
  for (; at + kStep <= size; at += kStep) {
    for (Index v = 0; v < 4; ++v) highest[v] = hn::Max(highest[v], hn::Abs(hn::LoadU(d, x + at + v * kLanes)));
  }
  for (; at < size; at += kLanes) highest[0] = hn::Max(highest[0], hn::Abs(hn::LoadU(d, x + at)));
  const auto most = hn::MaxOfLanes(d, hn::Max(hn::Max(highest[0], highest[1]), hn::Max(highest[2], highest[3])));
  for (Index i = 0; i < size; i += kLanes) {
    const auto found = hn::FindFirstTrue(d, hn::Eq(hn::Abs(hn::LoadU(d, x + i)), most));
    if (found >= 0) return i + static_cast<Index>(found);
  }
  return 0;
}

// kVectors vectors of   w_i = (g − Σ_{j<i} l_j w_j)·scale,   z ← z − c·w_i;   w points to w_0, `count` is i.
template <Index kVectors, typename Scalar>
HWY_INLINE void project_tile(const Scalar* HWY_RESTRICT g, Scalar* HWY_RESTRICT w, Index stride, Index count,
                             const Scalar* HWY_RESTRICT l, Scalar scale, Scalar c, Scalar* HWY_RESTRICT z) {
  const hn::ScalableTag<Scalar> d;
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(d));
  hn::Vec<hn::ScalableTag<Scalar>> sum[kVectors];
  for (Index v = 0; v < kVectors; ++v) sum[v] = hn::LoadU(d, g + v * kLanes);
  for (Index j = 0; j < count; ++j) {
    const auto factor = hn::Set(d, l[j]);
    for (Index v = 0; v < kVectors; ++v) {
      sum[v] = hn::NegMulAdd(factor, hn::LoadU(d, w + j * stride + v * kLanes), sum[v]);
    }
  }
  for (Index v = 0; v < kVectors; ++v) {
    sum[v] = hn::Mul(sum[v], hn::Set(d, scale));
    hn::StoreU(sum[v], d, w + count * stride + v * kLanes);
    hn::StoreU(hn::NegMulAdd(hn::Set(d, c), sum[v], hn::LoadU(d, z + v * kLanes)), d, z + v * kLanes);
  }
}

template <typename Scalar>
HWY_INLINE void project_all(const Scalar* g, Scalar* w, Index stride, Index count, const Scalar* l, Scalar scale,
                            Scalar c, Scalar* z) {
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<Scalar>()));
  constexpr Index kTile = 4;
  Index i = 0;
  for (; i + kTile * kLanes <= stride; i += kTile * kLanes) {
    project_tile<kTile>(g + i, w + i, stride, count, l, scale, c, z + i);
  }
  for (; i < stride; i += kLanes) project_tile<1>(g + i, w + i, stride, count, l, scale, c, z + i);
}

Index largest_f32(const float* x, Index size) { return largest_of(x, size); }
Index largest_f64(const double* x, Index size) { return largest_of(x, size); }
void project_f32(const float* g, float* w, Index stride, Index count, const float* l, float scale, float c, float* z) {
  project_all(g, w, stride, count, l, scale, c, z);
}
void project_f64(const double* g, double* w, Index stride, Index count, const double* l, double scale, double c,
                 double* z) {
  project_all(g, w, stride, count, l, scale, c, z);
}

}  // namespace orthodict::coding::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orthodict::coding {
namespace {

HWY_EXPORT(largest_f32);
HWY_EXPORT(largest_f64);
HWY_EXPORT(project_f32);
HWY_EXPORT(project_f64);

Index largest(const float* x, Index size) { return HWY_DYNAMIC_DISPATCH(largest_f32)(x, size); }
Index largest(const double* x, Index size) { return HWY_DYNAMIC_DISPATCH(largest_f64)(x, size); }
void project_atom(const float* g, float* w, Index stride, Index count, const float* l, float scale, float c, float* z) {
  HWY_DYNAMIC_DISPATCH(project_f32)(g, w, stride, count, l, scale, c, z);
}
void project_atom(const double* g, double* w, Index stride, Index count, const double* l, double scale, double c,
                  double* z) {
  HWY_DYNAMIC_DISPATCH(project_f64)(g, w, stride, count, l, scale, c, z);
}

// Projections have errors of a few units in the last place of ‖y‖.
template <typename Scalar>
constexpr double kRounding = sizeof(Scalar) == sizeof(float) ? 1e-6 : 1e-13;
// The squared distance of a unit vector from a span below which it counts as dependent.
template <typename Scalar>
constexpr double kDependent = sizeof(Scalar) == sizeof(float) ? 1e-5 : 1e-12;

}  // namespace

template <typename Scalar>
Pursuit<Scalar>::Pursuit(const Products<Scalar>& products) : products_(products) {}

template <typename Scalar>
void Pursuit<Scalar>::start(Scalar* correlations, double squared_norm) {
  correlations_ = correlations;
  squared_residual_ = squared_norm;
  smallest_ = kRounding<Scalar> * std::sqrt(squared_norm);
  picked_.clear();
  weights_.clear();
  factor_.clear();
  projected_ = 0;
}

template <typename Scalar>
void Pursuit<Scalar>::extend(const PursuitEnd& end) {
  while (size() < end.nonzeros && squared_residual_ > end.squared_error) {
    project();
    const Index atom = largest(correlations_, products_.stride());
    const double correlation = std::abs(static_cast<double>(correlations_[atom]));
    if (!(correlation > smallest_)) return;
    const auto picked = static_cast<std::size_t>(size());
    if (!end.chance.empty() &&
        (picked >= end.chance.size() || correlation * correlation <= end.chance[picked] * squared_residual_)) {
      return;
    }
    if (!pick(atom)) return;
  }
}

// Returns false if the atom depends linearly on those picked before, which must be projected.
template <typename Scalar>
bool Pursuit<Scalar>::pick(Index atom) {
  const auto begin = factor_.size();
  Scalar pivot = products_.gram(atom)[atom];
  for (Index j = 0; j < size(); ++j) {
    const Scalar l = basis_[static_cast<std::size_t>(j * products_.stride() + atom)];
    factor_.push_back(l);
    pivot -= l * l;
  }
  if (!(pivot > kDependent<Scalar>)) {
    factor_.resize(begin);
    return false;
  }
  factor_.push_back(std::sqrt(pivot));
  weights_.push_back(correlations_[atom] / factor_.back());
  picked_.push_back(atom);
  squared_residual_ -= static_cast<double>(weights_.back()) * static_cast<double>(weights_.back());
  return true;
}

// Brings Dᵀr up to date: computes w for the atom that was picked last.
template <typename Scalar>
void Pursuit<Scalar>::project() {
  if (projected_ == size()) return;
  const Index stride = products_.stride();
  const auto end = static_cast<std::size_t>((projected_ + 1) * stride);
  if (basis_.size() < end) basis_.resize(2 * end);
  const Scalar* l = row(projected_);
  const auto at = static_cast<std::size_t>(projected_);
  project_atom(products_.gram(picked_[at]), basis_.data(), stride, projected_, l, 1 / l[projected_], weights_[at],
               correlations_);
  ++projected_;
}

template <typename Scalar>
const std::vector<Scalar>& Pursuit<Scalar>::coefficients() {
  coefficients_ = weights_;
  for (Index i = size(); i-- > 0;) {
    Scalar& x = coefficients_[static_cast<std::size_t>(i)];
    for (Index h = i + 1; h < size(); ++h) x -= row(h)[i] * coefficients_[static_cast<std::size_t>(h)];
    x /= row(i)[i];
  }
  return coefficients_;
}

template class Pursuit<float>;
template class Pursuit<double>;

}  // namespace orthodict::coding
#endif
