// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "orthodict/types.h"
#include "solver/overcomplete/finish.h"
#include "solver/overcomplete/means.h"

namespace orthodict::solver::overcomplete {

// Learns from the samples y (columns of d uncorrelated coordinates, whose standard deviations are 1/scale), from a part
// of them where these show the structure: explores, finishes, and looks for atoms that are missing. At most `most`
// atoms, if given, and in the order of their energy.
[[nodiscard]] Finished learn(const Matrix<double>& y, const Vector<double>& scale, std::optional<Index> most,
                             const Means& means);

}  // namespace orthodict::solver::overcomplete
