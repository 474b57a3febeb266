// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/model.h"
#include "orthodict/types.h"

namespace orthodict::solver {

// A model, and how many samples each of its atoms was learned from.
struct Estimate {
  Model model;
  Vector<double> atom_samples;
  double samples = 0;
};

// One estimate of what both are of, from samples of their own: atoms that are the same in both, up to sign, are
// averaged by the number of samples, and their confidences grow. What only one has stays as it is in the one that is
// trusted more. Atoms are orthonormal or of unit norm, in the order of that one; metadata are left empty.
[[nodiscard]] Estimate average(const Estimate& one, const Estimate& other, bool orthogonal);

}  // namespace orthodict::solver
