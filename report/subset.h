// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "report/report.h"

namespace orthodict::report {

// Samples in columns, which interleave real and imaginary parts if they are complex. `columns` must outlive the view.
[[nodiscard]] std::unique_ptr<Samples> view_columns(const Matrix<double>& columns, bool is_complex);

[[nodiscard]] Matrix<double> moduli(const Matrix<double>& interleaved);

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
