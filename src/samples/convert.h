// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "orthodict/array.h"
#include "orthodict/types.h"

namespace orthodict::samples {

// The offsets of rows or columns, counted in elements from the start of the matrix.
struct Axis {
  Index count = 0;
  Index stride = 0;
  std::vector<Index> offsets;  // replaces the stride if the entries aren't evenly spaced

  [[nodiscard]] bool even() const { return offsets.empty(); }
  [[nodiscard]] Index offset(Index i) const { return even() ? i * stride : offsets[static_cast<std::size_t>(i)]; }
};

// A matrix in storage: element (i, j) is at data + element_size · (row.offset(i) + column.offset(j)).
struct StridedView {
  ElementType type = ElementType::kF64;
  bool byte_swapped = false;
  const std::byte* data = nullptr;
  Axis row;
  Axis column;

  [[nodiscard]] StridedView transposed() const { return {type, byte_swapped, data, column, row}; }
};

// The array as a matrix. Throws Error for a scalar, a size that exceeds Index, or missing data. The columns of an array
// of three or more dimensions don't depend on its order in storage: the last index runs fastest.
[[nodiscard]] StridedView strided_view(const Array& array);

// The same rows, with complex numbers as two columns, their real and imaginary parts.
[[nodiscard]] StridedView in_real_parts(StridedView view);

// Converts rows [first, first + count) to contiguous rows of Scalar: out[i · columns + j]. The
// elements must be real.
template <typename Scalar>
void convert_rows(const StridedView& view, Index first, Index count, Scalar* out);

}  // namespace orthodict::samples
