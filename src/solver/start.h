// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/fit.h"
#include "solver/coordinates.h"

namespace orthodict::solver {

// The start of A according to options.init. The first attempt's start is the same for every method; later ones are
// random. It must still be projected if it comes from a file, if the coordinates are restricted, or if they are
// complex. Throws Error, naming initial_dictionary, if that is unsuitable. A given start may have fewer rows than A,
// namely Coordinates::given_atoms().
[[nodiscard]] Matrix<double> start_of(const Options& options, const Coordinates& coordinates, int attempt);

}  // namespace orthodict::solver
