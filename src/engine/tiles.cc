// SPDX-License-Identifier: Apache-2.0
#include "engine/tiles.h"

#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/tiles.cc"
#include "simd/targets.h"
// Highway requires this order of includes.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace orthodict::engine::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <typename Scalar>
using Tag = hn::ScalableTag<Scalar>;
template <typename Scalar>
constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(Tag<Scalar>()));

// 3×8 accumulators, three vectors of the panel and one broadcast fill 32 registers; 3×4 fill 16.
constexpr Index kColumns = HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_NEON ? 8 : 4;

// acc[v][c] += Σ_k a[k·rows + v]·b(k, c): the inner loop of both products.
template <typename Scalar, Index kVectors, Index kWidth, class Factor>
HWY_INLINE void multiply_add(const Scalar* HWY_RESTRICT a, Index count, const Factor& b,
                             hn::Vec<Tag<Scalar>> (&acc)[kVectors][kWidth]) {
  const Tag<Scalar> d;
  for (Index k = 0; k < count; ++k, a += kVectors * kLanes<Scalar>) {
    hn::Vec<Tag<Scalar>> rows[kVectors];
    for (Index v = 0; v < kVectors; ++v) rows[v] = hn::Load(d, a + v * kLanes<Scalar>);
    for (Index c = 0; c < kWidth; ++c) {
      const auto factor = hn::Set(d, b(k, c));
      for (Index v = 0; v < kVectors; ++v) acc[v][c] = hn::MulAdd(rows[v], factor, acc[v][c]);
    }
  }
}

template <typename Scalar, Index kVectors, Index kWidth>
void match(const Scalar* HWY_RESTRICT panel, Index n, const Scalar* HWY_RESTRICT y, Index stride,
           const Scalar* HWY_RESTRICT offset, std::uintptr_t ahead, Scalar* HWY_RESTRICT codes) {
  const Tag<Scalar> d;
  hn::Vec<Tag<Scalar>> acc[kVectors][kWidth];
  for (Index v = 0; v < kVectors; ++v) {
    const auto start = hn::Neg(hn::Load(d, offset + v * kLanes<Scalar>));
    for (Index c = 0; c < kWidth; ++c) acc[v][c] = start;
  }
  const auto factor = [=](Index k, Index c) HWY_ATTR {
    // Prefetches spread evenly over the loop are hidden behind the products.
    if (c == 0) __builtin_prefetch(reinterpret_cast<const void*>(ahead + k * kWidth * sizeof(Scalar)), 0, 2);
    return y[c * stride + k];
  };
  multiply_add<Scalar>(panel, n, factor, acc);
  for (Index c = 0; c < kWidth; ++c) {
    for (Index v = 0; v < kVectors; ++v) hn::Store(acc[v][c], d, codes + (c * kVectors + v) * kLanes<Scalar>);
  }
}

HWY_INLINE void add_to(double* to, hn::Vec<Tag<double>> sum) {
  const Tag<double> d;
  hn::StoreU(hn::Add(hn::LoadU(d, to), sum), d, to);
}

HWY_INLINE void add_to(double* to, hn::Vec<Tag<float>> sum) {
  const Tag<double> wide;
#if HWY_TARGET == HWY_SCALAR  // vectors have one element, so there are no halves
  add_to(to, hn::PromoteTo(wide, sum));
#else
  const hn::Half<Tag<float>> half;
  add_to(to, hn::PromoteTo(wide, hn::LowerHalf(half, sum)));
  add_to(to + kLanes<double>, hn::PromoteTo(wide, hn::UpperHalf(half, sum)));
#endif
}

template <typename Scalar, Index kVectors, Index kWidth>
void accumulate(const Scalar* HWY_RESTRICT codes, Index count, const Scalar* HWY_RESTRICT y, Index stride,
                double* HWY_RESTRICT correlation, Index correlation_stride) {
  hn::Vec<Tag<Scalar>> acc[kVectors][kWidth];
  for (auto& row : acc) {
    for (auto& sum : row) sum = hn::Zero(Tag<Scalar>());
  }
  multiply_add<Scalar>(
      codes, count, [=](Index j, Index c) HWY_ATTR { return y[j * stride + c]; }, acc);
  for (Index c = 0; c < kWidth; ++c) {
    for (Index v = 0; v < kVectors; ++v) {
      add_to(correlation + c * correlation_stride + v * kLanes<Scalar>, acc[v][c]);
    }
  }
}

template <typename Scalar, std::size_t kVectors, std::size_t... kWidths>
void fill_row(Tiles<Scalar>& tiles, std::index_sequence<kWidths...>) {
  ((tiles.match[kVectors - 1][kWidths] = &match<Scalar, kVectors, kWidths + 1>), ...);
  ((tiles.accumulate[kVectors - 1][kWidths] = &accumulate<Scalar, kVectors, kWidths + 1>), ...);
}

template <typename Scalar>
Tiles<Scalar> make_tiles() {
  static_assert(Tiles<Scalar>::kMaxVectors == 3 && kColumns <= Tiles<Scalar>::kMaxColumns);
  Tiles<Scalar> tiles;
  tiles.lanes = kLanes<Scalar>;
  tiles.columns = kColumns;
  fill_row<Scalar, 1>(tiles, std::make_index_sequence<kColumns>());
  fill_row<Scalar, 2>(tiles, std::make_index_sequence<kColumns>());
  fill_row<Scalar, 3>(tiles, std::make_index_sequence<kColumns>());
  return tiles;
}

Tiles<float> tiles_f32() { return make_tiles<float>(); }
Tiles<double> tiles_f64() { return make_tiles<double>(); }

}  // namespace orthodict::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orthodict::engine {

HWY_EXPORT(tiles_f32);
HWY_EXPORT(tiles_f64);

template <>
Tiles<float> tiles() {
  return HWY_DYNAMIC_DISPATCH(tiles_f32)();
}
template <>
Tiles<double> tiles() {
  return HWY_DYNAMIC_DISPATCH(tiles_f64)();
}

}  // namespace orthodict::engine
#endif
