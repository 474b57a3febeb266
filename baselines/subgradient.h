// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "orthodict/fit.h"

namespace orthodict::baselines {

struct SubgradientOptions {
  // The true dictionary, atoms in rows. If given, it decides when an atom is found, as in the paper's comparison.
  std::optional<RowMatrix<double>> truth = {};
  // With the truth: an atom q is found if cos⁴ ≥ 1 − found_error for its angle to some true atom, where 0 < found_error
  // < 1. Both vectors are projected to the complement of the atoms found before. Atoms that barely pass have an error
  // of this size; the paper uses 0.25 %.
  double found_error = 2.5e-3;
};

// Riemannian subgradient descent for min f(q) = mean |qᵀx| on the sphere (Bai, Jiang, Sun 2019), one atom after the
// other, each in the orthogonal complement of those before:
//
//   q ← (q − η·g/‖g‖) normalised,   g = (I − qqᵀ)·mean(x·sign(qᵀx))
//
// The step is an angle. It is constant, ½, until for ten passes f has decreased by less than a hundredth of what the
// gradient predicts. Then it decreases by a factor of 0.7 per pass, down to options.tolerance. f is sharp at an atom of
// exactly sparse samples, so the distance decreases with the step (Zhu et al. 2018, Li et al. 2021); with the authors'
// steps k^(−1/2) and k^(−3/8) it decreases no faster than these. The q with the least f is the result. If its f exceeds
// 1.15 times the median of the atoms found, the atom is searched again from other starts, up to three in all, until two
// results agree within 2 %; so is the first atom. The reason: the balanced mixture of two atoms is a saddle whose f is
// √2·(1 − θ) + θ times theirs.
//
// With the truth, the search for an atom ends as soon as it is found; other starts are used only if it isn't.
//
// By default the dictionary is orthogonal; options.dictionary or options.whiten can request whitening, as for msp. In
// the history an iteration is an atom, with the objective Σ|qᵀx| over the samples. max_iterations (default 1000) limits
// the passes per atom, over all its starts. If a run ends early, the basis completes the atoms found.
[[nodiscard]] FitResult fit_subgradient(const Samples& samples, const Options& options,
                                        const SubgradientOptions& how = {});

}  // namespace orthodict::baselines
