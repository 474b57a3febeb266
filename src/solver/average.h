// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/model.h"
#include "orthodict/types.h"

namespace orthodict::solver {

// A model, and the number of samples that each of its atoms was learned from.
struct Estimate {
  Model model;
  Vector<double> atom_samples;
  double samples = 0;
};

// Combines two estimates from disjoint samples. Atoms that both have, up to sign, are averaged with weights by the
// number of samples, and their confidences grow. Other atoms are taken from the estimate with the higher confidence,
// which also gives the order. Atoms must be orthonormal or of unit norm. Metadata are left empty.
[[nodiscard]] Estimate average(const Estimate& one, const Estimate& other, bool orthogonal);

}  // namespace orthodict::solver
