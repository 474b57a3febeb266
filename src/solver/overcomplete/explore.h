// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "orthodict/types.h"
#include "solver/overcomplete/means.h"

namespace orthodict::solver::overcomplete {

struct Explored {
  Matrix<float> atoms;   // in whitened coordinates, columns of unit norm
  double explained = 0;  // share of the samples' energy
  double uses = 0;       // of an atom: a tenth of them have fewer
  double nonzeros = 0;   // of a code, the mean
};

// Finds atoms from scratch in whitened samples, scale·y, in single precision: samples sharpened by
// match–stretch–project steps of each atom by itself; then rounds of greedy codes that leave a falling share of each
// sample's energy, regression, and repair. Atoms that are missing are looked for in what is left. Starts with `start`
// atoms, and has at most `most`.
[[nodiscard]] Explored explore(const Matrix<double>& y, const Vector<double>& scale, Index start, Index most,
                               double expected, const Means& means);

// Atoms that residuals (columns) consist of, from `count` starts at most: residuals drawn in proportion to their
// energy, sharpened by match–stretch–project steps in which products count as zero unless their cos² is above `chance`.
// None is close to one of `atoms`. `draw` tells calls apart.
[[nodiscard]] Matrix<float> atoms_of_residuals(const Matrix<float>& residuals, Index count, double chance,
                                               const Matrix<float>& atoms, std::uint64_t draw, const Means& means);

}  // namespace orthodict::solver::overcomplete
