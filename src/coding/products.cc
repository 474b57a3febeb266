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

// r ← c − Σ_j x_j·g_j, with g_j column atoms_j of the Gram matrix. Returns the largest |r|.
template <typename Scalar>
HWY_INLINE Scalar residual_of(const Scalar* HWY_RESTRICT gram, Index stride, const Index* HWY_RESTRICT atoms,
                              const Scalar* HWY_RESTRICT x, Index count, const Scalar* HWY_RESTRICT c,
                              Scalar* HWY_RESTRICT r) {
  const hn::ScalableTag<Scalar> d;
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(d));
  auto highest = hn::Zero(d);
  for (Index i = 0; i < stride; i += kLanes) {
    auto even = hn::LoadU(d, c + i), odd = hn::Zero(d);
    Index j = 0;
    for (; j + 2 <= count; j += 2) {
      even = hn::NegMulAdd(hn::Set(d, x[j]), hn::LoadU(d, gram + atoms[j] * stride + i), even);
      odd = hn::NegMulAdd(hn::Set(d, x[j + 1]), hn::LoadU(d, gram + atoms[j + 1] * stride + i), odd);
    }
    if (j < count) even = hn::NegMulAdd(hn::Set(d, x[j]), hn::LoadU(d, gram + atoms[j] * stride + i), even);
    even = hn::Add(even, odd);
    hn::StoreU(even, d, r + i);
    highest = hn::Max(highest, hn::Abs(even));
  }
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
