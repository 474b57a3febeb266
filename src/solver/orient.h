// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/fit.h"

namespace orthodict::solver {

// Gives each atom the sign with which the skewness of its codes of the samples is positive. Takes two passes over
// the samples, after a stop too. With ranks, all call it.
void orient(const Samples& samples, const Options& options, Model* model);

}  // namespace orthodict::solver
