// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "orthodict/fit.h"

namespace orthodict::baselines {

struct SubgradientOptions {
  // The true dictionary, atoms in rows. Given, it decides when an atom is found, as in the paper's comparison.
  std::optional<RowMatrix<double>> truth = {};
  // With it: an atom q is found when cos⁴ ≥ 1 − found_error for its angle to some true atom; 0 < found_error < 1. Both
  // are taken in the complement of the atoms found before. Atoms that just pass make an error of this size: 0.25 % is
  // the paper's figure.
  double found_error = 2.5e-3;
};

// Riemannian subgradient descent for min f(q) = mean |qᵀx| on the sphere (Bai, Jiang, Sun 2019), one atom after the
// other, each in the orthogonal complement of those before:
//
//   q ← (q − η·g/‖g‖) normalised,   g = (I − qqᵀ)·mean(x·sign(qᵀx))
//
// The step is an angle. It is constant, ½, until f has not fallen for ten passes by a hundredth of what the gradient
// promises; then it falls by 0.7 from pass to pass, down to options.tolerance. f is sharp at an atom of exactly sparse
// samples, so that the distance falls with the step (Zhu et al. 2018, Li et al. 2021); with the authors' k^(−1/2) and
// k^(−3/8) it falls no faster than they do. The q of least f is taken. An atom whose f exceeds 1.15 times the median of
// those found is sought again from other starts, up to three in all, until two of them agree within 2 %, and so is the
// first: the balanced mixture of two atoms, a saddle, has √2·(1 − θ) + θ times their f.
//
// With the truth the search for an atom ends as soon as it is found, and the other starts are for atoms that are not.
//
// The dictionary is orthogonal unless options.dictionary or options.whiten ask for whitening, as for msp. An iteration
// of the history is an atom, its objective Σ|qᵀx| over the samples; max_iterations, 1000 when unset, are the passes for
// each, over all its starts. Atoms that a run didn't come to complete the basis.
[[nodiscard]] FitResult fit_subgradient(const Samples& samples, const Options& options,
                                        const SubgradientOptions& how = {});

}  // namespace orthodict::baselines
