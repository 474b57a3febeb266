// SPDX-License-Identifier: Apache-2.0
#include "solver/view.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "data/allocation.h"
#include "engine/lane_plan.h"
#include "linalg/blas.h"
#include "solver/hash.h"

namespace orthodict::solver {
namespace {

// Entries that equal an earlier one.
Index count_duplicates(std::vector<std::uint64_t> hashes) {
  const auto size = static_cast<Index>(hashes.size());
  std::sort(hashes.begin(), hashes.end());
  return size - (std::unique(hashes.begin(), hashes.end()) - hashes.begin());
}

}  // namespace

View View::of_all(Run& run, const Coordinates& coordinates, Precision precision) {
  View view(run, &coordinates, precision);
  view.samples_ = &run.samples();
  view.second_moment_ = coordinates.unit_covariance();
  view.mean_ = Vector<double>::Zero(coordinates.dimension());
  return view;
}

View View::of_part(Run& run, const Coordinates& coordinates, const random::Permutation& order, Index first, Index count,
                   Precision precision, const std::stop_token& stop) {
  View view(run, nullptr, precision);
  if (view.is_single()) {
    view.copy(coordinates, order, first, count, stop, &view.single_);
  } else {
    view.copy(coordinates, order, first, count, stop, &view.double_);
  }
  auto moments = engine::measure_moments(*view.copied_, false, run.workers(), {});
  view.mean_ = std::move(moments->mean);
  view.second_moment_ = std::move(moments->second_moment);
  return view;
}

template <typename Scalar>
void View::copy(const Coordinates& coordinates, const random::Permutation& order, Index first, Index count,
                const std::stop_token& stop, std::unique_ptr<Matrix<Scalar>>* to) {
  constexpr Index kBlock = 128;
  const Samples& from = run_->samples();
  const Index n = from.dimension();
  engine::Collective& collective = run_->workers().collective();
  const engine::LaneShares shares(from, collective.count());
  const auto owner = [&](Index j) { return shares.owner_of_sample(order[first + j]); };
  std::vector<std::uint64_t> hashes;
  const auto copy_block = [&](Index block) {
    const Index begin = block * kBlock;
    const Index size = std::min(kBlock, count - begin);
    if (stop.stop_requested()) {
      (*to)->middleCols(begin, size).setZero();
      return;
    }
    // A product of the same size on all ranks, so that its columns have the same bits.
    Matrix<double> y = Matrix<double>::Zero(n, size);
    Vector<double> scratch(n);
    for (Index j = 0; j < size; ++j) {
      if (owner(begin + j) != collective.rank()) continue;
      const Block<double> sample = from.block(order[first + begin + j], 1, scratch.data());
      y.col(j) = Eigen::Map<const Vector<double>>(sample.data, n).array() + 0.0;  // −0 is 0
      hashes[static_cast<std::size_t>(begin + j)] =
          hash_of(std::span<const double>(y.col(j).data(), static_cast<std::size_t>(n)));
    }
    (*to)->middleCols(begin, size) = coordinates.apply(y).template cast<Scalar>();
  };
  const double flops = 2.0 * static_cast<double>(n * coordinates.dimension()) * static_cast<double>(count);
  (void)collective.any([&] {
    // The samples and their hashes; what ranks send each other is packed.
    const auto bytes = sizeof(Scalar) * static_cast<std::size_t>(coordinates.dimension()) + sizeof(std::uint64_t);
    data::require_memory_left(from.name(), bytes * static_cast<std::size_t>(count) * (collective.is_alone() ? 1 : 2));
    *to = std::make_unique<Matrix<Scalar>>(coordinates.dimension(), count);
    hashes.resize(static_cast<std::size_t>(count));
    run_->workers().for_each(engine::team_for(flops, run_->workers()), (count + kBlock - 1) / kBlock, copy_block);
    return false;
  });
  collective.share(std::as_writable_bytes(std::span((*to)->data(), static_cast<std::size_t>((*to)->size()))),
                   sizeof(Scalar) * static_cast<std::size_t>((*to)->rows()), owner);
  collective.share(std::span(hashes), owner);
  duplicates_ = count_duplicates(std::move(hashes));
  copied_ = samples_in_columns(**to);
  samples_ = copied_.get();
}

Matrix<double> View::second_moment(const Vector<double>& shift) const {
  return second_moment_ - mean_ * shift.transpose() - shift * mean_.transpose() + shift * shift.transpose();
}

std::optional<engine::PassResult> View::pass(const Matrix<double>& b, const Vector<double>& shift,
                                             const Stretch& stretch, engine::Want want) const {
  const Matrix<double> matcher = coordinates_ ? coordinates_->matcher(b) : b;
  Vector<double> offset = b * shift;
  if (coordinates_) offset += coordinates_->offset(matcher);
  auto result = run_->pass(*samples_, stretch, is_single() ? engine::Arithmetic::kF32 : engine::Arithmetic::kF64,
                           matcher, offset, want);
  if (result && want != engine::Want::kObjective) {
    if (coordinates_) {
      result->correlation = coordinates_->pull_back(result->correlation, result->derivative_sums) / coordinates_->rms();
    }
    result->correlation -= result->derivative_sums * shift.transpose();
  }
  return result;
}

Matrix<double> View::codes(const Matrix<double>& b, const Vector<double>& shift, Index count,
                           Index made_of_them) const {
  Matrix<double> z;
  (void)run_->workers().collective().any([&] {
    const auto bytes = sizeof(double) * static_cast<std::size_t>(b.rows() * count);
    data::require_memory_left(run_->samples().name(), bytes * static_cast<std::size_t>(1 + made_of_them));
    if (single_) {
      z = linalg::multiply<float>(b.cast<float>(), single_->leftCols(count)).cast<double>();
    } else {
      z = linalg::multiply<double>(b, double_->leftCols(count));
    }
    z.colwise() -= Vector<double>(b * shift);
    return false;
  });
  return z;
}

}  // namespace orthodict::solver
