// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/export.h"
#include "orthodict/fit.h"

namespace orthodict::baselines {

// Principal component analysis: the eigenvectors of the covariance, in descending order of eigenvalues, as an
// orthogonal dictionary. Samples are centred by default. The summary's objective is the variance of the samples along
// the atoms.
[[nodiscard]] ORTHODICT_EXPORT FitResult fit_pca(const Samples& samples, const Options& options);

}  // namespace orthodict::baselines
