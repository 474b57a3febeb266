// SPDX-License-Identifier: Apache-2.0
#include "solver/auto/repeat.h"

#include <utility>
#include <vector>

#include "solver/auto/constants.h"
#include "solver/auto/explore.h"
#include "solver/consensus/resamples.h"

namespace orthodict::solver {
namespace {

View view_of(const FirstRun& first, const AnotherRun& another) {
  if (!another.choice) return first.part.seen_by(another.run);
  const Options& options = another.run.options();
  const Resamples resamples(resampling_of(options), first.evidence.samples(), first.evidence.dependence(),
                            options.seed);
  return first.part.seen_by(another.run,
                            resamples.chosen(*another.choice, first.part.size(), first.evidence.split().order()));
}

}  // namespace

Matrix<double> learn_again(const FirstRun& first, const AnotherRun& another) {
  Journal journal(another.run.checkpoint());
  Evidence evidence(first.evidence, another.run, journal);
  Search search(another.run, evidence, first.decisions.center, first.decisions.is_basis);
  Steps steps(first.decisions, evidence, search);
  const View part = view_of(first, another);
  search.restart(square_start(another.run, first.decisions.coordinates, another.start));
  try {
    (void)explore(steps, part);
    (void)steps.refine(part, part, first.finish, kStepsOfRepeat, kCompetingStep);
    if (!another.choice && part.size() < evidence.samples()) {
      const View all = evidence.all(first.decisions.precision);
      (void)steps.refine(all, part, first.finish, kStepsOfRepeat, first.decisions.tolerance);
    }
  } catch (const RunEnded&) {
    // The iterate counts as it is; a stop, and time that is up, end the whole consensus.
  }
  return search.b();
}

}  // namespace orthodict::solver
