// SPDX-License-Identifier: Apache-2.0
#include "solver/overcomplete/columns.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solver/overcomplete/columns.cc"
#include "simd/targets.h"
// Highway requires this order of includes.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace orthodict::solver::overcomplete::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::ScalableTag<double>;
constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(Lanes()));

HWY_INLINE hn::Vec<Lanes> load(const double* x) { return hn::LoadU(Lanes(), x); }
HWY_INLINE hn::Vec<Lanes> load(const float* x) {
  return hn::PromoteTo(Lanes(), hn::LoadU(hn::Rebind<float, Lanes>(), x));
}

// kVectors vectors of the sum stay in registers.
template <Index kVectors, typename Scalar>
HWY_INLINE void add_tile(const Scalar* HWY_RESTRICT m, Index stride, const Index* columns, const double* values,
                         Index count, double* HWY_RESTRICT sum) {
  hn::Vec<Lanes> sums[kVectors];
  for (Index v = 0; v < kVectors; ++v) sums[v] = hn::Zero(Lanes());
  for (Index e = 0; e < count; ++e) {
    const auto value = hn::Set(Lanes(), values[e]);
    const Scalar* column = m + columns[e] * stride;
    for (Index v = 0; v < kVectors; ++v) sums[v] = hn::MulAdd(value, load(column + v * kLanes), sums[v]);
  }
  for (Index v = 0; v < kVectors; ++v) hn::StoreU(sums[v], Lanes(), sum + v * kLanes);
}

template <typename Scalar>
HWY_INLINE void add_all(const Scalar* m, Index rows, const Index* columns, const double* values, Index count,
                        double* sum) {
  constexpr Index kTile = 8;
  Index i = 0;
  for (; i + kTile * kLanes <= rows; i += kTile * kLanes) add_tile<kTile>(m + i, rows, columns, values, count, sum + i);
  for (; i + kLanes <= rows; i += kLanes) add_tile<1>(m + i, rows, columns, values, count, sum + i);
  for (; i < rows; ++i) {
    sum[i] = 0;
    for (Index e = 0; e < count; ++e) sum[i] += values[e] * static_cast<double>(m[columns[e] * rows + i]);
  }
}

void add_f32(const float* m, Index rows, const Index* columns, const double* values, Index count, double* sum) {
  add_all(m, rows, columns, values, count, sum);
}
void add_f64(const double* m, Index rows, const Index* columns, const double* values, Index count, double* sum) {
  add_all(m, rows, columns, values, count, sum);
}

void multiply(const double* m, Index rows, const Index* columns, Index count, const double* x, double* products) {
  for (Index e = 0; e < count; ++e) {
    const double* column = m + columns[e] * rows;
    hn::Vec<Lanes> sums[2] = {hn::Zero(Lanes()), hn::Zero(Lanes())};
    Index i = 0;
    for (; i + 2 * kLanes <= rows; i += 2 * kLanes) {
      sums[0] = hn::MulAdd(load(column + i), load(x + i), sums[0]);
      sums[1] = hn::MulAdd(load(column + i + kLanes), load(x + i + kLanes), sums[1]);
    }
    products[e] = hn::GetLane(hn::SumOfLanes(Lanes(), hn::Add(sums[0], sums[1])));
    for (; i < rows; ++i) products[e] += column[i] * x[i];
  }
}

}  // namespace orthodict::solver::overcomplete::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orthodict::solver::overcomplete {
namespace {

HWY_EXPORT(add_f32);
HWY_EXPORT(add_f64);
HWY_EXPORT(multiply);

}  // namespace

template <>
Vector<double> sum_of_columns(const Matrix<float>& m, std::span<const Index> columns, std::span<const double> values) {
  Vector<double> sum(m.rows());
  HWY_DYNAMIC_DISPATCH(add_f32)
  (m.data(), m.rows(), columns.data(), values.data(), static_cast<Index>(columns.size()), sum.data());
  return sum;
}

template <>
Vector<double> sum_of_columns(const Matrix<double>& m, std::span<const Index> columns, std::span<const double> values) {
  Vector<double> sum(m.rows());
  HWY_DYNAMIC_DISPATCH(add_f64)
  (m.data(), m.rows(), columns.data(), values.data(), static_cast<Index>(columns.size()), sum.data());
  return sum;
}

void products_with_columns(const Matrix<double>& m, std::span<const Index> columns, const double* x,
                           std::span<double> products) {
  HWY_DYNAMIC_DISPATCH(multiply)
  (m.data(), m.rows(), columns.data(), static_cast<Index>(columns.size()), x, products.data());
}

}  // namespace orthodict::solver::overcomplete
#endif
