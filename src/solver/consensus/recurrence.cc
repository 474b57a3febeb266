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

// The similarity between a fit and fits of halves that counts as 0.8 of directions of Gaussian samples in 1, 2, …
// dimensions: their mean then exceeds 0.8 in one to three of a hundred cases (experiments/consensus/chance.py).
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
// are the sums of the squares of the matches' cosines with all atoms; `outside` is what is left of the matches, in
// `others` dimensions beside those of the atoms.
double dimensions_of(const Eigen::RowVectorXd& energies, Index own, double outside, Index others) {
  const double of_own = energies[own];
  double rest = energies.sum() - of_own, squares = energies.squaredNorm() - of_own * of_own;
  if (others > 0) {
    rest += outside;
    squares += outside * outside / static_cast<double>(others);
  }
  return 1 + (squares > 0 ? rest * rest / squares : static_cast<double>(energies.size() + others));
}

// What runs have of given atoms, each matched with at most one atom of a run.
struct Matches {
  Matrix<double> similarity;       // atoms × runs; 0 where a run has no match
  Vector<double> others = {};      // mean similarity to all atoms that aren't matches
  Vector<double> dimensions = {};  // in which the matches waver
};

Matches match_all(const std::vector<Matrix<double>>& similarities, Index d) {
  const Index k = similarities.front().rows(), beside = std::max<Index>(d - k, 0);
  Matches matches{.similarity = Matrix<double>::Zero(k, static_cast<Index>(similarities.size()))};
  Vector<double> all = Vector<double>::Zero(k), outside = all;
  Matrix<double> energies = Matrix<double>::Zero(k, k);
  double compared = 0;
  for (std::size_t run = 0; run < similarities.size(); ++run) {
    const Matrix<double>& near = similarities[run];
    const std::vector<Index> match = match_greedily(near);
    for (Index i = 0; i < k; ++i) {
      const Index j = match[static_cast<std::size_t>(i)];
      if (j < 0) continue;
      matches.similarity(i, static_cast<Index>(run)) = near(i, j);
      energies.row(i) += near.col(j).cwiseAbs2().transpose();
      outside[i] += std::max(1 - near.col(j).squaredNorm(), 0.0);
    }
    all += near.rowwise().sum();
    compared += static_cast<double>(near.cols() - 1);
  }
  matches.others = (all - matches.similarity.rowwise().sum()) / std::max(compared, 1.0);
  matches.dimensions.resize(k);
  for (Index i = 0; i < k; ++i) matches.dimensions[i] = dimensions_of(energies.row(i), i, outside[i], beside);
  return matches;
}

Recurrence recurrence_of(const Matrix<double>& similarity, const Vector<double>& others) {
  return {.stability = similarity.rowwise().mean() - others,
          .found = (similarity.array() >= kSimilar).cast<double>().rowwise().mean()};
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
  std::vector<Matrix<double>> near;
  for (const Matrix<double>& run : runs) near.push_back(similarities(atoms, run));
  const Matches matches = match_all(near, atoms.cols());
  return recurrence_of(matches.similarity, matches.others);
}

Recurrence recurrence_beyond_chance(const std::vector<Matrix<double>>& similarities, Index dimensions,
                                    const std::vector<std::vector<Index>>& groups) {
  const Matches matches = match_all(similarities, dimensions);
  Matrix<double> beyond = matches.similarity;
  for (Index i = 0; i < beyond.rows(); ++i) {
    const double by_chance = similarity_by_chance(matches.dimensions[i]);
    if (by_chance == 1) continue;
    const double factor = (1 - kByChanceOfMany) / (1 - by_chance);
    beyond.row(i) = (1 - (1 - beyond.row(i).array()) * factor).max(0);
  }
  const auto of_runs = [&](const auto& chosen) {
    Recurrence again = recurrence_of(matches.similarity(Eigen::all, chosen), matches.others);
    again.stability = recurrence_of(beyond(Eigen::all, chosen), matches.others).stability;
    return again;
  };
  Recurrence least = of_runs(Eigen::all);
  for (const std::vector<Index>& group : groups) {
    const Recurrence again = of_runs(group);
    least.stability = least.stability.cwiseMin(again.stability);
    least.found = least.found.cwiseMin(again.found);
  }
  return least;
}

}  // namespace orthodict::solver
