// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/collective.h"
#include "engine/moments.h"
#include "orthodict/samples.h"
#include "random/stream.h"

namespace orthodict::solver {

// Is the mean of p samples more than sampling error? Moments are centred.
[[nodiscard]] bool mean_matters(const engine::Moments& moments, Index samples);

// Is their covariance a multiple of the identity, within sampling error? That depends on fourth moments, which are
// taken from a random part of the samples.
[[nodiscard]] bool is_spherical(const engine::Moments& moments, const Samples& samples,
                                const random::Permutation& order, engine::Collective& collective);

}  // namespace orthodict::solver
