// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/fit.h"

namespace orthodict::baselines {

// Principal component analysis: the eigenvectors of the covariance, those of the largest eigenvalues first, as an
// orthogonal dictionary. Centred unless options.center says otherwise. Nothing is iterated; the summary's objective is
// the variance of the samples along the atoms.
[[nodiscard]] FitResult fit_pca(const Samples& samples, const Options& options);

}  // namespace orthodict::baselines
