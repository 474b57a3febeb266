// SPDX-License-Identifier: Apache-2.0
#include "coding/selection.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "coding/selection.cc"
#include "simd/targets.h"
// Highway requires this order of includes.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace orthodict::coding::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The number of entries of at least this magnitude, which is positive.
Index count_from(const double* HWY_RESTRICT x, Index size, double least) {
  const hn::ScalableTag<double> d;
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(d));
  const auto level = hn::Set(d, least);
  std::size_t count = 0;
  Index i = 0;
  for (; i + kLanes <= size; i += kLanes) count += hn::CountTrue(d, hn::Ge(hn::Abs(hn::LoadU(d, x + i)), level));
  for (; i < size; ++i) count += std::abs(x[i]) >= least ? 1 : 0;
  return static_cast<Index>(count);
}

double largest_magnitude(const double* HWY_RESTRICT x, Index size) {
  const hn::ScalableTag<double> d;
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(d));
  auto most = hn::Zero(d);
  Index i = 0;
  for (; i + kLanes <= size; i += kLanes) most = hn::Max(most, hn::Abs(hn::LoadU(d, x + i)));
  double largest = hn::GetLane(hn::MaxOfLanes(d, most));
  for (; i < size; ++i) largest = std::max(largest, std::abs(x[i]));
  return largest;
}

// Sets entries of smaller magnitude to zero.
void keep_from(double* HWY_RESTRICT x, Index size, double least) {
  const hn::ScalableTag<double> d;
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(d));
  const auto level = hn::Set(d, least);
  Index i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    const auto value = hn::LoadU(d, x + i);
    hn::StoreU(hn::IfThenElseZero(hn::Ge(hn::Abs(value), level), value), d, x + i);
  }
  for (; i < size; ++i) {
    if (!(std::abs(x[i]) >= least)) x[i] = 0;
  }
}

// A sum of 0·x is zero unless one of them isn't finite.
bool are_finite(const double* HWY_RESTRICT x, Index size) {
  const hn::ScalableTag<double> d;
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(d));
  const auto zero = hn::Zero(d);
  auto even = zero, odd = zero;
  Index i = 0;
  for (; i + 2 * kLanes <= size; i += 2 * kLanes) {
    even = hn::MulAdd(zero, hn::LoadU(d, x + i), even);
    odd = hn::MulAdd(zero, hn::LoadU(d, x + i + kLanes), odd);
  }
  bool finite = hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd))) == 0;
  for (; i < size; ++i) finite = finite && std::isfinite(x[i]);
  return finite;
}

}  // namespace orthodict::coding::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orthodict::coding {
namespace {

HWY_EXPORT(count_from);
HWY_EXPORT(largest_magnitude);
HWY_EXPORT(keep_from);
HWY_EXPORT(are_finite);

// The number between two positive ones: halfway between their values, or, for the rest of many steps, their bits.
double between(double low, double high, int step) {
  constexpr int kByValue = 12;
  if (step < kByValue) return low + (high - low) / 2;
  const auto from = std::bit_cast<std::uint64_t>(low), to = std::bit_cast<std::uint64_t>(high);
  return std::bit_cast<double>(from + (to - from) / 2);
}

// Looks for a magnitude that exactly `top` entries have at least. If there is none, ties at `low` go to the first.
void keep_largest(double* x, Index size, Index top) {
  const auto count = [x, size](double least) { return HWY_DYNAMIC_DISPATCH(count_from)(x, size, least); };
  double low = std::numeric_limits<double>::min();  // subnormals count as zero
  if (count(low) <= top) return HWY_DYNAMIC_DISPATCH(keep_from)(x, size, low);
  double high = std::nextafter(HWY_DYNAMIC_DISPATCH(largest_magnitude)(x, size), HUGE_VAL);
  Index above = 0;  // entries from `high` on: fewer than `top`, and more from `low` on
  for (int step = 0; std::bit_cast<std::uint64_t>(high) - std::bit_cast<std::uint64_t>(low) > 1; ++step) {
    const double middle = between(low, high, step);
    const Index found = count(middle);
    if (found == top) return HWY_DYNAMIC_DISPATCH(keep_from)(x, size, middle);
    if (found > top) {
      low = middle;
    } else {
      high = middle;
      above = found;
    }
  }
  Index ties = top - above;
  for (Index i = 0; i < size; ++i) {
    const bool is_tie = std::abs(x[i]) >= low && std::abs(x[i]) < high;
    if (std::abs(x[i]) < low || (is_tie && ties-- <= 0)) x[i] = 0;
  }
}

void keep_complex(const EncodeOptions& options, double* code, Index size) {
  const auto size_of = [code](Index i) { return std::hypot(code[2 * i], code[2 * i + 1]); };
  const auto drop = [code](Index i) { code[2 * i] = code[2 * i + 1] = 0; };
  if (options.threshold) {
    for (Index i = 0; i < size; ++i) {
      if (!(size_of(i) >= *options.threshold)) drop(i);
    }
  }
  if (!options.top || *options.top >= size) return;
  std::vector<double> sizes(static_cast<std::size_t>(size));
  for (Index i = 0; i < size; ++i) sizes[static_cast<std::size_t>(i)] = size_of(i);
  keep_largest(sizes.data(), size, *options.top);
  for (Index i = 0; i < size; ++i) {
    if (sizes[static_cast<std::size_t>(i)] == 0) drop(i);
  }
}

}  // namespace

void keep(const EncodeOptions& options, double* code, Index size, bool is_complex) {
  if (is_complex) return keep_complex(options, code, size);
  if (options.threshold) HWY_DYNAMIC_DISPATCH(keep_from)(code, size, *options.threshold);
  if (options.top && *options.top < size) keep_largest(code, size, *options.top);
}

bool all_finite(const double* values, Index size) { return HWY_DYNAMIC_DISPATCH(are_finite)(values, size); }

}  // namespace orthodict::coding
#endif  // HWY_ONCE
