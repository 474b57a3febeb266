// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/moments.h"
#include "solver/coordinates.h"
#include "solver/run.h"

namespace orthodict::solver {

// What method auto decides before its first step. The summary is told of it, and never asked.
struct Decisions {
  Dictionary dictionary;
  bool is_basis;     // an orthonormal basis was asked for, to make samples sparse as they are
  bool is_doubtful;  // the dictionary is taken for orthogonal without being asked to, which few samples can't tell
  bool center;
  Coordinates coordinates;
  Precision precision;          // of the end
  Precision explore_precision;  // single will do
  double tolerance;             // of steps, as far as the precision can resolve it
  double exact_step;            // a step of a finish that is this small is the last, where the precision resolves it

  [[nodiscard]] bool is_complete() const { return dictionary == Dictionary::kComplete; }
};

// Whether samples are learned from about their mean: as asked, or where it differs from zero by more than chance and no
// orthonormal basis was asked for.
[[nodiscard]] bool is_centred(const Run& run, const engine::Moments& moments);

// Tells the summary.
void describe(const Decisions& decisions, Run& run);

// From centred moments, for the dictionary asked for. Throws Error where these samples can't be learned from so.
[[nodiscard]] Decisions decide(Run& run, const engine::Moments& moments, Dictionary asked);

}  // namespace orthodict::solver
