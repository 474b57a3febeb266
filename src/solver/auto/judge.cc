// SPDX-License-Identifier: Apache-2.0
#include "solver/auto/judge.h"

#include <cstddef>
#include <memory>
#include <vector>

#include "solver/auto/constants.h"
#include "solver/auto/trial.h"

namespace orthodict::solver {

Verdict judge_by_hold_out(Steps& steps, const View& part) {
  Evidence& evidence = steps.evidence();
  return evidence.noted([&] {
    const Place at = steps.place();
    const Vector<double> signs = evidence.signs(part, at);
    const Testimony testimony = evidence.testimony(*evidence.split().hold_out(), kBatches, at, signs);
    return evidence.verdict(testimony, part, at);
  });
}

Verdict judge_by_crossfit(Steps& steps, const View& part, Finish finish) {
  Evidence& evidence = steps.evidence();
  const std::vector<Fold>& folds = evidence.split().folds();
  std::vector<std::shared_ptr<const Search::State>> states;
  for (const Fold& fold : folds) {
    const Trial trial(steps.search());
    View rest = evidence.part_of_fold(fold, steps.decisions().explore_precision);
    // The start has seen the samples that are held out. A few that are long might keep it where they led it.
    rest.cut_long_samples();
    (void)steps.refine(rest, rest, finish, kFoldSteps, kCompetingStep);
    states.push_back(steps.search().keep());
  }
  return evidence.noted([&] {
    std::vector<Testimony> testimonies;
    for (std::size_t i = 0; i < folds.size(); ++i) {
      const Place at = place_of(*states[i]);
      testimonies.push_back(evidence.testimony(folds[i], kBatchesOfFold, at, evidence.signs(part, at)));
    }
    return evidence.verdict(pool(testimonies), part, steps.place());
  });
}

Verdict judge(Steps& steps, const View& part, Finish finish) {
  const Split& split = steps.evidence().split();
  if (split.folds().empty()) return steps.evidence().no_verdict();
  return split.is_crossfit() ? judge_by_crossfit(steps, part, finish) : judge_by_hold_out(steps, part);
}

}  // namespace orthodict::solver
