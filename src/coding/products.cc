// SPDX-License-Identifier: Apache-2.0
#include "coding/products.h"

#include "linalg/blas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "coding/products.cc"
#include "simd/targets.h"
// Highway requires this order of includes.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace orthodict::coding::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// kVectors vectors of r ← c − Σ_j x_j·g_j, with g_j column atoms_j of the Gram matrix, and the largest |r| so far.
template <Index kVectors, typename Scalar>
HWY_INLINE void residual_tile(const Scalar* HWY_RESTRICT gram, Index stride, const Index* HWY_RESTRICT atoms,
                              const Scalar* HWY_RESTRICT x, Index count, const Scalar* HWY_RESTRICT c,
                              Scalar* HWY_RESTRICT r, hn::Vec<hn::ScalableTag<Scalar>>* highest) {
  const hn::ScalableTag<Scalar> d;
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(d));
  hn::Vec<hn::ScalableTag<Scalar>> rest[kVectors];
  for (Index v = 0; v < kVectors; ++v) rest[v] = hn::LoadU(d, c + v * kLanes);
  for (Index j = 0; j < count; ++j) {
    const auto value = hn::Set(d, x[j]);
    for (Index v = 0; v < kVectors; ++v) {
      rest[v] = hn::NegMulAdd(value, hn::LoadU(d, gram + atoms[j] * stride + v * kLanes), rest[v]);
    }
  }
  for (Index v = 0; v < kVectors; ++v) {
    hn::StoreU(rest[v], d, r + v * kLanes);
    *highest = hn::Max(*highest, hn::Abs(rest[v]));
  }
}

template <typename Scalar>
HWY_INLINE Scalar residual_of(const Scalar* gram, Index stride, const Index* atoms, const Scalar* x, Index count,
                              const Scalar* c, Scalar* r) {
  const hn::ScalableTag<Scalar> d;
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(d));
  constexpr Index kTile = 8;
  auto highest = hn::Zero(d);
  Index i = 0;
  for (; i + kTile * kLanes <= stride; i += kTile * kLanes) {
    residual_tile<kTile>(gram + i, stride, atoms, x, count, c + i, r + i, &highest);
  }
  for (; i < stride; i += kLanes) residual_tile<1>(gram + i, stride, atoms, x, count, c + i, r + i, &highest);
  return hn::GetLane(hn::MaxOfLanes(d, highest));
}

float residual_f32(const float* gram, Index stride, const Index* atoms, const float* x, Index count, const float* c,
                   float* r) {
  return residual_of(gram, stride, atoms, x, count, c, r);
}
double residual_f64(const double* gram, Index stride, const Index* atoms, const double* x, Index count, const double* c,
                    double* r) {
  return residual_of(gram, stride, atoms, x, count, c, r);
}

}  // namespace orthodict::coding::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orthodict::coding {
namespace {

HWY_EXPORT(residual_f32);
HWY_EXPORT(residual_f64);

float residual_by_gram(const float* gram, Index stride, const Index* atoms, const float* x, Index count, const float* c,
                       float* r) {
  return HWY_DYNAMIC_DISPATCH(residual_f32)(gram, stride, atoms, x, count, c, r);
}
double residual_by_gram(const double* gram, Index stride, const Index* atoms, const double* x, Index count,
                        const double* c, double* r) {
  return HWY_DYNAMIC_DISPATCH(residual_f64)(gram, stride, atoms, x, count, c, r);
}

}  // namespace

template <typename Scalar>
Products<Scalar>::Products(const Matrix<Scalar>& dictionary)
    : dictionary_(dictionary), gram_(padded<Scalar>(dictionary.cols()), dictionary.cols()) {
  correlate(dictionary.data(), dictionary.cols(), gram_.data());
}

template <typename Scalar>
void Products<Scalar>::correlate(const Scalar* samples, Index count, Scalar* correlations) const {
  const Index n = dictionary_.rows();
  Eigen::Map<Matrix<Scalar>>(correlations, stride(), count).bottomRows(stride() - atoms()).setZero();
  linalg::gemm(linalg::Op::kTranspose, linalg::Op::kNone, atoms(), count, n, Scalar(1), dictionary_.data(), n, samples,
               n, Scalar(0), correlations, stride());
}

template <typename Scalar>
double Products<Scalar>::residual(const Scalar* correlations, const std::vector<Index>& atoms,
                                  const std::vector<Scalar>& values, Scalar* residual) const {
  return residual_by_gram(gram_.data(), stride(), atoms.data(), values.data(), static_cast<Index>(atoms.size()),
                          correlations, residual);
}

template class Products<float>;
template class Products<double>;

}  // namespace orthodict::coding
#endif  // HWY_ONCE
