// SPDX-License-Identifier: Apache-2.0
#include "solver/view.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/lane_plan.h"
#include "linalg/blas.h"
#include "linalg/complex.h"
#include "memory/allocation.h"
#include "solver/hash.h"
#include "solver/selected_samples.h"

namespace orthodict::solver {
namespace {

template <typename Scalar>
void cut_columns(Index dimension, Matrix<Scalar>* x) {
  const double most = std::sqrt(2.0 * static_cast<double>(dimension));
  for (Index j = 0; j < x->cols(); ++j) {
    const auto length = static_cast<double>(x->col(j).norm());
    if (length > most) x->col(j) *= static_cast<Scalar>(most / length);
  }
}

}  // namespace

View View::of_all(Run& run, const Coordinates& coordinates, Precision precision) {
  View view(run, &coordinates, precision);
  view.samples_ = &run.learned_from();
  view.second_moment_ = coordinates.unit_covariance();
  view.mean_ = Vector<double>::Zero(coordinates.dimension());
  return view;
}

View View::of_part(Run& run, const Coordinates& coordinates, const Order& order, Index count, Precision precision,
                   const std::stop_token& stop) {
  View view(run, nullptr, precision);
  if (view.is_single()) {
    view.copy(coordinates, order, count, stop, &view.single_);
  } else {
    view.copy(coordinates, order, count, stop, &view.double_);
  }
  view.measure();
  return view;
}

View View::seen_by(Run& run) const {
  View view(run, nullptr, precision_);
  view.single_ = single_;
  view.double_ = double_;
  view.duplicates_ = duplicates_;
  view.samples_ = samples_;
  view.mean_ = mean_;
  view.second_moment_ = second_moment_;
  return view;
}

View View::seen_by(Run& run, std::vector<Index> columns) const {
  View view = seen_by(run);
  view.columns_ = columns;
  view.copied_ = std::make_unique<SelectedSamples>(*samples_, std::move(columns));
  view.samples_ = view.copied_.get();
  view.measure();
  return view;
}

void View::see_through(const Lens& lens) {
  lens_ = lens;
  mean_ = lens.mean(mean_);
  second_moment_ = lens.second_moment(second_moment_);
}

template <typename Scalar>
Matrix<Scalar> View::first(const Matrix<Scalar>& stored, Index count) const {
  if (columns_.empty()) return stored.leftCols(count);
  return stored(Eigen::all, std::span(columns_).first(static_cast<std::size_t>(count)));
}

void View::measure() {
  auto moments = engine::measure_moments(*copied_, false, run_->workers(), {});
  mean_ = std::move(moments->mean);
  second_moment_ = is_complex() ? linalg::complex_products(moments->second_moment) : std::move(moments->second_moment);
}

void View::cut_long_samples() {
  const Index dimension = samples_->dimension() / linalg::reals(is_complex());
  if (single_) {
    cut_columns(dimension, single_.get());
  } else {
    cut_columns(dimension, double_.get());
  }
  measure();
}

template <typename Scalar>
void View::copy(const Coordinates& coordinates, const Order& order, Index count, const std::stop_token& stop,
                std::shared_ptr<Matrix<Scalar>>* to) {
  constexpr Index kBlock = 128;
  const Samples& from = run_->learned_from();
  const Index n = from.dimension();
  std::vector<std::uint64_t> hashes;
  engine::Collective& collective = run_->workers().collective();
  const engine::LaneShares shares(from, collective.count());
  const auto owner = [&](Index j) { return shares.owner_of_sample(order(j)); };
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
      const Index at = order(begin + j);
      if (shares.owner_of_sample(at) != collective.rank()) continue;
      const Block<double> sample = from.block(at, 1, scratch.data());
      y.col(j) = Eigen::Map<const Vector<double>>(sample.data, n).array() + 0.0;  // −0 is 0
      hashes[static_cast<std::size_t>(begin + j)] =
          hash_of(std::span<const double>(y.col(j).data(), static_cast<std::size_t>(n)));
    }
    (*to)->middleCols(begin, size) = coordinates.apply(y).template cast<Scalar>();
  };
  const double flops = 2.0 * static_cast<double>(n * coordinates.dimension()) * static_cast<double>(count);
  collective.together([&] {
    // The samples and their hashes; what ranks send each other is packed.
    const auto bytes = sizeof(Scalar) * static_cast<std::size_t>(coordinates.dimension()) + sizeof(std::uint64_t);
    memory::require_memory_left(from.name(), bytes * static_cast<std::size_t>(count) * (collective.is_alone() ? 1 : 2));
    *to = std::make_shared<Matrix<Scalar>>(coordinates.dimension(), count);
    hashes.resize(static_cast<std::size_t>(count));
    run_->workers().for_each(engine::team_for(flops, run_->workers()), (count + kBlock - 1) / kBlock, copy_block);
  });
  collective.share(std::as_writable_bytes(std::span((*to)->data(), static_cast<std::size_t>((*to)->size()))),
                   sizeof(Scalar) * static_cast<std::size_t>((*to)->rows()), owner);
  collective.share(std::span(hashes), owner);
  count_duplicates(std::move(hashes));
  const Index reals = linalg::reals(is_complex());
  const bool single = std::is_same_v<Scalar, float>;
  const ElementType type = is_complex() ? (single ? ElementType::kC64 : ElementType::kC128)
                                        : (single ? ElementType::kF32 : ElementType::kF64);
  const Index dimension = coordinates.dimension() / reals;
  copied_ = view_samples(type, (*to)->data(), dimension, count, dimension, 1);
  samples_ = copied_.get();
}

