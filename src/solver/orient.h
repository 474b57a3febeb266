// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/fit.h"

namespace orthodict::solver {

// Gives each atom the sign with which the skewness of its codes of the samples is positive. A model is left as it is
// when a stop is requested on the way. With ranks, all call it.
void orient(const Samples& samples, const Options& options, Model* model);

}  // namespace orthodict::solver
