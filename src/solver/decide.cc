// SPDX-License-Identifier: Apache-2.0
#include "solver/decide.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/lane_plan.h"
#include "linalg/blas.h"

namespace orthodict::solver {
namespace {

// Number of standard deviations that rules out chance …
constexpr double kBeyondChance = 5;
// … and that confirms the order of two variances that were sorted.
constexpr double kInOrder = 3;

// Values of a function of y − m, for at most 2000 random samples.
template <typename Function>
Vector<double> of_some(const Samples& samples, const Vector<double>& mean, const random::Permutation& order,
                       engine::Collective& collective, const Function& function) {
  const Index n = samples.dimension();
  const engine::LaneShares shares(samples, collective.count());
  const auto owner = [&](Index i) { return shares.owner_of_sample(order[i]); };
  Vector<double> values = Vector<double>::Zero(std::min<Index>(samples.size(), 2000));
  collective.together([&] {
    Vector<double> scratch(n);
    for (Index i = 0; i < values.size(); ++i) {
      const Index at = order[i];
      if (shares.owner_of_sample(at) != collective.rank()) continue;
      const Block<double> sample = samples.block(at, 1, scratch.data());
      values[i] = function(Eigen::Map<const Vector<double>>(sample.data, n) - mean);
    }
  });
  collective.share(std::span(values.data(), static_cast<std::size_t>(values.size())), owner);
  return values;
}

// The mean of ‖y − m‖⁴/t².
double fourth_moment(const Vector<double>& mean, double t, const Samples& samples, const random::Permutation& order,
                     engine::Collective& collective) {
  const auto square = [t](const Vector<double>& y) { return (y / std::sqrt(t)).squaredNorm(); };
  return of_some(samples, mean, order, collective, square).array().square().mean();
}

}  // namespace

// Σ_i p·m_i²/σ_i² has the mean n and the variance 2‖R‖², where R is the correlation matrix.
bool is_mean_significant(const engine::Moments& moments, Index samples) {
  const Vector<double> variance = moments.second_moment.diagonal();
  double statistic = 0, features = 0, correlation = 0;
  for (Index i = 0; i < variance.size(); ++i) {
    if (!(variance[i] > 0)) {
      // The mean of a constant feature is known exactly.
      if (moments.mean[i] != 0) return true;
      continue;
    }
    features += 1;
    statistic += static_cast<double>(samples) * std::pow(moments.mean[i] / std::sqrt(variance[i]), 2);
    for (Index j = 0; j < variance.size(); ++j) {
      if (!(variance[j] > 0)) continue;
      correlation += std::pow(moments.second_moment(i, j) / std::sqrt(variance[i]) / std::sqrt(variance[j]), 2);
    }
  }
  return statistic > features + kBeyondChance * std::sqrt(2 * correlation);
}

// ‖R‖ equals the norm of the Gram matrix of features at unit variance.
bool is_mean_significant(const Matrix<double>& y) {
  const Index p = y.cols();
  Matrix<double> scaled = y.colwise() - y.col(0);  // constant features become exactly zero
  const Vector<double> from_first = scaled.rowwise().mean();
  scaled.colwise() -= from_first;
  const Vector<double> variance = scaled.rowwise().squaredNorm() / static_cast<double>(p);
  const Vector<double> mean = y.col(0) + from_first;
  double statistic = 0, features = 0;
  for (Index i = 0; i < variance.size(); ++i) {
    if (!(variance[i] > 0)) {
      if (mean[i] != 0) return true;
      continue;
    }
    features += 1;
    statistic += static_cast<double>(p) * std::pow(mean[i] / std::sqrt(variance[i]), 2);
    scaled.row(i) /= std::sqrt(variance[i]);
  }
  const Matrix<double> gram = linalg::multiply(scaled, linalg::Op::kTranspose, scaled, linalg::Op::kNone);
  const double correlation = (gram / static_cast<double>(p)).squaredNorm();
  return statistic > features + kBeyondChance * std::sqrt(2 * correlation);
}

// With t = tr S/n, p·‖S − tI‖² has the mean V = E‖y‖⁴ − ‖S‖² − (E‖y‖⁴ − (tr S)²)/n. In the basis of independent
// coefficients it is a sum of n(n − 1)/2 terms 2t²χ² and of n terms (κ − 1)t²χ², where κ is the kurtosis. This gives
// its spread.
bool is_spherical(const engine::Moments& moments, const Samples& samples, const random::Permutation& order,
                  engine::Collective& collective) {
  const auto n = static_cast<double>(samples.dimension());
  if (n < 2) return true;
  const double trace = moments.second_moment.trace();
  const double t = trace / n;
  if (!(t > 0)) return true;
  const double fourth = fourth_moment(moments.mean, t, samples, order, collective);
  const Matrix<double> unit = moments.second_moment / t;
  const Matrix<double> apart = unit - Matrix<double>::Identity(unit.rows(), unit.cols());
  const double zeros = n - static_cast<double>(unit.rows());
  const double statistic = static_cast<double>(samples.size()) * (apart.squaredNorm() + zeros);
  const double expected = fourth - n - (fourth - n * n) / n;
  const double kurtosis_term = std::max(expected / (n - 1) - n, 1.0);  // κ − 1
  const double spread = std::sqrt(4 * n * (n - 1) + 2 * n * kurtosis_term * kurtosis_term);
  return statistic <= expected + kBeyondChance * spread;
}

// With coefficients z and z' along the two directions, λ − λ' is the mean of z² − z'². Its variance is that of z² − z'²
// divided by p, and at least the Gaussian value 2(λ² + λ'²)/p, because few samples don't show heavy tails.
bool is_distinct(const Cut& cut, const Vector<double>& mean, const Samples& samples, const random::Permutation& order,
                 engine::Collective& collective) {
  const double unit = std::sqrt(cut.kept_variance);
  const auto difference = [&](const Vector<double>& y) {
    return std::pow(cut.kept.dot(y) / unit, 2) - std::pow(cut.dropped.dot(y) / unit, 2);
  };
  const Vector<double> differences = of_some(samples, mean, order, collective, difference);
  const double ratio = cut.dropped_variance / cut.kept_variance;
  const double variance = (differences.array() - differences.mean()).square().mean();
  const double spread = std::sqrt(std::max(variance, 2 * (1 + ratio * ratio)) / static_cast<double>(samples.size()));
  return 1 - ratio > kInOrder * spread;
}

}  // namespace orthodict::solver
