// SPDX-License-Identifier: Apache-2.0
#include "engine/moments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "engine/lanes.h"
#include "linalg/blas.h"
#include "linalg/complex.h"
#include "orthodict/error.h"

namespace orthodict::engine {
namespace {

constexpr Index kBlock = 256;

struct Sums {
  Vector<double> first;   // Σ (y − shift)
  Matrix<double> second;  // Σ (y − shift)(y − shift)ᵀ, lower triangle
  Vector<double> signature;
  double largest = 0;  // ‖y − shift‖²
  double bad_sample = kNone;

  static constexpr double kNone = std::numeric_limits<double>::infinity();
  void clear() {
    first.setZero();
    second.setZero();
    signature.setZero();
    largest = 0;
    bad_sample = kNone;
  }
  void add(const Sums& other) {
    first += other.first;
    second += other.second;
    signature += other.signature;
    largest = std::max(largest, other.largest);
    bad_sample = std::min(bad_sample, other.bad_sample);
  }
  template <typename Visit>
  void for_each_part(const Visit& visit) {
    visit(std::span(first.data(), static_cast<std::size_t>(first.size())));
    visit(std::span(second.data(), static_cast<std::size_t>(second.size())));
    visit(std::span(signature.data(), static_cast<std::size_t>(signature.size())));
    visit(std::span(&largest, 1));
    visit(std::span(&bad_sample, 1));
  }
};

using ConstBlock = Eigen::Map<const Matrix<double>, 0, Eigen::OuterStride<>>;

ConstBlock read(const Samples& samples, Index first, Index count, Vector<double>& scratch) {
  const Block<double> block = samples.block(first, count, scratch.data());
  return {block.data, samples.dimension(), count, Eigen::OuterStride<>(block.stride)};
}

// A pseudo-random weight in [0, 1).
double weight_of(Index sample) {
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;
  return std::ldexp(static_cast<double>((static_cast<std::uint64_t>(sample) + 1) * kGolden >> 11), -53);
}

void accumulate(const ConstBlock& y, Index first, const Vector<double>& shift, Matrix<double>& shifted, Sums& sums) {
  auto columns = shifted.leftCols(y.cols());
  columns = y.colwise() - shift;
  const Vector<double> block_sum = columns.rowwise().sum();
  if (!block_sum.allFinite()) {
    for (Index j = 0; j < y.cols(); ++j) {
      if (!y.col(j).allFinite()) {
        sums.bad_sample = std::min(sums.bad_sample, static_cast<double>(first + j));
        return;
      }
    }
  }
  sums.first += block_sum;
  sums.largest = std::max(sums.largest, columns.colwise().squaredNorm().maxCoeff());
  sums.signature.noalias() += y * Vector<double>::NullaryExpr(y.cols(), [&](Index j) { return weight_of(first + j); });
  linalg::add_gram(shifted.rows(), y.cols(), shifted.data(), shifted.rows(), sums.second.data(), shifted.rows());
}

// Gets a sample from the rank that has it.
Vector<double> fetch(const Samples& samples, Index sample, Collective& collective) {
  const int owner = LaneShares(samples, collective.count()).owner_of_sample(sample);
  Vector<double> y(samples.dimension());
  collective.together([&] {
    Vector<double> scratch(y.size());
    if (collective.rank() == owner) y = read(samples, sample, 1, scratch).col(0);
  });
  collective.share(std::as_writable_bytes(std::span(y.data(), static_cast<std::size_t>(y.size()))),
                   sizeof(double) * static_cast<std::size_t>(y.size()), [&](Index) { return owner; });
  return y;
}

}  // namespace

void report_bad_sample(const Samples& samples, Index sample, const Vector<double>& y) {
  Index at = 0;
  while (std::isfinite(y[at])) ++at;
  const SamplePlace place = samples.place_of(sample);
  throw data_error(place.name, fmt::format("sample {}, feature {} is {}: all values must be finite (counting from 0)",
                                           place.sample, at / linalg::reals(samples.is_complex()), y[at]));
}

std::optional<Moments> measure_moments(const Samples& samples, bool center, Workers& workers,
                                       const std::stop_token& stop) {
  const Index n = samples.dimension();
  const Index p = samples.size();
  const LanePlan plan(p, n);
  // Second moments about a point near the mean stay accurate if the mean is large compared with the spread.
  Vector<double> shift = Vector<double>::Zero(n);
  if (center) {
    shift = fetch(samples, 0, workers.collective());
    if (!shift.allFinite()) report_bad_sample(samples, 0, shift);
  }

  const auto make = [&] { return Sums{Vector<double>::Zero(n), Matrix<double>::Zero(n, n), Vector<double>::Zero(n)}; };
  const auto work = [&](int, Index lane, Sums& sums) {
    Vector<double> scratch(n * kBlock);
    Matrix<double> shifted(n, kBlock);
    for (Index first = plan.begin(lane); first < plan.begin(lane + 1); first += kBlock) {
      if (stop.stop_requested()) return false;
      const Index count = std::min(kBlock, plan.begin(lane + 1) - first);
      accumulate(read(samples, first, count, scratch), first, shift, shifted, sums);
    }
    return true;
  };
  const double flops = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(p);
  const std::optional<Sums> sums = sum_lanes<Sums>(plan, workers, flops, stop, make, work);
  if (!sums) return std::nullopt;
  if (sums->bad_sample != Sums::kNone) {
    const auto sample = static_cast<Index>(sums->bad_sample);
    report_bad_sample(samples, sample, fetch(samples, sample, workers.collective()));
  }

  const auto count = static_cast<double>(p);
  const Vector<double> from_shift = sums->first / count;
  Moments moments{shift + from_shift, sums->second.selfadjointView<Eigen::Lower>(), sums->largest, sums->signature};
  moments.second_moment /= count;
  if (center) moments.second_moment.noalias() -= from_shift * from_shift.transpose();
  if (!moments.second_moment.allFinite()) {
    throw data_error(samples.name(), "values are too large: their squares overflow double precision; rescale the data");
  }
  return moments;
}

}  // namespace orthodict::engine
