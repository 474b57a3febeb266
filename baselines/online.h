// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "orthodict/fit.h"

namespace orthodict::baselines {

struct OnlineOptions {
  // The last λ of ½‖y − Dx‖² + λ‖x‖₁, in units of the root mean square of the samples' entries, > 0. For noisy samples
  // the best value is half to once the noise's standard deviation. With a much smaller one, codes fit the noise, atoms
  // hardly move, and the last round takes hundreds of passes. By default λ falls to Options::tolerance, but not below
  // 1e-9, since atoms have errors of about λ. It stops earlier, at the noise level, once lowering λ turns more than
  // half of the codes' zeros into nonzeros.
  std::optional<double> penalty = {};
};

// Online dictionary learning (Mairal, Bach, Ponce, Sapiro 2010), with samples in random order and in batches:
//
//   x ← argmin ½‖y − Dx‖² + λ‖x‖₁        by coordinate descent, from the sample's previous code
//   A ← βA + Σ xxᵀ,  B ← βB + Σ yxᵀ      with a memory of a limited number of samples
//   d_j ← d_j + (b_j − D·a_j)/a_jj, projected to the unit ball, atom by atom; a_j and b_j are columns of A and B.
//
// λ starts at 0.7 and falls to a quarter whenever atoms have settled, moving by less than 0.02·λ in an iteration, or
// after 40 iterations. These rounds use 100 samples per atom, with a memory of 12 samples per atom. The last round goes
// over all samples, with a memory of all of them, until atoms move by less than the tolerance; new samples start from
// their codes without penalty. Atoms that no code uses are replaced by samples.
//
// In the history an iteration is one pass over the samples of its round. Its objective is Σ ½‖y − Dx‖² + λ‖x‖₁, summed
// as samples were coded, for samples at unit root mean square. max_iterations is 500 by default.
[[nodiscard]] FitResult fit_online(const Samples& samples, const Options& options, const OnlineOptions& how = {});

}  // namespace orthodict::baselines
