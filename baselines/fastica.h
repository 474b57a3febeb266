// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/fit.h"

namespace orthodict::baselines {

// FastICA (Hyvärinen 1999) with the nonlinearity tanh, φ = log cosh. By default samples are centred and whitened to
// their principal components; an orthogonal dictionary is learned without whitening. Each iteration is
//
//   w ← mean(x·tanh(wᵀx)) − mean(1 − tanh²(wᵀx))·w
//
// for all atoms at once, orthonormalised by the polar factor. This is fit() with the stretch logcosh and remove_bias.
[[nodiscard]] FitResult fit_fastica(const Samples& samples, const Options& options);

// The deflation variant finds one atom after the other, each orthogonal to those before. For atoms with equal
// distributions this doubles the error (Tichavský, Koldovský, Oja 2006). In the history an iteration is an atom, with
// the objective Σφ(wᵀx). max_iterations (default 200) applies to each atom.
[[nodiscard]] FitResult fit_fastica_deflation(const Samples& samples, const Options& options);

}  // namespace orthodict::baselines
