// SPDX-License-Identifier: Apache-2.0
#include "solver/consensus/recurrence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "solver/consensus/clusters.h"

namespace orthodict::solver {
namespace {

// The mean similarity between a fit and fits of halves that directions of Gaussian samples in 1, 2, … dimensions exceed
// in one to three of a hundred cases (experiments/consensus/chance.py), and what counts as much in many dimensions.
constexpr std::array kByChance = {1.0,   0.995, 0.985, 0.968, 0.95,  0.935, 0.918,
                                  0.905, 0.888, 0.875, 0.855, 0.835, 0.815, 0.8};
constexpr double kByChanceOfMany = 0.8;

// Between whole numbers of dimensions on a straight line.
double similarity_by_chance(double dimensions) {
  const double place = std::clamp(dimensions - 1, 0.0, static_cast<double>(kByChance.size() - 1));
  const auto below = std::min(static_cast<std::size_t>(place), kByChance.size() - 2);
  const double share = place - static_cast<double>(below);
  return (1 - share) * kByChance[below] + share * kByChance[below + 1];
}

// In how many dimensions an atom wavers: its own, and those of the others that its matches have a share of. `energies`
// are the mean squares of the matches' cosines with all atoms.
double dimensions_of(const Eigen::RowVectorXd& energies, Index own) {
  const double of_own = energies[own];
  const double rest = energies.sum() - of_own, squares = energies.squaredNorm() - of_own * of_own;
  return 1 + (squares > 0 ? rest * rest / squares : static_cast<double>(energies.size()));
}

}  // namespace

std::vector<Index> match_greedily(const Matrix<double>& score) {
  const Index rows = score.rows();
  std::vector<Index> order(static_cast<std::size_t>(score.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return score(a) > score(b); });
  std::vector<Index> match(static_cast<std::size_t>(rows), -1);
  std::vector<bool> is_taken(static_cast<std::size_t>(score.cols()));
  for (const Index place : order) {
    const auto row = static_cast<std::size_t>(place % rows), column = static_cast<std::size_t>(place / rows);
    if (match[row] >= 0 || is_taken[column]) continue;
    match[row] = static_cast<Index>(column);
    is_taken[column] = true;
  }
  return match;
}

Recurrence recurrence(const Matrix<double>& atoms, const std::vector<Matrix<double>>& runs) {
  const Index k = atoms.rows();
  Vector<double> matched = Vector<double>::Zero(k), all = matched, found = matched;
  Matrix<double> energies = Matrix<double>::Zero(k, k);  // of the matches, along all atoms
  double compared = 0;
  for (const Matrix<double>& run : runs) {
    const Matrix<double> near = similarities(atoms, run);
    const std::vector<Index> match = match_greedily(near);
    for (Index i = 0; i < k; ++i) {
      const Index j = match[static_cast<std::size_t>(i)];
      if (j < 0) continue;
      matched[i] += near(i, j);
      found[i] += near(i, j) >= kSimilar ? 1 : 0;
      energies.row(i) += near.col(j).cwiseAbs2().transpose();
    }
    all += near.rowwise().sum();
    compared += static_cast<double>(run.rows());
  }
  const auto count = static_cast<double>(runs.size());
  Vector<double> stability = matched / count;
  for (Index i = 0; i < k; ++i) {
    const double by_chance = similarity_by_chance(dimensions_of(energies.row(i), i));
    if (by_chance < 1) stability[i] = std::max(1 - (1 - stability[i]) * (1 - kByChanceOfMany) / (1 - by_chance), 0.0);
  }
  stability -= (all - matched) / std::max(compared - count, 1.0);
  return {.stability = std::move(stability), .found = found / count};
}

}  // namespace orthodict::solver
