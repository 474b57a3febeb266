// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/types.h"
#include "solver/consensus/resamples.h"
#include "solver/overcomplete/means.h"

namespace orthodict::solver::overcomplete {

// The expected cos² between each atom (columns of unit norm) and the true one, from what is learned anew from two
// disjoint halves of the samples and from other starts. With c the cos² between an atom and the closest one of a half,
// less what one of all atoms would have by chance, 1 − c is the error of an atom of all samples, since that of a half
// is twice as large. The confidence is the mean of 1/(1 + (1 − c)/c²) over the halves: 1 − (1 − c) for small errors,
// about ½ where one half alone has the atom, and 0 where none has.
[[nodiscard]] Vector<double> judge(const Matrix<double>& y, const Vector<double>& scale, const Matrix<double>& atoms,
                                   const Resamples& halves, const Means& means);

}  // namespace orthodict::solver::overcomplete
