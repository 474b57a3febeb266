// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "orthodict/fit.h"

namespace orthodict::baselines {

struct KsvdOptions {
  // Nonzeros per code, 1 … atoms, in every iteration. If unset, first an eighth of the atoms, or of the
  // dimensions if these are fewer, rounded up, until no atom
  // moves by more than 0.01. Then, if there are as many atoms as dimensions, codes are made long enough for an error ‖y
  // − Dx‖² ≤ n·(error·rms)². `error` starts at the error reached so far and is halved after each iteration while that
  // pays: a sample's residual then takes n·log 2 nats less, which must be worth the cost of its additional nonzeros,
  // log(atoms/error) nats each. So exactly sparse samples end up being coded exactly, and noise isn't coded.
  std::optional<Index> sparsity = {};
};

// K-SVD (Aharon, Elad, Bruckstein 2006) with batch orthogonal matching pursuit (Rubinstein, Zibulevsky, Elad 2008). It
// alternates between coding all samples and updating one atom after the other, with its coefficients, by one power step
// towards the best rank-one fit of the others' residual; two such cycles over the atoms per coding (Smith, Elad 2013).
// Atoms used by fewer than four samples, and atoms with |cos| > .99 to another, are replaced by the samples with the
// largest errors.
//
// By default the start is the same random orthogonal matrix as for the other methods, or random samples for more atoms
// than dimensions. max_iterations is 200 by default.
// The objective is ‖Y − DX‖²/‖Y‖². The run has converged when atoms move by at most options.tolerance (root mean
// square), except during the first part of the rule above.
[[nodiscard]] FitResult fit_ksvd(const Samples& samples, const Options& options, const KsvdOptions& how = {});

}  // namespace orthodict::baselines
