// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "report/report.h"

namespace orthodict::report {

// A random part of the samples, in random order: its first columns are a random part again. Depends on their number
// and dimension only.
struct Subset {
  Matrix<double> samples;   // n×m
  std::vector<Index> rows;  // which row of the file a column is
};

// At most 20000 samples, and fewer where samples or codes (of `atoms` entries) would take more than 128 MiB. Throws
// Error, naming the row, when a value isn't finite or its square isn't.
[[nodiscard]] Subset draw_subset(const Samples& samples, Index atoms, const Progress& progress);

}  // namespace orthodict::report
