// SPDX-License-Identifier: Apache-2.0
#include "baselines/atom_update.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "coding/products.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "baselines/atom_update.cc"
#include "simd/targets.h"
// Highway requires this order of includes.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace orthodict::baselines::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<double>;
constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(Tag()));

// The columns of R for an atom's entries are known in advance, but not to the hardware prefetcher.
HWY_INLINE void fetch(const double* column, Index size) {
  constexpr Index kLine = 8;
  for (Index i = 0; i < size; i += kLine) __builtin_prefetch(column + i, 1, 3);
}

// sum += Σ_e g_e r_e, four entries at a time. `size`, the length of columns, must be a multiple of kLanes.
void add_entries(const double* HWY_RESTRICT residual, Index size, const Index* samples, const double* g, Index count,
                 double* HWY_RESTRICT sum) {
  const Tag d;
  Index e = 0;
  for (; e + 4 <= count; e += 4) {
    for (Index next = e + 4; next < std::min(e + 8, count); ++next) fetch(residual + samples[next] * size, size);
    const double* r[4];
    hn::Vec<Tag> factor[4];
    for (int i = 0; i < 4; ++i) {
      r[i] = residual + samples[e + i] * size;
      factor[i] = hn::Set(d, g[e + i]);
    }
    for (Index i = 0; i < size; i += kLanes) {
      const auto first = hn::MulAdd(factor[1], hn::LoadU(d, r[1] + i), hn::Mul(factor[0], hn::LoadU(d, r[0] + i)));
      const auto second = hn::MulAdd(factor[3], hn::LoadU(d, r[3] + i), hn::Mul(factor[2], hn::LoadU(d, r[2] + i)));
      hn::StoreU(hn::Add(hn::LoadU(d, sum + i), hn::Add(first, second)), d, sum + i);
    }
  }
  for (; e < count; ++e) {
    const double* r = residual + samples[e] * size;
    for (Index i = 0; i < size; i += kLanes) {
      hn::StoreU(hn::MulAdd(hn::Set(d, g[e]), hn::LoadU(d, r + i), hn::LoadU(d, sum + i)), d, sum + i);
    }
  }
}

HWY_INLINE double dot(const double* HWY_RESTRICT x, const double* HWY_RESTRICT y, Index size) {
  const Tag d;
  auto even = hn::Zero(d);
  auto odd = hn::Zero(d);
  Index i = 0;
  for (; i + 2 * kLanes <= size; i += 2 * kLanes) {
    even = hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), even);
    odd = hn::MulAdd(hn::LoadU(d, x + i + kLanes), hn::LoadU(d, y + i + kLanes), odd);
  }
  if (i < size) even = hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), even);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
}

// For each entry, with e = r + g·from:   g' = eᵀto,   r ← e − g'·to.
void exchange_entries(double* HWY_RESTRICT residual, Index size, const Index* samples, double* g, Index count,
                      const double* HWY_RESTRICT from, const double* HWY_RESTRICT to) {
  const Tag d;
  constexpr Index kAhead = 4;
  const double cosine = dot(from, to, size);
  for (Index e = 0; e < count; ++e) {
    if (e + kAhead < count) fetch(residual + samples[e + kAhead] * size, size);
    double* r = residual + samples[e] * size;
    const double after = dot(r, to, size) + g[e] * cosine;
    const auto plus = hn::Set(d, g[e]);
    const auto minus = hn::Set(d, after);
    for (Index i = 0; i < size; i += kLanes) {
      const auto restored = hn::MulAdd(plus, hn::LoadU(d, from + i), hn::LoadU(d, r + i));
      hn::StoreU(hn::NegMulAdd(minus, hn::LoadU(d, to + i), restored), d, r + i);
    }
    g[e] = after;
  }
}

}  // namespace orthodict::baselines::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orthodict::baselines {
namespace {

HWY_EXPORT(add_entries);
HWY_EXPORT(exchange_entries);

// Entries of an atom per task.
constexpr Index kBlock = 1024;

}  // namespace

