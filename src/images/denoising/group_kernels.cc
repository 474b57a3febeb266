// SPDX-License-Identifier: Apache-2.0
#include "images/denoising/group_kernels.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "images/denoising/group_kernels.cc"
#include "simd/targets.h"
// Highway requires this order of includes.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace orthodict::images::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Lanes = hn::ScalableTag<float>;
constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(Lanes()));

// kVectors vectors of candidates.
template <Index kVectors>
HWY_INLINE void distances_tile(const float* HWY_RESTRICT reference, const float* HWY_RESTRICT candidates, Index stride,
                               Index height, Index width, float* HWY_RESTRICT distances) {
  const Lanes d;
  hn::Vec<Lanes> sum[kVectors];
  for (Index v = 0; v < kVectors; ++v) sum[v] = hn::Zero(d);
  for (Index y = 0; y < height; ++y, reference += stride, candidates += stride) {
    for (Index x = 0; x < width; ++x) {
      const auto pixel = hn::Set(d, reference[x]);
      for (Index v = 0; v < kVectors; ++v) {
        const auto difference = hn::Sub(hn::LoadU(d, candidates + x + v * kLanes), pixel);
        sum[v] = hn::MulAdd(difference, difference, sum[v]);
      }
    }
  }
  for (Index v = 0; v < kVectors; ++v) hn::StoreU(sum[v], d, distances + v * kLanes);
}

void patch_distances_f32(const float* reference, const float* candidates, Index stride, Index height, Index width,
                         Index count, float* distances) {
  constexpr Index kTile = 3;
  Index i = 0;
  for (; i + kTile * kLanes <= count; i += kTile * kLanes) {
    distances_tile<kTile>(reference, candidates + i, stride, height, width, distances + i);
  }
  for (; i + kLanes <= count; i += kLanes) {
    distances_tile<1>(reference, candidates + i, stride, height, width, distances + i);
  }
  for (; i < count; ++i) {
    float sum = 0;
    for (Index y = 0; y < height; ++y) {
      for (Index x = 0; x < width; ++x) {
        const float difference = candidates[i + x + y * stride] - reference[x + y * stride];
        sum += difference * difference;
      }
    }
    distances[i] = sum;
  }
}

// sum ← (a + b)/√2 and difference ← (a − b)/√2, n values each.
HWY_INLINE void butterfly(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, Index n, float* HWY_RESTRICT sum,
                          float* HWY_RESTRICT difference) {
  constexpr float kScale = 0.70710678118654752F;
  const Lanes d;
  const auto scale = hn::Set(d, kScale);
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const auto left = hn::LoadU(d, a + i);
    const auto right = hn::LoadU(d, b + i);
    hn::StoreU(hn::Mul(hn::Add(left, right), scale), d, sum + i);
    hn::StoreU(hn::Mul(hn::Sub(left, right), scale), d, difference + i);
  }
  for (; i < n; ++i) {
    sum[i] = (a[i] + b[i]) * kScale;
    difference[i] = (a[i] - b[i]) * kScale;
  }
}

void haar_f32(float* group, Index n, Index count, float* scratch) {
  for (Index length = count; length > 1; length /= 2) {
    const Index half = length / 2;
    for (Index k = 0; k < half; ++k) {
      const float* pair = group + 2 * k * n;
      butterfly(pair, pair + n, n, scratch + k * n, scratch + (half + k) * n);
    }
    std::copy_n(scratch, length * n, group);
  }
}

void inverse_haar_f32(float* group, Index n, Index count, float* scratch) {
  for (Index length = 2; length <= count; length *= 2) {
    const Index half = length / 2;
    for (Index k = 0; k < half; ++k) {
      float* pair = scratch + 2 * k * n;
      butterfly(group + k * n, group + (half + k) * n, n, pair, pair + n);
    }
    std::copy_n(scratch, length * n, group);
  }
}

float keep_large_f32(float* values, Index size, float threshold) {
  const float first = values[0];
  const Lanes d;
  const auto least = hn::Set(d, threshold);
  Index kept = 0;
  Index i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    const auto value = hn::LoadU(d, values + i);
    const auto large = hn::Ge(hn::Abs(value), least);
    kept += static_cast<Index>(hn::CountTrue(d, large));
    hn::StoreU(hn::IfThenElseZero(large, value), d, values + i);
  }
  for (; i < size; ++i) {
    const bool large = std::abs(values[i]) >= threshold;
    kept += large ? 1 : 0;
    if (!large) values[i] = 0;
  }
  if (std::abs(first) < threshold) ++kept;
  values[0] = first;
  return static_cast<float>(kept);
}

float apply_wiener_f32(float* values, const float* pilot, Index size, float variance) {
  const float first = values[0];
  const float first_gain = pilot[0] * pilot[0] / (pilot[0] * pilot[0] + variance);
  const Lanes d;
  const auto noise = hn::Set(d, variance);
  auto sum = hn::Zero(d);
  Index i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    const auto q = hn::LoadU(d, pilot + i);
    const auto energy = hn::Mul(q, q);
    const auto gain = hn::Div(energy, hn::Add(energy, noise));
    sum = hn::MulAdd(gain, gain, sum);
    hn::StoreU(hn::Mul(gain, hn::LoadU(d, values + i)), d, values + i);
  }
  float total = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; i < size; ++i) {
    const float gain = pilot[i] * pilot[i] / (pilot[i] * pilot[i] + variance);
    total += gain * gain;
    values[i] *= gain;
  }
  values[0] = first;
  return std::max(1.0F, total + 1 - first_gain * first_gain);
}

}  // namespace orthodict::images::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orthodict::images {

HWY_EXPORT(patch_distances_f32);
HWY_EXPORT(haar_f32);
HWY_EXPORT(inverse_haar_f32);
HWY_EXPORT(keep_large_f32);
HWY_EXPORT(apply_wiener_f32);

void patch_distances(const float* reference, const float* candidates, Index stride, const PatchShape& patch,
                     Index count, float* distances) {
  HWY_DYNAMIC_DISPATCH(patch_distances_f32)
  (reference, candidates, stride, patch.height, patch.width, count, distances);
}

void haar(float* group, Index n, Index count, float* scratch) {
  HWY_DYNAMIC_DISPATCH(haar_f32)(group, n, count, scratch);
}

void inverse_haar(float* group, Index n, Index count, float* scratch) {
  HWY_DYNAMIC_DISPATCH(inverse_haar_f32)(group, n, count, scratch);
}

float keep_large(float* values, Index size, float threshold) {
  return HWY_DYNAMIC_DISPATCH(keep_large_f32)(values, size, threshold);
}

float apply_wiener(float* values, const float* pilot, Index size, float variance) {
  return HWY_DYNAMIC_DISPATCH(apply_wiener_f32)(values, pilot, size, variance);
}

}  // namespace orthodict::images
#endif  // HWY_ONCE
