// SPDX-License-Identifier: Apache-2.0
#include "baselines/omp.h"

#include <algorithm>
#include <cmath>

#include "linalg/blas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "baselines/omp.cc"
#include "simd/targets.h"
// Highway requires this order of includes.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace orthodict::baselines::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<double>;
constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(Tag()));

Index lanes() { return kLanes; }

// The index of the first entry of largest magnitude. `size` must be a multiple of kLanes.
Index largest(const double* HWY_RESTRICT x, Index size) {
  const Tag d;
  auto most = hn::Abs(hn::LoadU(d, x));
  for (Index i = kLanes; i < size; i += kLanes) most = hn::Max(most, hn::Abs(hn::LoadU(d, x + i)));
  most = hn::MaxOfLanes(d, most);
  for (Index i = 0; i < size; i += kLanes) {
    const auto found = hn::FindFirstTrue(d, hn::Eq(hn::Abs(hn::LoadU(d, x + i)), most));
    if (found >= 0) return i + static_cast<Index>(found);
  }
  return 0;
}

// kVectors vectors of   w_i = (g − Σ_{j<i} l_j w_j)·scale,   z ← z − c·w_i;   w points to w_0, `count` is i.
template <Index kVectors>
HWY_INLINE void project_tile(const double* HWY_RESTRICT g, double* HWY_RESTRICT w, Index stride, Index count,
                             const double* HWY_RESTRICT l, double scale, double c, double* HWY_RESTRICT z) {
  const Tag d;
  hn::Vec<Tag> sum[kVectors];
  for (Index v = 0; v < kVectors; ++v) sum[v] = hn::LoadU(d, g + v * kLanes);
  for (Index j = 0; j < count; ++j) {
    const auto factor = hn::Set(d, l[j]);
    for (Index v = 0; v < kVectors; ++v)
      sum[v] = hn::NegMulAdd(factor, hn::LoadU(d, w + j * stride + v * kLanes), sum[v]);
  }
  for (Index v = 0; v < kVectors; ++v) {
    sum[v] = hn::Mul(sum[v], hn::Set(d, scale));
    hn::StoreU(sum[v], d, w + count * stride + v * kLanes);
    hn::StoreU(hn::NegMulAdd(hn::Set(d, c), sum[v], hn::LoadU(d, z + v * kLanes)), d, z + v * kLanes);
  }
}

void project(const double* g, double* w, Index stride, Index count, const double* l, double scale, double c,
             double* z) {
  constexpr Index kTile = 4;
  Index i = 0;
  for (; i + kTile * kLanes <= stride; i += kTile * kLanes) {
    project_tile<kTile>(g + i, w + i, stride, count, l, scale, c, z + i);
  }
  for (; i < stride; i += kLanes) project_tile<1>(g + i, w + i, stride, count, l, scale, c, z + i);
}

}  // namespace orthodict::baselines::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orthodict::baselines {
namespace {

HWY_EXPORT(lanes);
HWY_EXPORT(largest);
HWY_EXPORT(project);

}  // namespace

Index padded(Index size) {
  const Index lanes = HWY_DYNAMIC_DISPATCH(lanes)();
  return (size + lanes - 1) / lanes * lanes;
}

BatchOmp::BatchOmp(const Matrix<double>& dictionary)
    : dictionary_(dictionary),
      atoms_(dictionary.cols()),
      stride_(padded(atoms_)),
      gram_(Matrix<double>::Zero(stride_, atoms_)) {
  correlate(dictionary.data(), atoms_, gram_.data());
}

void BatchOmp::correlate(const double* samples, Index count, double* correlations) const {
  const Index n = dictionary_.rows();
  Eigen::Map<Matrix<double>>(correlations, stride_, count).bottomRows(stride_ - atoms_).setZero();
  linalg::gemm(linalg::Op::kTranspose, linalg::Op::kNone, atoms_, count, n, 1, dictionary_.data(), n, samples, n, 0,
               correlations, stride_);
}

Pursuit::Pursuit(const BatchOmp& omp) : omp_(omp), correlations_(static_cast<std::size_t>(omp.stride())) {}

void Pursuit::start(const double* correlations, double squared_norm) {
  // Projections have errors of a few units in the last place of ‖y‖.
  constexpr double kRounding = 1e-13;
  std::copy_n(correlations, omp_.stride(), correlations_.begin());
  squared_residual_ = squared_norm;
  smallest_ = kRounding * std::sqrt(squared_norm);
  picked_.clear();
  weights_.clear();
}

void Pursuit::extend(Index sparsity, double squared_error) {
  while (size() < sparsity && squared_residual_ > squared_error) {
    const Index atom = HWY_DYNAMIC_DISPATCH(largest)(correlations_.data(), omp_.stride());
    if (!(std::abs(correlations_[static_cast<std::size_t>(atom)]) > smallest_) || !pick(atom)) return;
  }
}

// Returns false if the atom depends linearly on those picked before.
bool Pursuit::pick(Index atom) {
  constexpr double kDependent = 1e-12;
  const Index count = size();
  const Index stride = omp_.stride();
  const auto end = static_cast<std::size_t>((count + 1) * stride);
  if (basis_.size() < end) basis_.resize(2 * end);
  row_.resize(static_cast<std::size_t>(count));
  double pivot = omp_.gram(atom)[atom];
  for (Index j = 0; j < count; ++j) {
    const double l = basis(j)[atom];
    row_[static_cast<std::size_t>(j)] = l;
    pivot -= l * l;
  }
  if (!(pivot > kDependent)) return false;
  const double scale = 1 / std::sqrt(pivot);
  const double weight = correlations_[static_cast<std::size_t>(atom)] * scale;
  HWY_DYNAMIC_DISPATCH(project)
  (omp_.gram(atom), basis_.data(), stride, count, row_.data(), scale, weight, correlations_.data());
  squared_residual_ -= weight * weight;
  weights_.push_back(weight);
  picked_.push_back(atom);
  return true;
}

const std::vector<double>& Pursuit::coefficients() {
  coefficients_ = weights_;
  for (std::size_t i = picked_.size(); i-- > 0;) {
    const double* w = basis(static_cast<Index>(i));
    double rest = weights_[i];
    for (std::size_t h = i + 1; h < picked_.size(); ++h) rest -= w[picked_[h]] * coefficients_[h];
    coefficients_[i] = rest / w[picked_[i]];
  }
  return coefficients_;
}

}  // namespace orthodict::baselines
#endif
