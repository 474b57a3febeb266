// SPDX-License-Identifier: Apache-2.0
#include "baselines/reduced_samples.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "engine/lanes.h"
#include "linalg/blas.h"
#include "linalg/lapack.h"
#include "memory/allocation.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "baselines/reduced_samples.cc"
#include "simd/targets.h"
// Highway requires this order of includes.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace orthodict::baselines::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Adds sign(qᵀx)·x to `sum` and returns Σ|qᵀx|, for kWidth samples of `stride` entries (whole vectors).
template <Index kWidth>
HWY_INLINE double add_samples(const double* HWY_RESTRICT x, Index stride, const double* HWY_RESTRICT q,
                              double* HWY_RESTRICT sum) {
  const hn::ScalableTag<double> d;
  using Vec = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  Vec products[kWidth], signs[kWidth];
  for (auto& product : products) product = hn::Zero(d);
  for (Index i = 0; i < stride; i += lanes) {
    const Vec factor = hn::LoadU(d, q + i);
    for (Index c = 0; c < kWidth; ++c) {
      products[c] = hn::MulAdd(hn::LoadU(d, x + c * stride + i), factor, products[c]);
    }
  }
  double total = 0;
  for (Index c = 0; c < kWidth; ++c) {
    const double z = hn::GetLane(hn::SumOfLanes(d, products[c]));
    total += std::abs(z);
    signs[c] = hn::Set(d, z > 0 ? 1.0 : z < 0 ? -1.0 : 0.0);
  }
  for (Index i = 0; i < stride; i += lanes) {
    Vec s = hn::LoadU(d, sum + i);
    for (Index c = 0; c < kWidth; ++c) s = hn::MulAdd(hn::LoadU(d, x + c * stride + i), signs[c], s);
    hn::StoreU(s, d, sum + i);
  }
  return total;
}

double add_block(const double* x, Index stride, Index count, const double* q, double* sum) {
  static_assert(hn::MaxLanes(hn::ScalableTag<double>()) <= kLongestVector);
  constexpr Index kWidth = 4;
  double total = 0;
  Index j = 0;
  for (; j + kWidth <= count; j += kWidth) total += add_samples<kWidth>(x + j * stride, stride, q, sum);
  for (; j < count; ++j) total += add_samples<1>(x + j * stride, stride, q, sum);
  return total;
}

}  // namespace orthodict::baselines::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orthodict::baselines {
namespace {

HWY_EXPORT(add_block);

struct Sums {
  double objective = 0;
  Vector<double> gradient;

  void clear() {
    objective = 0;
    gradient.setZero();
  }
  void add(const Sums& other) {
    objective += other.objective;
    gradient += other.gradient;
  }
  template <typename Visit>
  void for_each_part(const Visit& visit) {
    visit(std::span(&objective, 1));
    visit(std::span(gradient.data(), static_cast<std::size_t>(gradient.size())));
  }
};

Matrix<double> basis_of_range(const solver::Coordinates& coordinates) {
  const Index d = coordinates.dimension();
  if (coordinates.rank() >= d) return Matrix<double>::Identity(d, d);
  return linalg::symmetric_eigen(coordinates.unit_covariance()).vectors.rightCols(coordinates.rank());
}

}  // namespace

ReducedSamples::ReducedSamples(solver::Run& run, const solver::Coordinates& coordinates)
    : run_(run), size_(run.samples().size()), basis_(basis_of_range(coordinates)) {
  const Samples& samples = run.samples();
  const Index n = samples.dimension();
  memory::require_memory(samples.name(),
                         sizeof(double) * static_cast<std::size_t>(stride()) * static_cast<std::size_t>(size_));
  storage_ = Matrix<double>::Zero(stride(), size_);
  const bool whole = basis_.rows() == basis_.cols();
  for_each_block(static_cast<double>(4 * n), [&](Index block) {
    Matrix<double> y(n, count(block));
    const Block<double> from = samples.block(block * kBlock, y.cols(), y.data());
    if (from.data != y.data()) {
      y = Eigen::Map<const Matrix<double>, 0, Eigen::OuterStride<>>(from.data, n, y.cols(), {from.stride});
    }
    const Matrix<double> x = coordinates.apply(y);
    storage_.block(0, block * kBlock, dimension(), y.cols()) =
        whole ? x : linalg::multiply(basis_, linalg::Op::kTranspose, x, linalg::Op::kNone);
  });
}

void ReducedSamples::for_each_block(double flops_per_entry, const std::function<void(Index)>& work) {
  const double flops = flops_per_entry * static_cast<double>(dimension()) * static_cast<double>(size_);
  run_.workers().for_each(engine::team_for(flops, run_.workers()), blocks(), [&](Index block) {
    if (!run_.options().stop.stop_requested()) work(block);
  });
}

std::optional<ReducedSamples::Value> ReducedSamples::evaluate(const Vector<double>& q) {
  const auto start = std::chrono::steady_clock::now();
  const Index m = dimension();
  Vector<double> padded = Vector<double>::Zero(stride());
  padded.head(m) = q;
  static_assert(engine::LanePlan::kGrain % kBlock == 0);
  const engine::LanePlan plan(size_, storage_.rows());
  const auto make = [&] { return Sums{0, Vector<double>::Zero(stride())}; };
  const auto work = [&](int, Index lane, Sums& sums) {
    for (Index first = plan.begin(lane); first < plan.begin(lane + 1); first += kBlock) {
      if (run_.options().stop.stop_requested()) return false;
      const Index block = first / kBlock;
      sums.objective +=
          HWY_DYNAMIC_DISPATCH(add_block)(data(block), stride(), count(block), padded.data(), sums.gradient.data());
    }
    return true;
  };
  const double flops = 4.0 * static_cast<double>(m) * static_cast<double>(size_);
  const auto sums = engine::sum_lanes<Sums>(plan, run_.workers(), flops, run_.options().stop, make, work);
  if (!sums) return std::nullopt;
  ++run_.summary().passes;
  run_.summary().pass_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Value value{sums->objective / static_cast<double>(size_), sums->gradient.head(m) / static_cast<double>(size_)};
  value.gradient -= q.dot(value.gradient) * q;
  return value;
}

// Applies the Householder reflection H that maps q to ∓e_1: the samples become Hx and the basis BH, without their first
// entries.
void ReducedSamples::leave_out(const Vector<double>& q) {
  const Index m = dimension();
  const Index old_stride = stride();
  Vector<double> v = q;
  v[0] += q[0] < 0 ? -1 : 1;
  v *= std::sqrt(2.0) / v.norm();  // H = I − vvᵀ
  basis_ = Matrix<double>((basis_ - (basis_ * v) * v.transpose()).rightCols(m - 1));
  for_each_block(4, [&](Index block) {
    for (Index j = 0; j < count(block); ++j) {
      const double* from = data(block) + j * old_stride;
      const double along = v.dot(Eigen::Map<const Vector<double>>(from, m));
      // Moves to the space freed by the previous samples. The ranges overlap, so copies forwards.
      double* to = data(block) + j * stride();
      for (Index i = 1; i < m; ++i) to[i - 1] = from[i] - along * v[i];
    }
  });
}

}  // namespace orthodict::baselines
#endif
