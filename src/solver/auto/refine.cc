// SPDX-License-Identifier: Apache-2.0
#include "solver/auto/refine.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "linalg/lapack.h"
#include "solver/auto/constants.h"
#include "solver/auto/finish.h"
#include "solver/auto/trial.h"
#include "solver/confidence.h"

namespace orthodict::solver {
namespace {

std::vector<Index> established_atoms(const Vector<double>& confidence) {
  std::vector<Index> atoms;
  for (Index i = 0; i < confidence.size(); ++i) {
    if (confidence[i] >= kEstablished) atoms.push_back(i);
  }
  return atoms;
}

// Regressions leave the orthogonal group, and with few samples may go far from it.
bool is_well_conditioned(const Matrix<double>& b) {
  const Matrix<double> gram = b * b.transpose();
  const Vector<double> squares = linalg::symmetric_eigen(gram).values;
  return squares[0] > 0 && squares[squares.size() - 1] <= kBestConditioned * kBestConditioned * squares[0];
}

// Runs a finish from the current state, then restores the search. Returns nothing if the resulting dictionary is worse
// conditioned than the samples.
std::optional<Candidate> run_finish(Steps& steps, const View& part, Finish finish) {
  const Trial trial(steps.search());
  steps.forget_mixture();
  (void)steps.refine(part, part, finish, kCompetingSteps, kCompetingStep);
  auto state = steps.search().keep();
  if (!steps.evidence().noted([&] { return is_well_conditioned(state->b); })) return std::nullopt;
  return Candidate{.state = std::move(state), .finish = finish, .mixture = steps.mixture()};
}

// Runs all finishes that compete, the mixture first and log-cosh second. With hardly any noise only the mixture runs,
// whose errors are then too small to measure.
std::vector<Candidate> run_finishes(Steps& steps, const View& part, bool mixture_may_be_unrivalled) {
  const std::vector<Finish> finishes =
      steps.decisions().is_basis
          ? std::vector{Finish::kMixture, Finish::kShrinkage, Finish::kPlain, Finish::kL3, Finish::kL4}
          : std::vector{Finish::kMixture, Finish::kLogCosh, Finish::kShrinkage};
  std::vector<Candidate> candidates;
  for (const Finish finish : finishes) {
    if (auto candidate = run_finish(steps, part, finish)) candidates.push_back(*std::move(candidate));
    const bool is_mixture = finish == Finish::kMixture && !candidates.empty();
    const bool clean = is_mixture && candidates.front().mixture.noise_to_signal() < kHardlyAnyNoise;
    if (clean && mixture_may_be_unrivalled) break;
  }
  return candidates;
}

// Whether `one` has a significantly smaller error than `other`. Both errors are estimated from the same samples and are
// correlated, so the larger variance is used as that of their difference.
bool is_closer(const Candidate& one, const Candidate& other) {
  const ErrorShown &mine = one.verdict.error, &theirs = other.verdict.error;
  const double deviation = std::sqrt(std::max(mine.variance, theirs.variance));
  return theirs.mean - mine.mean > std::max(kLeastGainOfError, kDeviationsOfGain * deviation);
}

// The candidate that wins unless another is significantly better: usually the mixture, which is the most accurate for
// sparse sources. But whitening makes noise uneven, and then the mixture's sharp stretch prefers directions with little
// noise; with much noise, log-cosh comes first.
const Candidate* first_choice(const Steps& steps, const std::vector<Candidate>& candidates) {
  const Candidate& first = candidates.front();
  const bool misled = first.finish == Finish::kMixture && steps.decisions().is_complete() &&
                      first.mixture.noise_to_signal() > kMaybeClean;
  return misled && candidates.size() > 1 ? &candidates[1] : &first;
}

// The candidate whose largest coefficients keep the most energy.
Candidate most_energy_kept(Steps& steps, const View& part, std::vector<Candidate> candidates) {
  std::vector<double> kept;
  kept.reserve(candidates.size());
  for (const Candidate& candidate : candidates) {
    kept.push_back(steps.evidence().energy_kept(part, place_of(*candidate.state)));
  }
  const auto best = std::max_element(kept.begin(), kept.end()) - kept.begin();
  return std::move(candidates[static_cast<std::size_t>(best)]);
}

// Looks for exact zeros in the established atoms, if these are some but not all.
Zeros finish_established(Steps& steps, const View& all, const View& part, const std::vector<Index>& established) {
  if (established.empty() || static_cast<Index>(established.size()) == steps.dimension()) return Zeros::kNone;
  Trial trial(steps.search());
  steps.let_lead(established);
  steps.forget_mixture();
  steps.follow_mixture(all, part);
  const bool maybe = steps.mixture().noise_to_signal() < kMaybeClean;
  if (maybe && finish(steps, all, part, kFirstThreshold) == Zeros::kExact) {
    trial.accept();
    return Zeros::kExact;
  }
  steps.let_lead({});
  return Zeros::kNone;
}

}  // namespace

Candidate compare_finishes(Steps& steps, const View& part, bool has_nested_supports) {
  const bool sparsify = steps.decisions().is_basis;
  std::vector<Candidate> candidates = run_finishes(steps, part, !sparsify && !has_nested_supports);
  // Finishes within the orthogonal group are always well conditioned.
  if (candidates.empty()) steps.evidence().refuse("damaged checkpoint: no finish is well conditioned");
  if (sparsify) {
    candidates = {most_energy_kept(steps, part, std::move(candidates))};
  }
  judge(steps, part, &candidates);
  const Candidate* winner = first_choice(steps, candidates);
  for (const Candidate& other : candidates) {
    if (is_closer(other, *winner)) winner = &other;
  }
  steps.search().restore(*winner->state);
  steps.set_mixture(winner->mixture);
  return *winner;
}

Outcome refine(Steps& steps, const View& part, const Candidate& winner) {
  const View all = steps.evidence().all(steps.decisions().precision);
  const std::vector<Index> established = established_atoms(winner.verdict.on_all);
  if (finish_established(steps, all, part, established) == Zeros::kExact) {
    return {.zeros = Zeros::kExact, .motion = Motion::kStill};
  }
  steps.set_mixture(winner.mixture);
  steps.watch(established);
  const auto before = steps.search().keep();
  const double still = steps.decisions().tolerance;
  Motion motion = steps.refine(all, part, winner.finish, kRefinements, still);
  // Atoms that aren't established may wander for ever and drag others along. If motion stops when only the established
  // atoms lead, that result is kept.
  if (motion == Motion::kMoving && !established.empty()) {
    Trial trial(steps.search());
    steps.let_lead(established);
    motion = steps.refine(all, part, winner.finish, kLastRefinements, still);
    if (motion == Motion::kStill) {
      trial.accept();
    } else {
      steps.let_lead({});
    }
  }
  if (!steps.evidence().noted([&] { return is_well_conditioned(steps.place().b); })) {
    steps.search().restore(*before);
    motion = Motion::kMoving;
  }
  return {.motion = motion};
}

Vector<double> confidence_after(const Steps& steps, const Candidate& judged) {
  const Vector<double> cosine2 = cosines2(steps.decisions().coordinates, place_of(*judged.state), steps.place());
  Vector<double> result = judged.verdict.on_all;
  for (Index i = 0; i < result.size(); ++i) {
    const double predicted = 1 / judged.verdict.on_part[i] - 1;
    if (1 - cosine2[i] > std::min(kDrift * predicted, kMostDrift)) result[i] = std::min(result[i], cosine2[i]);
    // Atoms that aren't established are ranked by how far they move, here as without a fold.
    if (result[i] < kEstablished) result[i] *= std::pow(cosine2[i], kFolds - 1);
  }
  return result;
}

}  // namespace orthodict::solver
