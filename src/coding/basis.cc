// SPDX-License-Identifier: Apache-2.0
#include "coding/basis.h"

#include <algorithm>
#include <cmath>

#include "coding/constants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "coding/basis.cc"
#include "simd/targets.h"
// Highway requires this order of includes.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace orthodict::coding::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <typename Scalar>
using Vec = hn::Vec<hn::ScalableTag<Scalar>>;

// The first entry whose magnitude is the largest of `highest`'s lanes.
template <typename Scalar>
HWY_INLINE Index first_of(const Scalar* HWY_RESTRICT x, Index size, const Vec<Scalar>* highest) {
  const hn::ScalableTag<Scalar> d;
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(d));
  const auto most = hn::MaxOfLanes(d, hn::Max(hn::Max(highest[0], highest[1]), hn::Max(highest[2], highest[3])));
  for (Index i = 0; i < size; i += kLanes) {
    const auto found = hn::FindFirstTrue(d, hn::Eq(hn::Abs(hn::LoadU(d, x + i)), most));
    if (found >= 0) return i + static_cast<Index>(found);
  }
  return 0;
}

// The index of the first entry of largest magnitude. `size` must be padded.
template <typename Scalar>
HWY_INLINE Index largest_of(const Scalar* HWY_RESTRICT x, Index size) {
  const hn::ScalableTag<Scalar> d;
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(d));
  // Four maxima, since each takes longer than a load.
  constexpr Index kStep = 4 * kLanes;
  Vec<Scalar> highest[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  Index at = 0;
  for (; at + kStep <= size; at += kStep) {
    for (Index v = 0; v < 4; ++v) highest[v] = hn::Max(highest[v], hn::Abs(hn::LoadU(d, x + at + v * kLanes)));
  }
  for (; at < size; at += kLanes) highest[0] = hn::Max(highest[0], hn::Abs(hn::LoadU(d, x + at)));
  return first_of(x, size, highest);
}

// kVectors vectors of   w_i = (g − Σ_{j<i} l_j w_j)·scale,   z ← z − h·w_i;   w points to w_0, `count` is i. The maxima
// of |z| are kept.
template <Index kVectors, typename Scalar>
HWY_INLINE void project_tile(const Scalar* HWY_RESTRICT g, Scalar* HWY_RESTRICT w, Index stride, Index count,
                             const Scalar* HWY_RESTRICT l, Scalar scale, Scalar h, Scalar* HWY_RESTRICT z,
                             Vec<Scalar>* highest) {
  const hn::ScalableTag<Scalar> d;
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(d));
  Vec<Scalar> sum[kVectors];
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
    const auto rest = hn::NegMulAdd(hn::Set(d, h), sum[v], hn::LoadU(d, z + v * kLanes));
    hn::StoreU(rest, d, z + v * kLanes);
    highest[v] = hn::Max(highest[v], hn::Abs(rest));
  }
}

// Returns the index of the first entry of z of largest magnitude.
template <typename Scalar>
HWY_INLINE Index project_all(const Scalar* g, Scalar* w, Index stride, Index count, const Scalar* l, Scalar scale,
                             Scalar h, Scalar* z) {
  const hn::ScalableTag<Scalar> d;
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(d));
  constexpr Index kTile = 4;
  Vec<Scalar> highest[kTile] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  Index i = 0;
  for (; i + kTile * kLanes <= stride; i += kTile * kLanes) {
    project_tile<kTile>(g + i, w + i, stride, count, l, scale, h, z + i, highest);
  }
  for (; i < stride; i += kLanes) project_tile<1>(g + i, w + i, stride, count, l, scale, h, z + i, highest);
  return first_of(z, stride, highest);
}

// kVectors vectors of   sum ← sum + Σ_{j<count} factor_j·w_j
template <Index kVectors, typename Scalar>
HWY_INLINE void combine_tile(const Scalar* HWY_RESTRICT w, Index stride, Index count,
                             const Scalar* HWY_RESTRICT factors, Scalar* HWY_RESTRICT sum) {
  const hn::ScalableTag<Scalar> d;
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(d));
  Vec<Scalar> sums[kVectors];
  for (Index v = 0; v < kVectors; ++v) sums[v] = hn::LoadU(d, sum + v * kLanes);
  for (Index j = 0; j < count; ++j) {
    const auto factor = hn::Set(d, factors[j]);
    for (Index v = 0; v < kVectors; ++v) {
      sums[v] = hn::MulAdd(factor, hn::LoadU(d, w + j * stride + v * kLanes), sums[v]);
    }
  }
  for (Index v = 0; v < kVectors; ++v) hn::StoreU(sums[v], d, sum + v * kLanes);
}

