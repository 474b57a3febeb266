// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "orthodict/fit.h"

namespace orthodict::baselines {

struct OnlineOptions {
  // The last λ of ½‖y − Dx‖² + λ‖x‖₁, in units of the root mean square of the samples' entries, > 0. With noise on the
  // samples the best is half to all of its standard deviation; far below it codes fit the noise, atoms hardly move any
  // more, and the last round takes hundreds of passes.
  // Unset: λ falls to Options::tolerance, but not below 1e-9: atoms err by about λ. It ends before that,
  // at the noise, where a fall turned more than half of the codes' zeros into nonzeros.
  std::optional<double> penalty = {};
};

// Online dictionary learning (Mairal, Bach, Ponce, Sapiro 2010): samples in random order and in batches,
//
//   x ← argmin ½‖y − Dx‖² + λ‖x‖₁        by coordinate descent, from the code that the sample had before
//   A ← βA + Σ xxᵀ,  B ← βB + Σ yxᵀ      forgetting, with a memory of so many samples
//   d_j ← d_j + (b_j − D·a_j)/a_jj, taken to the unit ball, for one atom after the other; A's and B's columns a_j, b_j.
//
// λ starts at 0.7 and falls to a quarter whenever atoms have settled at it, moving by less than 0.02·λ in an iteration,
// or after 40. These rounds are run on 100 samples for each atom, with a memory of 12 for each. The last goes over all
// samples with a memory of all of them, those that are new from their codes without a penalty, until atoms move by less
// than the tolerance. Atoms that no code used are
// replaced by samples.
//
// An iteration of the history is once over the samples of its round, its objective Σ ½‖y − Dx‖² + λ‖x‖₁ as samples came
// by, for samples at unit root mean square. max_iterations is 500 when unset.
[[nodiscard]] FitResult fit_online(const Samples& samples, const Options& options, const OnlineOptions& how = {});

}  // namespace orthodict::baselines
