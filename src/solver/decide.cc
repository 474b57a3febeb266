// SPDX-License-Identifier: Apache-2.0
#include "solver/decide.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/lane_plan.h"

namespace orthodict::solver {
namespace {

// Standard deviations beyond which chance is ruled out.
constexpr double kBeyondChance = 5;

// Mean of ‖y − m‖⁴/t².
double fourth_moment(const Vector<double>& mean, double t, const Samples& samples, const random::Permutation& order,
                     engine::Collective& collective) {
  const Index n = samples.dimension();
  const engine::LaneShares shares(samples, collective.count());
  const auto owner = [&](Index i) { return shares.owner_of_sample(order[i]); };
  Vector<double> squares = Vector<double>::Zero(std::min<Index>(samples.size(), 2000));
  (void)collective.any([&] {
    Vector<double> scratch(n);
    for (Index i = 0; i < squares.size(); ++i) {
      if (owner(i) != collective.rank()) continue;
      const Block<double> sample = samples.block(order[i], 1, scratch.data());
      squares[i] = ((Eigen::Map<const Vector<double>>(sample.data, n) - mean) / std::sqrt(t)).squaredNorm();
    }
    return false;
  });
  collective.share(std::span(squares.data(), static_cast<std::size_t>(squares.size())), owner);
  return squares.array().square().mean();
}

}  // namespace

// Σ_i p·m_i²/σ_i² has the mean n and the variance 2‖R‖², R the correlation matrix.
bool mean_matters(const engine::Moments& moments, Index samples) {
  const Vector<double> variance = moments.second_moment.diagonal();
  double statistic = 0, features = 0, correlation = 0;
  for (Index i = 0; i < variance.size(); ++i) {
    if (!(variance[i] > 0)) {
      // A feature that never changes: its mean is known exactly.
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

// With t = tr S/n, p·‖S − tI‖² has the mean V = E‖y‖⁴ − ‖S‖² − (E‖y‖⁴ − (tr S)²)/n. In the basis of independent
// coefficients it is a sum of n(n − 1)/2 terms 2t²χ² and of n terms (κ − 1)t²χ², κ the kurtosis, hence its spread.
bool is_spherical(const engine::Moments& moments, const Samples& samples, const random::Permutation& order,
                  engine::Collective& collective) {
  const auto n = static_cast<double>(samples.dimension());
  if (n < 2) return true;
  const double trace = moments.second_moment.trace();
  const double t = trace / n;
  if (!(t > 0)) return true;
  const double fourth = fourth_moment(moments.mean, t, samples, order, collective);
  const Matrix<double> unit = moments.second_moment / t;
  const double statistic =
      static_cast<double>(samples.size()) * (unit - Matrix<double>::Identity(unit.rows(), unit.cols())).squaredNorm();
  const double expected = fourth - n - (fourth - n * n) / n;
  const double kurtosis_term = std::max(expected / (n - 1) - n, 1.0);  // κ − 1
  const double spread = std::sqrt(4 * n * (n - 1) + 2 * n * kurtosis_term * kurtosis_term);
  return statistic <= expected + kBeyondChance * spread;
}

}  // namespace orthodict::solver
