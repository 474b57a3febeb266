// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/fit.h"
#include "solver/coordinates.h"

namespace orthodict::solver {

// Where A starts, as options.init says; the first attempt's start is the same for every method, the later ones are
// random. To be projected where it comes from a file or where the coordinates are restricted. Throws Error that names
// initial_dictionary when that can't be started from.
// `atoms` is how many a file must have; unset, those of the coordinates.
[[nodiscard]] Matrix<double> start_of(const Options& options, const Coordinates& coordinates,
                                      std::optional<Index> atoms, int attempt);

}  // namespace orthodict::solver