template <typename Scalar>
HWY_INLINE void combine_all(const Scalar* w, Index stride, Index count, const Scalar* factors, Scalar* sum) {
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<Scalar>()));
  constexpr Index kTile = 8;
  Index i = 0;
  for (; i + kTile * kLanes <= stride; i += kTile * kLanes) {
    combine_tile<kTile>(w + i, stride, count, factors, sum + i);
  }
  for (; i < stride; i += kLanes) combine_tile<1>(w + i, stride, count, factors, sum + i);
}

// x ← x − factor·l
template <typename Scalar>
HWY_INLINE void subtract(Scalar factor, const Scalar* HWY_RESTRICT l, Index size, Scalar* HWY_RESTRICT x) {
  const hn::ScalableTag<Scalar> d;
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(d));
  const auto factors = hn::Set(d, factor);
  Index j = 0;
  for (; j + kLanes <= size; j += kLanes) {
    hn::StoreU(hn::NegMulAdd(factors, hn::LoadU(d, l + j), hn::LoadU(d, x + j)), d, x + j);
  }
  for (; j < size; ++j) x[j] -= l[j] * factor;
}

// x ← L⁻ᵀx and, unless it is null, the same for y; both at once, because each step waits for the one before. L is
// packed row after row.
template <typename Scalar>
HWY_INLINE void solve_upper_all(const Scalar* HWY_RESTRICT factor, Index size, Scalar* HWY_RESTRICT x,
                                Scalar* HWY_RESTRICT y) {
  for (Index i = size; i-- > 0;) {
    const Scalar* l = factor + i * (i + 1) / 2;
    subtract(x[i] /= l[i], l, i, x);
    if (y != nullptr) subtract(y[i] /= l[i], l, i, y);
  }
}

// A column that leaves the basis, and what it was the share of: z = … − h·w and a = … + v·w.
template <typename Scalar>
struct Leaving {
  Scalar h;
  Scalar* z;
  Scalar v;
  Scalar* a;  // or null
};

// kVectors vectors of `count` pairs of neighbouring columns, the first of which is w, are rotated one pair after the
// other. What the last column becomes leaves the basis.
template <Index kVectors, typename Scalar>
HWY_INLINE void rotate_tile(Scalar* HWY_RESTRICT w, Index stride, Index count, const Scalar* HWY_RESTRICT rotations,
                            const Leaving<Scalar>& leaving, Index at) {
  const hn::ScalableTag<Scalar> d;
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(d));
  Vec<Scalar> left[kVectors];
  for (Index v = 0; v < kVectors; ++v) left[v] = hn::LoadU(d, w + at + v * kLanes);
  for (Index j = 0; j < count; ++j) {
    const auto cosine = hn::Set(d, rotations[2 * j]), sine = hn::Set(d, rotations[2 * j + 1]);
    for (Index v = 0; v < kVectors; ++v) {
      const auto right = hn::LoadU(d, w + (j + 1) * stride + at + v * kLanes);
      hn::StoreU(hn::MulAdd(sine, right, hn::Mul(cosine, left[v])), d, w + j * stride + at + v * kLanes);
      left[v] = hn::NegMulAdd(sine, left[v], hn::Mul(cosine, right));
    }
  }
  for (Index v = 0; v < kVectors; ++v) {
    Scalar* const z = leaving.z + at + v * kLanes;
    hn::StoreU(hn::MulAdd(hn::Set(d, leaving.h), left[v], hn::LoadU(d, z)), d, z);
    if (leaving.a == nullptr) continue;
    Scalar* const a = leaving.a + at + v * kLanes;
    hn::StoreU(hn::NegMulAdd(hn::Set(d, leaving.v), left[v], hn::LoadU(d, a)), d, a);
  }
}

template <typename Scalar>
HWY_INLINE void rotate_all(Scalar* w, Index stride, Index count, const Scalar* rotations, Scalar h, Scalar* z, Scalar v,
                           Scalar* a) {
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<Scalar>()));
  constexpr Index kTile = 4;
  const Leaving<Scalar> leaving = {h, z, v, a};
  Index i = 0;
  for (; i + kTile * kLanes <= stride; i += kTile * kLanes) {
    rotate_tile<kTile>(w, stride, count, rotations, leaving, i);
  }
  for (; i < stride; i += kLanes) rotate_tile<1>(w, stride, count, rotations, leaving, i);
}

