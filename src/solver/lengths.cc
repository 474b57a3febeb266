// SPDX-License-Identifier: Apache-2.0
#include "solver/lengths.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "engine/lane_plan.h"
#include "memory/allocation.h"
#include "solver/coordinates.h"

namespace orthodict::solver {
namespace {

// Transforms samples (columns) to the units in which lengths are compared.
using ToUnits = std::function<Matrix<double>(const Matrix<double>&)>;

// Squared lengths of all samples, divided by the number of their coordinates.
std::vector<double> squared_lengths(Run& run, const ToUnits& to_units) {
  constexpr Index kBlock = 256;
  const Samples& samples = run.samples();
  const Index n = samples.dimension();
  engine::Collective& collective = run.workers().collective();
  const engine::LaneShares shares(samples, collective.count());
  const Index first_own = shares.first_sample(collective.rank());
  const Index end_own = shares.first_sample(collective.rank() + 1);
  std::vector<double> lengths;
  collective.together([&] {
    memory::require_memory_left(samples.name(), sizeof(double) * static_cast<std::size_t>(samples.size()));
    lengths.resize(static_cast<std::size_t>(samples.size()));
    const double flops = 2.0 * static_cast<double>(n * n) * static_cast<double>(samples.size());
    run.workers().for_each(
        engine::team_for(flops, run.workers()), (end_own - first_own + kBlock - 1) / kBlock, [&](Index block) {
          const Index first = first_own + block * kBlock;
          const Index count = std::min(kBlock, end_own - first);
          Vector<double> scratch(n * count);
          const Block<double> y = samples.block(first, count, scratch.data());
          const Eigen::Map<const Matrix<double>, 0, Eigen::OuterStride<>> columns(y.data, n, count,
                                                                                  Eigen::OuterStride<>(y.stride));
          const Matrix<double> x = to_units(columns);
          for (Index j = 0; j < count; ++j) {
            lengths[static_cast<std::size_t>(first + j)] = x.col(j).squaredNorm() / static_cast<double>(x.rows());
          }
        });
  });
  collective.share(std::span(lengths), [&](Index i) { return shares.owner_of_sample(i); });
  return lengths;
}

}  // namespace

std::vector<double> whitened_lengths(Run& run, engine::Moments moments, bool center) {
  if (!center) moments.second_moment.noalias() += moments.mean * moments.mean.transpose();
  const Coordinates coordinates(moments, run.samples().name(),
                                {.whiten = Whitening::kZca, .center = center, .equilibrate = true});
  return squared_lengths(run, [&](const Matrix<double>& y) { return coordinates.apply(y); });
}

std::vector<double> lengths_at_unit_variance(Run& run, const engine::Moments& moments) {
  const Vector<double> variance = moments.second_moment.diagonal();
  const Vector<double> scale = variance.unaryExpr([](double v) { return v > 0 ? 1 / std::sqrt(v) : 0; });
  return squared_lengths(
      run, [&](const Matrix<double>& y) { return Matrix<double>(scale.asDiagonal() * (y.colwise() - moments.mean)); });
}

}  // namespace orthodict::solver
