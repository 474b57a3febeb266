// SPDX-License-Identifier: Apache-2.0
// Another run of method auto, for a consensus.
#pragma once

#include "solver/auto/decisions.h"
#include "solver/auto/evidence.h"
#include "solver/auto/steps.h"
#include "solver/consensus/consensus.h"

namespace orthodict::solver {

// What the first run has found out.
struct FirstRun {
  const Decisions& decisions;
  const Evidence& evidence;
  const View& part;  // the samples that it explored, which other runs share
  Finish finish;     // the one that it chose
};

// Which choices of the samples there are.
[[nodiscard]] Resamples resamples_of(const FirstRun& first, const Options& options);

// Explores from another start and goes on with the first run's finish: on the part that was explored, or a choice of
// its samples, whitened by themselves, and then, where these are more, on all samples. Returns B. Nothing is judged.
[[nodiscard]] Matrix<double> learn_again(const FirstRun& first, const AnotherRun& another);

}  // namespace orthodict::solver
