// SPDX-License-Identifier: Apache-2.0
#include "solver/auto/attempt.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "linalg/blas.h"
#include "linalg/lapack.h"
#include "solver/auto/constants.h"
#include "solver/auto/establish.h"
#include "solver/auto/explore.h"
#include "solver/auto/finish.h"
#include "solver/auto/judge.h"
#include "solver/auto/repeat.h"
#include "solver/confidence.h"
#include "solver/consensus/recurrence.h"

namespace orthodict::solver {
namespace {

using linalg::multiply;
using linalg::Op;

Established verdict_on(const Vector<double>& confidence) {
  if (are_all_established(confidence)) return Established::kAll;
  return is_any_established(confidence) ? Established::kSome : Established::kNone;
}

}  // namespace

Attempt::Attempt(Run& run, Journal& journal, const engine::Moments& moments, Dictionary dictionary, Resumable* saved)
    : run_(run),
      saved_(saved),
      decisions_(decide(run, moments, dictionary)),
      evidence_(run, journal, decisions_.coordinates),
      search_(run, evidence_, decisions_.center, decisions_.is_basis, saved),
      steps_(decisions_, evidence_, search_),
      confidence_(Vector<double>::Zero(decisions_.coordinates.dimension())) {}

void Attempt::restart(int start) {
  search_.restart(square_start(run_, decisions_.coordinates, start));
  const bool second = start % 2 == 1 && evidence_.split().hold_out();
  steps_.explore_with(second ? Finish::kLogCosh : Finish::kShrinkage);
}

void Attempt::take_part(Index size) {
  if (part_ && part_->size() == size) return;
  part_.reset();  // frees memory first: both may not fit
  part_.emplace(search_.part_to_explore(size, decisions_.explore_precision));
}

void Attempt::release_samples() {
  if (part_) size_of_part_ = part_->size();
  part_.reset();
}

void Attempt::resume() {
  search_.count_on();
  describe(decisions_, run_);
}

bool Attempt::is_judged_better_than(const Attempt& other) const {
  if (completing_) return true;
  const auto established = [](const Attempt& attempt) {
    return attempt.best_ ? (attempt.best_->verdict.on_part.array() >= kEstablished).count() : 0;
  };
  return established(*this) > established(other) || (best_ && established(other) == 0);
}

bool Attempt::is_doubtful(Established established) const {
  if (!decisions_.is_doubtful || gave_up_ || established == Established::kExact) return false;
  return established == Established::kNone || !evidence_.split().hold_out();
}

double Attempt::established_confidence(Established established) const {
  if (established == Established::kExact) return static_cast<double>(decisions_.coordinates.atoms());
  const auto confidence = best_->verdict.on_all.array();
  return (confidence >= kEstablished).select(confidence, 0).sum();
}

Established Attempt::establish() {
  const Established explored = explore();
  if (explored == Established::kExact && !has_nested_supports()) return explored;
  if (explored != Established::kExact && best_) search_.restore(*best_->state);
  if (gave_up_) return Established::kNone;
  const Index explored_samples = part_->size();
  take_part(evidence_.split().parts().back());
  // A small part may hide exact zeros, or nest supports by chance; a larger one may show them.
  if (part_->size() > explored_samples && sharpen(steps_, *part_) == Zeros::kExact && !has_nested_supports()) {
    return Established::kExact;
  }
  best_ = compare_finishes(steps_, *part_, has_nested_supports());
  return verdict_on(best_->verdict.on_all);
}

Established Attempt::explore() {
  int start = 0, looks = 0, without_a_sign = 0;
  restart(start);
  const std::vector<Index>& parts = evidence_.split().parts();
  Established established = Established::kNone;
  for (const Index size : parts) {
    take_part(size);
    const bool is_last = size == parts.back();
    for (int tries = 0; tries < (is_last ? kStarts : 1); ++tries) {
      if (tries > 0) restart(++start);
      gave_up_ = false;
      established = try_part(is_last);
      looks += is_last ? 1 : 0;
      without_a_sign += gave_up_ ? 1 : 0;
      // Two starts without structure are enough. The second uses log-cosh, which suits sources that are less sparse
      // than Gaussian.
      if (without_a_sign > 1) break;
      if (established == Established::kExact) return established;
      // Atoms that still move may settle on a larger part.
      if (established == Established::kAll && (is_settled_ || is_last)) return established;
      // Other starts are tried only if nothing is established. For an orthonormal basis one start is enough, since
      // every data set has a sparsifying basis.
      if (established == Established::kSome || decisions_.is_basis) break;
    }
  }
  gave_up_ = without_a_sign > 0 && without_a_sign == looks;
  return established;
}

Established Attempt::try_part(bool is_last) {
  is_settled_ = solver::explore(steps_, *part_) == Motion::kStill;
  if (!is_settled_ && is_last && may_find_more()) explore_by_plain_steps(steps_, *part_);
  if (gave_up_) return Established::kNone;
  const double objective = search_.objective();
  if (sharpen(steps_, *part_) == Zeros::kExact) return Established::kExact;
  if (!evidence_.split().hold_out()) {
    keep_sparsest(objective);
    return Established::kNone;
  }
  const Established established = judge_part();
  const bool shows = decisions_.is_basis || structure_ >= kSomeStructure;
  gave_up_ = is_last && established == Established::kNone && !shows;
  return established;
}

bool Attempt::may_find_more() {
  if (decisions_.is_basis) return false;
  if (!evidence_.split().hold_out()) return true;
  const Established established = judge_part();
  const bool shows = structure_ >= kSomeStructure;
  gave_up_ = established == Established::kNone && !shows;
  return established == Established::kNone && shows;
}

void Attempt::keep_sparsest(double objective) {
  if (best_ && objective <= best_objective_) return;
  best_ = Candidate{.state = search_.keep(), .mixture = steps_.mixture(), .verdict = evidence_.no_verdict()};
  best_objective_ = objective;
}

Established Attempt::judge_part() {
  Verdict found = judge_by_hold_out(evidence_, *part_, steps_.place());
  const Established established = verdict_on(found.on_part);
  structure_ = found.structure;
  if (!best_ || found.on_part.sum() >= best_->verdict.on_part.sum()) {
    best_ = Candidate{.state = search_.keep(), .mixture = steps_.mixture(), .verdict = std::move(found)};
  }
  return established;
}

void Attempt::complete(Established established) {
  if (!part_) take_part(size_of_part_);
  completing_ = true;
  if (established == Established::kExact) {
    confidence_.setOnes();
    outcome_.zeros = Zeros::kExact;
    const View all = evidence_.all(decisions_.precision);
    const bool exact = finish(steps_, all, *part_, kLeastThreshold) == Zeros::kExact;
    outcome_.motion = exact ? Motion::kStill : Motion::kMoving;
    return;
  }
  confidence_ = best_->verdict.on_all;
  if (gave_up_) {
    outcome_.motion = steps_.refine(*part_, *part_, Finish::kLogCosh, kLastResortSteps, decisions_.tolerance);
    return;
  }
  outcome_ = refine(steps_, *part_, *best_);
  confidence_ = confidence_after(steps_, *best_);
}

void Attempt::complete_by_consensus(Established established, OtherRuns* others) {
  const bool is_judged = established != Established::kExact && !gave_up_;
  if (!part_) take_part(size_of_part_);
  const bool all_explored = part_->size() == evidence_.samples();
  if (is_judged && all_explored) {
    completing_ = true;
    confidence_ = best_->verdict.on_all;
    outcome_.motion = Motion::kStill;
  } else {
    complete(established);
  }
  evidence_.reach(saved_);
  consensus_ = repeat(is_judged, others);
  const bool is_exact = outcome_.zeros == Zeros::kExact;
  if (!is_exact) adopt(*consensus_);
  if (!is_exact && is_judged) confidence_ = confidence_after(steps_, *best_);
}

Consensus Attempt::repeat(bool is_judged, OtherRuns* others) {
  const bool is_exact = outcome_.zeros == Zeros::kExact;
  const Finish finish = is_exact ? Finish::kMixture : is_judged ? best_->finish : Finish::kLogCosh;
  const FirstRun first{.decisions = decisions_, .evidence = evidence_, .part = *part_, .finish = finish};
  const Repeatable method{.learn = [&](const AnotherRun& another) { return learn_again(first, another); },
                          .first = search_.b(),
                          .resamples = resamples_of(first, run_.options()),
                          .is_orthogonal = !decisions_.is_complete(),
                          .keeps_first = is_exact,
                          .reach = [&] { evidence_.reach(saved_); },
                          .save = [&] { evidence_.save(saved_); }};
  std::optional<Consensus> found = find_consensus(run_, method, others);
  if (found) return *std::move(found);
  throw RunEnded{reason_without_consensus(run_)};
}

void Attempt::adopt(Consensus& consensus) {
  const Index d = consensus.rows.rows();
  const std::vector<Index> places =
      match_greedily(multiply(search_.b(), Op::kNone, consensus.rows, Op::kTranspose).cwiseAbs());
  consensus.rows = Matrix<double>(consensus.rows(places, Eigen::all));
  consensus.repetition.keep(places);
  std::optional<Matrix<double>> inverse;
  if (decisions_.is_complete()) inverse = linalg::solve(consensus.rows, Matrix<double>::Identity(d, d));
  search_.restore({.b = consensus.rows,
                   .inverse = inverse ? *std::move(inverse) : Matrix<double>(consensus.rows.transpose()),
                   .shift = search_.shift()});
}

void Attempt::end_early() {
  steps_.let_lead({});
  if (!best_) return;
  if (completing_) {
    if (outcome_.zeros != Zeros::kExact) confidence_ = confidence_after(steps_, *best_);
    return;
  }
  search_.restore(*best_->state);
  steps_.set_mixture(best_->mixture);
  confidence_ = best_->verdict.on_part;
}

FitResult Attempt::conclude(std::optional<Termination> ended) {
  if (outcome_.motion == Motion::kMoving) search_.polish(!decisions_.is_complete());
  if (ended != Termination::kStopped && part_) {
    if (const auto stopped = search_.evaluate(*part_)) ended = stopped;
  }
  run_.summary().dependence = evidence_.dependence();
  run_.summary().distinct = evidence_.samples();
  Model model = search_.model(confidence_, consensus_ ? consensus_->repetition : Repetition());
  if (consensus_) describe_consensus(*consensus_, run_.options(), &run_.summary(), &model);
  describe_coefficients(model);
  const bool doubted = !decisions_.is_basis && !is_any_established(model.confidence);
  const Termination otherwise = doubted                             ? Termination::kNotEstablished
                                : outcome_.motion == Motion::kStill ? Termination::kConverged
                                                                    : Termination::kMaxIterations;
  return run_.finish(ended.value_or(otherwise), std::move(model));
}

bool Attempt::has_nested_supports() {
  return evidence_.noted([&] {
    const std::vector<bool> nested = evidence_.nested_supports(*part_, decisions_.explore_precision, steps_.place());
    return std::find(nested.begin(), nested.end(), true) != nested.end();
  });
}

void Attempt::describe_coefficients(const Model& model) {
  Summary& summary = run_.summary();
  if (outcome_.zeros == Zeros::kExact) {
    summary.theta = 1 - steps_.zeros().mean();
    summary.noise = 0;
  } else if (part_ && is_any_established(confidence_)) {
    const Coordinates& coordinates = decisions_.coordinates;
    steps_.fit_mixture(*part_);
    summary.theta = steps_.mixture().theta;
    summary.noise =
        steps_.mixture().noise * (decisions_.is_complete() ? coordinates.code_rms(model) : coordinates.rms());
  }
}

}  // namespace orthodict::solver
