// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "orthodict/fit.h"

namespace orthodict::baselines {

struct KsvdOptions {
  // Nonzeros of a code, 1 … atoms, in every iteration. Unset: an eighth of the atoms, rounded up, until no atom moves
  // by more than 0.01. Then, where there are as many atoms as dimensions, codes are made long enough for an error ‖y −
  // Dx‖² ≤ n·(error·rms)². `error` begins with that of the first part and is halved after each iteration, as long as
  // that pays: the n·log 2 nats that the residual of a sample then takes less must be worth those of its additional
  // nonzeros, log(atoms/error) each. So exactly sparse samples end up being coded exactly, and noise isn't coded.
  std::optional<Index> sparsity = {};
};

// K-SVD (Aharon, Elad, Bruckstein 2006) with batch orthogonal matching pursuit (Rubinstein, Zibulevsky, Elad 2008): in
// turn, codes for all samples, then one atom after the other, with its coefficients, by one power step towards the best
// rank-one fit of what the others leave; two such cycles over the atoms per coding (Smith, Elad 2013). Atoms that fewer
// than four samples use, and those with |cos| > .99 to another, give way to the worst represented samples.
//
// The start is, unless options.init says otherwise, the random orthogonal matrix that the other methods start from.
// max_iterations is 200 when unset. The objective is ‖Y − DX‖²/‖Y‖². The run has converged when atoms move by no more
// than options.tolerance (root mean square), not counting the first part of the rule above.
[[nodiscard]] FitResult fit_ksvd(const Samples& samples, const Options& options, const KsvdOptions& how = {});

}  // namespace orthodict::baselines
