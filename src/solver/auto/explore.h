// SPDX-License-Identifier: Apache-2.0
// Explore: from a start to where atoms stay, on a part of the samples.
#pragma once

#include "solver/auto/steps.h"

namespace orthodict::solver {

// A square orthogonal start, in the data's range where rank is lost. Where a file gives fewer atoms than there are to
// learn, random ones follow.
[[nodiscard]] Matrix<double> square_start(Run& run, const Coordinates& coordinates, int attempt);

// The shrinkage stretch with bias removed atom by atom, until they stay where they are.
Motion settle(Steps& steps, const View& part);

// Until atoms have settled and none are tangled.
[[nodiscard]] Motion explore(Steps& steps, const View& part);

// For atoms that move on: bias removal needs fewer steps, and near the edge of what can be found has the smaller basin.
// The plain step is there for that.
void persevere(Steps& steps, const View& part);

}  // namespace orthodict::solver
