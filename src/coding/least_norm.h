// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/types.h"

namespace orthodict::coding {

// The matrix A (k×n) with z = Ay the code of least norm that fits y best: the transpose of the pseudo-inverse of the
// dictionary (atoms in rows).
[[nodiscard]] RowMatrix<double> least_norm_analysis(const RowMatrix<double>& dictionary);

}  // namespace orthodict::coding
