// SPDX-License-Identifier: Apache-2.0
#include "solver/auto/decisions.h"

#include <algorithm>

#include "random/stream.h"
#include "solver/auto/constants.h"
#include "solver/decide.h"
#include "solver/options.h"

namespace orthodict::solver {
namespace {

// Which of the two problems is solved, and whether samples are centred.
struct Question {
  bool is_orthogonal;
  bool is_basis;
  bool is_doubtful;
  bool center;
};

Question question_of(Run& run, const engine::Moments& moments, Dictionary dictionary) {
  const Options& options = run.options();
  const random::Permutation order(run.samples().size(), random::Stream(options.seed, random::Purpose::kSubsample));
  const bool asked = dictionary == Dictionary::kOrthogonal || options.whiten == Whitening::kNone;
  const bool complete = dictionary == Dictionary::kComplete || options.whiten.has_value();
  const bool orthogonal =
      asked || (!complete && is_spherical(moments, run.learned_from(), order, run.workers().collective()));
  return {.is_orthogonal = orthogonal,
          .is_basis = asked,
          .is_doubtful = orthogonal && !asked,
          .center = is_centred(run, moments)};
}

Coordinates coordinates_of(const Run& run, engine::Moments moments, const Question& question) {
  const Options& options = run.options();
  if (!question.center) moments.second_moment.noalias() += moments.mean * moments.mean.transpose();
  const Whitening whitening = options.whiten.value_or(Whitening::kZca);
  return {
      moments, run.samples().name(),
      Preprocessing{.whiten = question.is_orthogonal ? Whitening::kNone : whitening,
                    .center = question.center,
                    // Features in the samples' span have no units: see solver/span.h.
                    .equilibrate = !question.is_orthogonal &&
                                   run.samples().size() > run.samples().dimension() / linalg::reals(run.is_complex()),
                    .atoms = options.atoms,
                    .is_complex = run.is_complex(),
                    .square = true}};
}

}  // namespace

bool is_centred(const Run& run, const engine::Moments& moments) {
  const bool is_basis = dictionary_of(run.options()) == Dictionary::kOrthogonal;
  return run.options().center.value_or(!is_basis && is_mean_significant(moments, run.samples().size()));
}

void describe(const Decisions& decisions, Run& run) {
  run.describe_data(decisions.coordinates);
  Summary& summary = run.summary();
  summary.dictionary = decisions.dictionary;
  summary.center = decisions.center;
  summary.precision = decisions.precision;
  summary.tolerance = decisions.tolerance;
}

Decisions decide(Run& run, const engine::Moments& moments, Dictionary asked) {
  const Options& options = run.options();
  const Question question = question_of(run, moments, asked);
  Coordinates coordinates = coordinates_of(run, moments, question);
  const Precision precision = options.precision == Precision::kF32 ? Precision::kF32 : Precision::kF64;
  run.require_resolvable(precision, size_of_values(moments, true), coordinates);
  const double tolerance =
      std::max(options.tolerance.value_or(kToleranceOfAuto), rounding_noise(precision, coordinates));
  Decisions decisions{
      .dictionary = question.is_orthogonal ? Dictionary::kOrthogonal : Dictionary::kComplete,
      .is_basis = question.is_basis,
      .is_doubtful = question.is_doubtful,
      .center = question.center,
      .coordinates = std::move(coordinates),
      .precision = precision,
      .explore_precision = options.precision == Precision::kF64 ? Precision::kF64 : Precision::kF32,
      .tolerance = tolerance,
      .exact_step = std::min(kExactStep, options.tolerance.value_or(kExactStep)),
  };
  describe(decisions, run);
  return decisions;
}

}  // namespace orthodict::solver
