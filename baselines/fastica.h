// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/fit.h"

namespace orthodict::baselines {

// FastICA (Hyvärinen 1999) with the nonlinearity tanh, φ = log cosh, on centred samples whitened to their principal
// components, unless the options say otherwise (an orthogonal dictionary is learned without whitening):
//
//   w ← mean(x·tanh(wᵀx)) − mean(1 − tanh²(wᵀx))·w
//
// for all atoms at once, made orthonormal by the polar factor: fit() with the stretch logcosh and remove_bias …
[[nodiscard]] FitResult fit_fastica(const Samples& samples, const Options& options);

// … or for one atom after the other, each kept orthogonal to those before: for atoms of equal law that doubles the
// error (Tichavský, Koldovský, Oja 2006). An iteration of the history is an atom, its objective Σφ(wᵀx);
// max_iterations, 200 when unset, is for each.
[[nodiscard]] FitResult fit_fastica_deflation(const Samples& samples, const Options& options);

}  // namespace orthodict::baselines
