// SPDX-License-Identifier: Apache-2.0
#include "solver/auto/repeat.h"

#include <utility>
#include <vector>

#include "solver/auto/constants.h"
#include "solver/auto/explore.h"
#include "solver/consensus/resamples.h"
#include "solver/lens.h"

namespace orthodict::solver {
namespace {

View view_of(const FirstRun& first, const AnotherRun& another) {
  if (!another.choice) return first.part.seen_by(another.run);
  const Resamples resamples = resamples_of(first, another.run.options());
  return first.part.seen_by(another.run,
                            resamples.chosen(*another.choice, first.part.size(), first.evidence.split().order()));
}

// Through which a choice is white by itself, about what the search takes moments about. Where samples aren't whitened
// there is none.
Lens lens_of(const FirstRun& first, const View& choice) {
  if (!first.decisions.coordinates.is_whitened()) return {};
  const Vector<double> zero = Vector<double>::Zero(choice.mean().size());
  return Lens::whitening(choice.second_moment(first.decisions.center ? choice.mean() : zero));
}

}  // namespace

Resamples resamples_of(const FirstRun& first, const Options& options) {
  return {resampling_of(options), first.evidence.samples(), first.evidence.dependence(), options.seed};
}

Matrix<double> learn_again(const FirstRun& first, const AnotherRun& another) {
  Journal journal(another.run.checkpoint());
  Evidence evidence(first.evidence, another.run, journal);
  Search search(another.run, evidence, first.decisions.center, first.decisions.is_basis);
  Steps steps(first.decisions, evidence, search);
  View part = view_of(first, another);
  const Lens lens = another.choice ? lens_of(first, part) : Lens();
  part.see_through(lens);
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
  return lens.matcher(search.b());
}

}  // namespace orthodict::solver
