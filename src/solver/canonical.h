// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orthodict/model.h"

namespace orthodict::solver {

// Atoms are determined up to scale, sign and order. Gives each atom unit norm (and scales its code inversely) and a
// positive largest entry, and sorts atoms by decreasing energy, the mean square of their codes. So equal runs give
// equal models. `second_moment` is that of the samples about the model's mean.
void make_canonical(const Matrix<double>& second_moment, Model* model);

// Makes the signs canonical, for atoms whose norms and order already are.
void make_signs_canonical(Model* model);

// Keeps these atoms of a model, in this order, and drops the others.
void keep_atoms(const std::vector<Index>& atoms, Model* model);

}  // namespace orthodict::solver
