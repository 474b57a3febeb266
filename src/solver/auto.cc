// SPDX-License-Identifier: Apache-2.0
#include "solver/auto.h"

#include <memory>
#include <optional>
#include <utility>

#include "solver/auto/attempt.h"
#include "solver/outliers.h"

namespace orthodict::solver {

FitResult run_auto(Run& run) {
  engine::Moments moments = run.measure(true);
  run.checkpoint().open(run.summary(), run.samples(), moments);
  set_aside_outliers(run, &moments);
  Journal journal(run.checkpoint());
  std::unique_ptr<Attempt> attempt;
  const auto establish = [&](Dictionary dictionary) {
    attempt = std::make_unique<Attempt>(run, journal, moments, dictionary);
    return attempt->establish();
  };
  std::optional<Termination> ended;
  try {
    const Dictionary asked = run.options().dictionary;
    Established established = establish(asked);
    if (attempt->is_doubtful(established)) {
      const Established first = std::exchange(established, establish(Dictionary::kComplete));
      if (first != Established::kNone && established != Established::kExact) established = establish(asked);
    }
    attempt->complete(established);
  } catch (const RunEnded& end) {
    ended = end.termination;
    attempt->end_early();
  }
  return attempt->conclude(ended);
}

}  // namespace orthodict::solver