Index largest_f32(const float* x, Index size) { return largest_of(x, size); }
Index largest_f64(const double* x, Index size) { return largest_of(x, size); }
Index project_f32(const float* g, float* w, Index stride, Index count, const float* l, float scale, float h, float* z) {
  return project_all(g, w, stride, count, l, scale, h, z);
}
Index project_f64(const double* g, double* w, Index stride, Index count, const double* l, double scale, double h,
                  double* z) {
  return project_all(g, w, stride, count, l, scale, h, z);
}
void rotate_f32(float* w, Index stride, Index count, const float* rotations, float h, float* z, float v, float* a) {
  rotate_all(w, stride, count, rotations, h, z, v, a);
}
void rotate_f64(double* w, Index stride, Index count, const double* rotations, double h, double* z, double v,
                double* a) {
  rotate_all(w, stride, count, rotations, h, z, v, a);
}
void combine_f32(const float* w, Index stride, Index count, const float* factors, float* sum) {
  combine_all(w, stride, count, factors, sum);
}
void combine_f64(const double* w, Index stride, Index count, const double* factors, double* sum) {
  combine_all(w, stride, count, factors, sum);
}
void solve_upper_f32(const float* factor, Index size, float* x, float* y) { solve_upper_all(factor, size, x, y); }
void solve_upper_f64(const double* factor, Index size, double* x, double* y) { solve_upper_all(factor, size, x, y); }

}  // namespace orthodict::coding::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orthodict::coding {
namespace {

HWY_EXPORT(largest_f32);
HWY_EXPORT(largest_f64);
HWY_EXPORT(project_f32);
HWY_EXPORT(project_f64);
HWY_EXPORT(rotate_f32);
HWY_EXPORT(rotate_f64);
HWY_EXPORT(combine_f32);
HWY_EXPORT(combine_f64);
HWY_EXPORT(solve_upper_f32);
HWY_EXPORT(solve_upper_f64);

Index largest_of(const float* x, Index size) { return HWY_DYNAMIC_DISPATCH(largest_f32)(x, size); }
Index largest_of(const double* x, Index size) { return HWY_DYNAMIC_DISPATCH(largest_f64)(x, size); }
Index project(const float* g, float* w, Index stride, Index count, const float* l, float scale, float h, float* z) {
  return HWY_DYNAMIC_DISPATCH(project_f32)(g, w, stride, count, l, scale, h, z);
}
Index project(const double* g, double* w, Index stride, Index count, const double* l, double scale, double h,
              double* z) {
  return HWY_DYNAMIC_DISPATCH(project_f64)(g, w, stride, count, l, scale, h, z);
}
void rotate(float* w, Index stride, Index count, const float* rotations, float h, float* z, float v, float* a) {
  HWY_DYNAMIC_DISPATCH(rotate_f32)(w, stride, count, rotations, h, z, v, a);
}
void rotate(double* w, Index stride, Index count, const double* rotations, double h, double* z, double v, double* a) {
  HWY_DYNAMIC_DISPATCH(rotate_f64)(w, stride, count, rotations, h, z, v, a);
}
void combine_columns(const float* w, Index stride, Index count, const float* factors, float* sum) {
  HWY_DYNAMIC_DISPATCH(combine_f32)(w, stride, count, factors, sum);
}
void combine_columns(const double* w, Index stride, Index count, const double* factors, double* sum) {
  HWY_DYNAMIC_DISPATCH(combine_f64)(w, stride, count, factors, sum);
}
void solve_packed(const float* factor, Index size, float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(solve_upper_f32)(factor, size, x, y);
}
void solve_packed(const double* factor, Index size, double* x, double* y) {
  HWY_DYNAMIC_DISPATCH(solve_upper_f64)(factor, size, x, y);
}

}  // namespace

template <typename Scalar>
void Basis<Scalar>::start(Scalar* correlations) {
  correlations_ = correlations;
  atoms_.clear();
  weights_.clear();
  factor_.clear();
  projected_ = 0;
  largest_ = -1;
}

template <typename Scalar>
bool Basis<Scalar>::contains(Index atom) const {
  return std::find(atoms_.begin(), atoms_.end(), atom) != atoms_.end();
}

template <typename Scalar>
Index Basis<Scalar>::largest() {
  update();
  if (largest_ < 0) largest_ = largest_of(correlations_, products_.stride());
  return largest_;
}

