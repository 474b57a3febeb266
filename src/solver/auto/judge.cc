// SPDX-License-Identifier: Apache-2.0
#include "solver/auto/judge.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "linalg/blas.h"
#include "linalg/complex.h"
#include "solver/auto/constants.h"
#include "solver/auto/trial.h"
#include "solver/confidence.h"

namespace orthodict::solver {
namespace {

using linalg::multiply;
using linalg::Op;

// Unit atoms as columns, in the coordinates of the data.
Matrix<double> unit_atoms(const Coordinates& coordinates, const Place& at) {
  return coordinates.atoms_of(at.inverse).colwise().normalized();
}

using States = std::vector<std::shared_ptr<const Search::State>>;

// The result of a finish without the samples of a fold. Atoms are perturbed first: atoms that the remaining samples
// determine come back, and others lose what they learned from the fold.
std::shared_ptr<const Search::State> finish_from(Steps& steps, const View& rest, const Candidate& from, Index fold) {
  steps.search().restore(*from.state);
  steps.search().perturb(kPerturbation, fold);
  steps.set_mixture(from.mixture);
  (void)steps.refine(rest, rest, from.finish, kFoldSteps, kCompetingStep);
  return steps.search().keep();
}

// One row per candidate and one column per fold.
std::vector<States> without_folds(Steps& steps, const std::vector<Candidate>& candidates) {
  const Trial trial(steps.search());
  std::vector<States> states(candidates.size());
  Index number = 0;
  for (const Fold& fold : steps.evidence().split().folds()) {
    View rest = steps.search().part_of_fold(fold, steps.decisions().explore_precision);
    // The start was learned with the held-out samples. A few long samples could keep it there.
    rest.cut_long_samples();
    for (std::size_t i = 0; i < candidates.size(); ++i)
      states[i].push_back(finish_from(steps, rest, candidates[i], number));
    ++number;
  }
  return states;
}

// Permutes a state's atoms to the order of those at a place: matched one to one, greedily by |cosine|.
Search::State matched(const Coordinates& coordinates, const Search::State& state, const Place& to) {
  const Matrix<double> cosines =
      multiply(unit_atoms(coordinates, to), Op::kTranspose, unit_atoms(coordinates, place_of(state)), Op::kNone);
  Matrix<double> nearness =
      coordinates.is_complex() ? linalg::moduli_of_real_form(cosines) : Matrix<double>(cosines.cwiseAbs());
  std::vector<Index> order(static_cast<std::size_t>(nearness.rows()));
  for (Index k = 0; k < nearness.rows(); ++k) {
    Index i = 0, j = 0;
    nearness.maxCoeff(&i, &j);
    order[static_cast<std::size_t>(i)] = j;
    nearness.row(i).setConstant(-1);
    nearness.col(j).setConstant(-1);
  }
  if (coordinates.is_complex()) order = linalg::both_rows(order);
  return {.b = state.b(order, Eigen::all), .inverse = state.inverse(Eigen::all, order), .shift = state.shift};
}

// The median over folds of cos² between an atom and the one learned without the fold. A single fold may hold all
// samples that show an atom, such as the genes of one operon; with the median, one fold can't decide alone.
Vector<double> nearness_of_folds(const Coordinates& coordinates, const Place& at, const std::vector<Place>& folds) {
  Matrix<double> nearness(at.b.rows(), static_cast<Index>(folds.size()));
  for (std::size_t fold = 0; fold < folds.size(); ++fold) {
    nearness.col(static_cast<Index>(fold)) = cosines2(coordinates, at, folds[fold]);
  }
  const Index middle = nearness.cols() / 2;
  for (auto row : nearness.rowwise()) std::nth_element(row.begin(), row.begin() + middle, row.end());
  return nearness.col(middle);
}

// Lowers confidence by how far atoms move without a fold. For g folds the jackknife's variance is g − 1 times the mean
// square of these moves, so the expected cos² is its (g − 1)-th power. A high confidence already includes most of that
// variance; then cos² counts only once. Below ½ confidence only ranks atoms, and how far they move ranks them better
// than how many pairs are undetermined, which therefore counts by its fourth root.
Vector<double> jackknifed(const Vector<double>& confidence, const Vector<double>& nearness) {
  constexpr double kBeyondOnce = kFolds - 2;
  const auto level = confidence.array();
  return (level < kEstablished).select(kEstablished * (level / kEstablished).pow(0.25), level) *
         nearness.array().pow(1 + kBeyondOnce * (1 - level));
}

}  // namespace

Vector<double> cosines2(const Coordinates& coordinates, const Place& one, const Place& other) {
  const Matrix<double> atoms = unit_atoms(coordinates, one), others = unit_atoms(coordinates, other);
  const Vector<double> cosines = atoms.cwiseProduct(others).colwise().sum().transpose();
  if (!coordinates.is_complex()) return cosines.cwiseAbs2().cwiseMin(1);
  Vector<double> of_both(cosines.size() / 2);
  for (Index i = 0; i < of_both.size(); ++i) {
    of_both[i] = std::pow(cosines[2 * i], 2) + std::pow(atoms.col(2 * i + 1).dot(others.col(2 * i)), 2);
  }
  return linalg::twice_each(of_both).cwiseMin(1);
}

Verdict judge_by_hold_out(Evidence& evidence, const View& part, const Place& at) {
  return evidence.noted([&] {
    std::vector<HeldOut> held_out;
    held_out.push_back(evidence.held_out(*evidence.split().hold_out(), kBatches, at));
    const auto statistics = evidence.pair_statistics(held_out, {at}, evidence.signs(part, at));
    return evidence.verdict(statistics.front(), part.size(), at);
  });
}

void judge_by_crossfit(Steps& steps, const View& part, std::vector<Candidate>* candidates) {
  Evidence& evidence = steps.evidence();
  const std::vector<States> states = without_folds(steps, *candidates);
  std::vector<HeldOut> held_out;  // the same for all candidates
  for (std::size_t i = 0; i < candidates->size(); ++i) {
    Candidate& candidate = (*candidates)[i];
    candidate.verdict = evidence.noted([&] {
      const Place at = place_of(*candidate.state);
      std::vector<Search::State> in_order;
      for (const auto& state : states[i]) in_order.push_back(matched(evidence.coordinates(), *state, at));
      std::vector<Place> places;
      places.reserve(in_order.size());
      for (const Search::State& state : in_order) places.push_back(place_of(state));
      for (std::size_t fold = held_out.size(); fold < places.size(); ++fold) {
        held_out.push_back(evidence.held_out(evidence.split().folds()[fold], kBatchesOfFold, places[fold]));
      }
      const Index learned_from = evidence.split().size_of(evidence.split().folds().front());
      Verdict verdict = evidence.verdict(pool(evidence.pair_statistics(held_out, places, evidence.signs(part, at))),
                                         learned_from, at);
      const Vector<double> nearness = nearness_of_folds(evidence.coordinates(), at, places);
      verdict.on_part = jackknifed(verdict.on_part, nearness);
      verdict.on_all = jackknifed(verdict.on_all, nearness);
      return verdict;
    });
  }
}

void judge(Steps& steps, const View& part, std::vector<Candidate>* candidates) {
  Evidence& evidence = steps.evidence();
  const Split& split = evidence.split();
  if (!split.folds().empty()) return judge_by_crossfit(steps, part, candidates);
  for (Candidate& candidate : *candidates) {
    candidate.verdict =
        split.hold_out() ? judge_by_hold_out(evidence, part, place_of(*candidate.state)) : evidence.no_verdict();
  }
}

}  // namespace orthodict::solver
