// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "report/report.h"

namespace orthodict::report {

// A random subset of the samples, in random order, so that its first columns are a random subset too. It depends only
// on their number and dimension.
struct Subset {
  Matrix<double> samples;   // n×m
  std::vector<Index> rows;  // the row in the file of each column
};

// Draws at most 20000 samples, fewer if samples or codes (of `atoms` entries) would take more than 128 MiB. Throws
// Error, naming the row, if a value or its square isn't finite.
[[nodiscard]] Subset draw_subset(const Samples& samples, Index atoms, const Progress& progress);

}  // namespace orthodict::report
