// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orthodict/types.h"
#include "solver/consensus/resamples.h"
#include "solver/overcomplete/means.h"

namespace orthodict::solver::overcomplete {

// The expected cos² between each atom (columns of unit norm) and the true one, from what is learned anew from two
// disjoint halves of the samples and from other starts. With c the cos² between an atom and the closest one of a half,
// in the samples' coordinates or in whitened ones, whichever is smaller, less what one of all atoms would have by
// chance, 1 − c is the error of an atom of all samples, since that of a half is twice as large. The confidence is the
// geometric mean of 1/(1 + (1 − c)/c²) over the halves: c for small errors, and near 0 where a half hasn't the atom. A
// half has those to which its own come closer than ½.
struct Verdict {
  Vector<double> confidence;
  std::vector<bool> found;  // by one half at least
};
[[nodiscard]] Verdict judge(const Matrix<double>& y, const Vector<double>& scale, const Matrix<double>& atoms,
                            const Resamples& halves, const Means& means);

}  // namespace orthodict::solver::overcomplete
