// SPDX-License-Identifier: Apache-2.0
#include "solver/auto/judge.h"

#include <cstddef>

#include "solver/auto/constants.h"
#include "solver/auto/trial.h"

namespace orthodict::solver {
namespace {

using States = std::vector<std::shared_ptr<const Search::State>>;

// Where a finish leads without the samples of a fold.
std::shared_ptr<const Search::State> go_on(Steps& steps, const View& rest, const Candidate& from) {
  steps.search().restore(*from.state);
  steps.set_mixture(from.mixture);
  (void)steps.refine(rest, rest, from.finish, kFoldSteps, kCompetingStep);
  return steps.search().keep();
}

// A row per candidate and a column per fold.
std::vector<States> without_folds(Steps& steps, const std::vector<Candidate>& candidates) {
  const Trial trial(steps.search());
  std::vector<States> states(candidates.size());
  for (const Fold& fold : steps.evidence().split().folds()) {
    View rest = steps.evidence().part_of_fold(fold, steps.decisions().explore_precision);
    // The start has seen the samples that are held out. A few that are long might keep it where they led it.
    rest.cut_long_samples();
    for (std::size_t i = 0; i < candidates.size(); ++i) states[i].push_back(go_on(steps, rest, candidates[i]));
  }
  return states;
}

// How near the atoms are to those without each fold, as a mean of cos².
Vector<double> nearness_of_folds(const Coordinates& coordinates, const Place& at, const std::vector<Place>& folds) {
  Vector<double> sum = Vector<double>::Zero(at.b.rows());
  for (const Place& fold : folds) sum += cosines2(coordinates, at, fold);
  return sum / static_cast<double>(folds.size());
}

}  // namespace

Vector<double> cosines2(const Coordinates& coordinates, const Place& one, const Place& other) {
  const auto unit_atoms = [&](const Place& place) {
    return Matrix<double>(coordinates.atoms_of(place.inverse).colwise().normalized());
  };
  const Vector<double> cosines = unit_atoms(one).cwiseProduct(unit_atoms(other)).colwise().sum().transpose();
  return cosines.cwiseAbs2().cwiseMin(1);
}

Verdict judge_by_hold_out(Evidence& evidence, const View& part, const Place& at) {
  return evidence.noted([&] {
    std::vector<HeldOut> held_out;
    held_out.push_back(evidence.held_out(*evidence.split().hold_out(), kBatches, at));
    const auto testimonies = evidence.testimonies(held_out, {at}, evidence.signs(part, at));
    return evidence.verdict(testimonies.front(), part, at);
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
      std::vector<Place> places;
      for (const auto& state : states[i]) places.push_back(place_of(*state));
      for (std::size_t fold = held_out.size(); fold < places.size(); ++fold) {
        held_out.push_back(evidence.held_out(evidence.split().folds()[fold], kBatchesOfFold, places[fold]));
      }
      Verdict verdict = evidence.verdict(pool(evidence.testimonies(held_out, places, evidence.signs(part, at))), part, at);
      const Vector<double> again = nearness_of_folds(evidence.coordinates(), at, places);
      verdict.on_part.array() *= again.array();
      verdict.on_all.array() *= again.array();
      return verdict;
    });
  }
}

void judge(Steps& steps, const View& part, std::vector<Candidate>* candidates) {
  Evidence& evidence = steps.evidence();
  const Split& split = evidence.split();
  bool clear = split.hold_out() != nullptr;
  for (Candidate& candidate : *candidates) {
    candidate.verdict = split.hold_out() ? judge_by_hold_out(evidence, part, place_of(*candidate.state))
                                         : evidence.no_verdict();
    clear = clear && candidate.verdict.on_all.minCoeff() >= kClear;
  }
  if (!clear && !split.folds().empty()) judge_by_crossfit(steps, part, candidates);
}

}  // namespace orthodict::solver
