// SPDX-License-Identifier: Apache-2.0
// Explore: from a start, on a part of the samples, until atoms stop moving.
#pragma once

#include "solver/auto/steps.h"

namespace orthodict::solver {

// A square orthogonal start, within the data's range if it is rank-deficient. If a file gives too few atoms, random
// ones are added.
[[nodiscard]] Matrix<double> square_start(Run& run, const Coordinates& coordinates, int attempt);

// Steps of the shrinkage stretch, with bias removed atom by atom, until atoms stop moving.
Motion settle(Steps& steps, const View& part);

// Settles atoms until none are tangled.
[[nodiscard]] Motion explore(Steps& steps, const View& part);

// For atoms that keep moving. Bias removal needs fewer steps than the plain step, but has a smaller basin of attraction
// near the limit of what can be recovered. This takes plain steps first.
void explore_by_plain_steps(Steps& steps, const View& part);

}  // namespace orthodict::solver
