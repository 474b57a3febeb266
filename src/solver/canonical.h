// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orthodict/model.h"

namespace orthodict::solver {

// The mean squares of the codes of samples with this second moment about the model's mean; in real form
// (linalg/complex.h) for a complex model.
[[nodiscard]] Vector<double> energies_of(const Model& model, const Matrix<double>& second_moment);

// The analysis of orthonormal atoms: the dictionary, or its conjugate.
[[nodiscard]] RowMatrix<double> analysis_of_orthogonal(const Model& model);

// Atoms are determined up to scale, sign (complex ones up to phase) and order. Gives each atom unit norm (and scales
// its code inversely) and a positive largest entry, and sorts atoms by decreasing energy, the mean square of their
// codes. So equal runs give equal models. `second_moment` is as in energies_of().
void make_canonical(const Matrix<double>& second_moment, Model* model);

// Makes the signs or phases canonical, for atoms whose norms and order already are.
void make_signs_canonical(Model* model);

// Keeps these atoms of a model, in this order, and drops the others.
void keep_atoms(const std::vector<Index>& atoms, Model* model);

}  // namespace orthodict::solver
