// SPDX-License-Identifier: Apache-2.0
#include "solver/auto/establish.h"

#include "solver/auto/constants.h"
#include "solver/auto/explore.h"
#include "solver/auto/finish.h"
#include "solver/auto/trial.h"

namespace orthodict::solver {
namespace {

// Sharpens in the precision of exploring.
Zeros sharpen_part(Steps& steps, const View& part) {
  steps.forget_mixture();
  const int first = steps.decisions().is_complete() ? kFirstMixtureStepsOfComplete : kFirstMixtureSteps;
  for (int i = 0; i < first; ++i) steps.follow_mixture(part, part);
  return steps.mixture().noise_to_signal() < kMaybeClean ? lower_threshold(steps, part) : Zeros::kNone;
}

// In full precision the last digits reveal small noise.
Zeros finish_on_part(Steps& steps, const View& part) {
  const Index count = steps.evidence().split().to_finish(part.size());
  const View view = steps.search().part_to_explore(count, steps.decisions().precision);
  return finish(steps, view, part, kLastThreshold);
}

}  // namespace

Zeros sharpen(Steps& steps, const View& part) {
  Trial sharper(steps.search());
  if (sharpen_part(steps, part) == Zeros::kNone) return Zeros::kNone;
  // Zeros at a saddle are not those of the atoms.
  if (steps.untangle(part) > 0) {
    settle(steps, part);
    if (sharpen_part(steps, part) == Zeros::kNone) return Zeros::kNone;
  }
  sharper.accept();
  Trial last_digits(steps.search());
  const Zeros zeros = finish_on_part(steps, part);
  if (zeros == Zeros::kExact) last_digits.accept();
  return zeros;
}

}  // namespace orthodict::solver
