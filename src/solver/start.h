// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/fit.h"
#include "solver/coordinates.h"

namespace orthodict::solver {

// Where A starts, as options.init says; the first attempt's start is the same for every method, the later ones are
// random. To be projected where it comes from a file or where the coordinates are restricted. Throws Error that names
// initial_dictionary when that can't be started from. One that is given may have fewer rows than A, as many as
// Coordinates::given_atoms().
[[nodiscard]] Matrix<double> start_of(const Options& options, const Coordinates& coordinates, int attempt);

}  // namespace orthodict::solver