void View::count_duplicates(std::vector<std::uint64_t> hashes) {
  const auto count = static_cast<Index>(hashes.size());
  const std::uint64_t zero = hash_of(values_of(Vector<double>(Vector<double>::Zero(run_->samples().dimension()))));
  const auto zeros = static_cast<Index>(std::erase(hashes, zero));
  std::sort(hashes.begin(), hashes.end());
  const Index distinct = std::unique(hashes.begin(), hashes.end()) - hashes.begin();
  duplicates_ = count - distinct - (zeros > 0 ? 1 : 0);
}

Matrix<double> View::second_moment(const Vector<double>& shift) const {
  const bool complex = is_complex();
  return second_moment_ - linalg::outer(mean_, shift, complex) - linalg::outer(shift, mean_, complex) +
         linalg::outer(shift, shift, complex);
}

std::optional<engine::PassResult> View::pass(const Matrix<double>& b, const Vector<double>& shift,
                                             const Stretch& stretch, engine::PassOutput output) const {
  const Matrix<double> matcher = coordinates_ ? coordinates_->matcher(b) : lens_.matcher(b);
  Vector<double> offset = b * shift;
  if (coordinates_) offset += coordinates_->offset(matcher);
  auto result = run_->pass(*samples_, stretch, is_single() ? engine::Arithmetic::kF32 : engine::Arithmetic::kF64,
                           matcher, offset, output);
  if (result && output != engine::PassOutput::kObjective) {
    if (coordinates_) {
      result->correlation = coordinates_->pull_back(result->correlation, result->derivative_sums) / coordinates_->rms();
    } else {
      result->correlation = lens_.correlation(result->correlation);
    }
    result->correlation -= linalg::outer(result->derivative_sums, shift, is_complex());
  }
  return result;
}

Matrix<double> View::codes(const Matrix<double>& b, const Vector<double>& shift, Index count,
                           Index made_of_them) const {
  Matrix<double> z;
  run_->workers().collective().together([&] {
    const auto bytes = sizeof(double) * static_cast<std::size_t>(b.rows() * count);
    memory::require_memory_left(run_->samples().name(), bytes * static_cast<std::size_t>(1 + made_of_them));
    const Matrix<double> matcher = lens_.matcher(b);
    if (single_) {
      z = linalg::multiply<float>(matcher.cast<float>(), first(*single_, count)).cast<double>();
    } else {
      z = linalg::multiply<double>(matcher, first(*double_, count));
    }
    z.colwise() -= Vector<double>(b * shift);
  });
  return z;
}

}  // namespace orthodict::solver
