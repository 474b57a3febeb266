// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/collective.h"
#include "engine/moments.h"
#include "orthodict/samples.h"
#include "random/stream.h"
#include "solver/coordinates.h"

namespace orthodict::solver {

// Whether the mean of p samples is significantly different from zero. Moments must be centred.
[[nodiscard]] bool is_mean_significant(const engine::Moments& moments, Index samples);

// The same for samples in columns, fewer than features. Uses no n×n matrix.
[[nodiscard]] bool is_mean_significant(const Matrix<double>& y);

// Whether the covariance is a multiple of the identity, within sampling error. That error depends on fourth moments,
// which are estimated from random samples. The second moment may be replaced by a smaller matrix with the same nonzero
// eigenvalues.
[[nodiscard]] bool is_spherical(const engine::Moments& moments, const Samples& samples,
                                const random::Permutation& order, engine::Collective& collective);

// Whether the variance of the last component kept is significantly larger than that of the first one dropped. `mean` is
// the mean of the samples.
[[nodiscard]] bool is_distinct(const Cut& cut, const Vector<double>& mean, const Samples& samples,
                               const random::Permutation& order, engine::Collective& collective);

}  // namespace orthodict::solver