template <typename Scalar>
void Basis<Scalar>::update() {
  if (projected_ == size()) return;
  const Index stride = products_.stride();
  const auto end = static_cast<std::size_t>((projected_ + 1) * stride);
  if (columns_.size() < end) columns_.resize(2 * end);
  const Scalar* l = row(projected_);
  const auto at = static_cast<std::size_t>(projected_);
  largest_ = project(products_.gram(atoms_[at]), columns_.data(), stride, projected_, l, 1 / l[projected_],
                     weights_[at], correlations_);
  ++projected_;
}

template <typename Scalar>
bool Basis<Scalar>::add(Index atom, Scalar rest) {
  const auto begin = factor_.size();
  const Scalar square = products_.gram(atom)[atom];
  Scalar pivot = square;
  for (Index j = 0; j < size(); ++j) {
    const Scalar l = columns_[static_cast<std::size_t>(j * products_.stride() + atom)];
    factor_.push_back(l);
    pivot -= l * l;
  }
  if (!(pivot > static_cast<Scalar>(kDependent<Scalar>) * square)) {
    factor_.resize(begin);
    return false;
  }
  factor_.push_back(std::sqrt(pivot));
  weights_.push_back((correlations_[atom] - rest) / factor_.back());
  atoms_.push_back(atom);
  return true;
}

// Without row `place`, L has an entry beyond the diagonal in each later row. A rotation of two columns turns it into
// the diagonal; the same rotations of W and h keep L·Lᵀ, W·Lᵀ and L·h.
template <typename Scalar>
void Basis<Scalar>::drop(Index place, std::vector<Scalar>* factors, Scalar* sum) {
  update();
  const Index count = size() - 1 - place;
  rotations_.clear();
  for (Index i = place; i < place + count; ++i) {
    const Scalar* l = row(i + 1);
    const Scalar length = std::hypot(l[i], l[i + 1]);
    const Scalar cosine = l[i] / length, sine = l[i + 1] / length;
    rotations_.insert(rotations_.end(), {cosine, sine});
    const auto rotate_pair = [cosine, sine](Scalar* pair) {
      const Scalar left = pair[0];
      pair[0] = cosine * left + sine * pair[1];
      pair[1] = cosine * pair[1] - sine * left;
    };
    for (Index later = i + 1; later < size(); ++later) rotate_pair(row(later) + i);
    rotate_pair(weights_.data() + i);
    if (factors != nullptr) rotate_pair(factors->data() + i);
  }
  rotate(columns_.data() + place * products_.stride(), products_.stride(), count, rotations_.data(), weights_.back(),
         correlations_, factors != nullptr ? factors->back() : Scalar(0), sum);
  if (factors != nullptr) factors->pop_back();
  for (Index i = place + 1; i < size(); ++i) std::copy_n(row(i), i, row(i - 1));
  atoms_.erase(atoms_.begin() + place);
  weights_.pop_back();
  factor_.resize(static_cast<std::size_t>(size() * (size() + 1) / 2));
  projected_ = size();
  largest_ = -1;
}

template <typename Scalar>
const std::vector<Scalar>& Basis<Scalar>::coefficients() {
  solution_ = weights_;
  solve_packed(factor_.data(), size(), solution_.data(), static_cast<Scalar*>(nullptr));
  return solution_;
}

template <typename Scalar>
void Basis<Scalar>::solve_lower(const std::vector<Scalar>& right, std::vector<Scalar>* solution, Index first) const {
  solution->resize(atoms_.size());
  for (Index i = first; i < size(); ++i) {
    Scalar value = right[static_cast<std::size_t>(i)];
    for (Index j = 0; j < i; ++j) value -= row(i)[j] * (*solution)[static_cast<std::size_t>(j)];
    (*solution)[static_cast<std::size_t>(i)] = value / row(i)[i];
  }
}

template <typename Scalar>
void Basis<Scalar>::solve_upper(std::vector<Scalar>* one, std::vector<Scalar>* other) const {
  solve_packed(factor_.data(), size(), one->data(), other->data());
}

template <typename Scalar>
void Basis<Scalar>::combine(const std::vector<Scalar>& factors, Index first, Scalar* sum) const {
  const Index stride = products_.stride();
  combine_columns(columns_.data() + first * stride, stride, size() - first, factors.data() + first, sum);
}

template class Basis<float>;
template class Basis<double>;

}  // namespace orthodict::coding
#endif