AtomUpdate::AtomUpdate(Index dimension, Index samples, engine::Workers& workers)
    : dimension_(dimension),
      workers_(workers),
      residual_(Matrix<double>::Zero(coding::padded<double>(dimension), samples)) {}

void AtomUpdate::gather(const std::vector<CodeBlock>& blocks, Index block_size, Index atoms) {
  begin_.assign(static_cast<std::size_t>(atoms) + 1, 0);
  for (const CodeBlock& block : blocks) {
    for (const Index atom : block.atoms) ++begin_[static_cast<std::size_t>(atom) + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  samples_.resize(static_cast<std::size_t>(begin_.back()));
  values_.resize(samples_.size());
  std::vector<Index> next = begin_;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const CodeBlock& block = blocks[b];
    for (std::size_t i = 0; i + 1 < block.begin.size(); ++i) {
      for (auto e = static_cast<std::size_t>(block.begin[i]); e < static_cast<std::size_t>(block.begin[i + 1]); ++e) {
        const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(block.atoms[e])]++);
        samples_[at] = static_cast<Index>(b) * block_size + static_cast<Index>(i);
        values_[at] = block.values[e];
      }
    }
  }
}

// Runs task(block, first entry, entries) for the blocks of an atom's entries.
template <typename Task>
void AtomUpdate::for_each_block(Index atom, const Task& task) {
  const Index begin = begin_[static_cast<std::size_t>(atom)];
  const Index count = begin_[static_cast<std::size_t>(atom) + 1] - begin;
  // Two to five operations per value of R; but fetching the values dominates the time.
  const double flops = 8 * static_cast<double>(residual_.rows()) * static_cast<double>(count);
  workers_.for_each(engine::team_for(flops, workers_), (count + kBlock - 1) / kBlock, [&](Index block) {
    task(block, static_cast<std::size_t>(begin + block * kBlock), std::min(kBlock, count - block * kBlock));
  });
}

void AtomUpdate::update(Index atom, double* d) {
  const Index size = residual_.rows();
  const Index blocks =
      (begin_[static_cast<std::size_t>(atom) + 1] - begin_[static_cast<std::size_t>(atom)] + kBlock - 1) / kBlock;
  Vector<double> old = Vector<double>::Zero(size);
  old.head(dimension_) = Eigen::Map<const Vector<double>>(d, dimension_);
  sums_.setZero(size, blocks);
  for_each_block(atom, [&](Index block, std::size_t first, Index count) {
    const Eigen::Map<const Vector<double>> g(&values_[first], count);
    sums_.col(block) = g.squaredNorm() * old;
    HWY_DYNAMIC_DISPATCH(add_entries)
    (residual_.data(), size, &samples_[first], g.data(), count, &sums_(0, block));
  });
  Vector<double> fresh = Vector<double>::Zero(size);
  for (Index block = 0; block < blocks; ++block) fresh += sums_.col(block);
  const double norm = fresh.norm();
  if (!(norm > 0)) return;
  fresh /= norm;
  for_each_block(atom, [&](Index, std::size_t first, Index count) {
    HWY_DYNAMIC_DISPATCH(exchange_entries)
    (residual_.data(), size, &samples_[first], &values_[first], count, old.data(), fresh.data());
  });
  Eigen::Map<Vector<double>>(d, dimension_) = fresh.head(dimension_);
}

Index AtomUpdate::uses(Index atom) const {
  constexpr double kUsed = 1e-7;
  const auto begin = values_.begin() + begin_[static_cast<std::size_t>(atom)];
  const auto end = values_.begin() + begin_[static_cast<std::size_t>(atom) + 1];
  return std::count_if(begin, end, [](double value) { return std::abs(value) > kUsed; });
}

}  // namespace orthodict::baselines
#endif
