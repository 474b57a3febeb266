// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/model.h"

namespace orthodict::solver {

// Atoms are found up to scale, sign and order. Gives each atom unit norm (its code is scaled inversely), a positive
// largest entry, and its place by falling energy, the mean square of its code, so that equal runs give equal models.
// `second_moment` is that of the samples about the model's mean.
void make_canonical(const Matrix<double>& second_moment, Model* model);

// The signs alone, of atoms that have the rest of it.
void make_signs_canonical(Model* model);

}  // namespace orthodict::solver
