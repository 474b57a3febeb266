// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/moments.h"
#include "solver/coordinates.h"
#include "solver/run.h"

namespace orthodict::solver {

// The decisions of method auto before its first step. They are copied to the summary and never read from it.
struct Decisions {
  Dictionary dictionary;
  bool is_basis;     // an orthonormal sparsifying basis was requested
  bool is_doubtful;  // the dictionary is assumed orthogonal without being requested; few samples can't confirm that
  bool center;
  Coordinates coordinates;
  Precision precision;          // precision of the result
  Precision explore_precision;  // usually single
  double tolerance;             // tolerance for steps, at least the precision's resolution
  double exact_step;            // a finish ends at a step this small, if the precision resolves it

  [[nodiscard]] bool is_complete() const { return dictionary == Dictionary::kComplete; }
};

// Whether samples are centred: as the option says, or, by default, if the mean differs significantly from zero and no
// orthonormal basis was requested.
[[nodiscard]] bool is_centred(const Run& run, const engine::Moments& moments);

// Copies the decisions to the summary.
void describe(const Decisions& decisions, Run& run);

// Decides, given centred moments and the requested dictionary. Throws Error if the samples are not suitable.
[[nodiscard]] Decisions decide(Run& run, const engine::Moments& moments, Dictionary asked);

}  // namespace orthodict::solver
