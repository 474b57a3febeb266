// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/collective.h"
#include "engine/moments.h"
#include "orthodict/samples.h"
#include "random/stream.h"
#include "solver/coordinates.h"

namespace orthodict::solver {

// Is the mean of p samples more than sampling error? Moments are centred.
[[nodiscard]] bool mean_matters(const engine::Moments& moments, Index samples);

// The same for samples in columns, fewer than features. Nothing n×n is needed.
[[nodiscard]] bool mean_matters(const Matrix<double>& y);

// Is their covariance a multiple of the identity, within sampling error? That depends on fourth moments, which are
// taken from a random part of the samples. Instead of it a smaller matrix with the same eigenvalues will do, which is
// short of zeros.
[[nodiscard]] bool is_spherical(const engine::Moments& moments, const Samples& samples,
                                const random::Permutation& order, engine::Collective& collective);

// Is the variance of the last component that is kept larger than that of the first one that isn't, by more than
// sampling error? `mean` is what the samples are about.
[[nodiscard]] bool is_distinct(const Cut& cut, const Vector<double>& mean, const Samples& samples,
                               const random::Permutation& order, engine::Collective& collective);

}  // namespace orthodict::solver
