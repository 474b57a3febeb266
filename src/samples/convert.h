// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "orthodict/array.h"
#include "orthodict/types.h"

namespace orthodict::samples {

// Where the entries of one index of a matrix lie, counted in elements from the matrix's start.
struct Axis {
  Index count = 0;
  Index stride = 0;
  std::vector<Index> offsets;  // used in place of the stride where the entries aren't evenly spaced

  [[nodiscard]] bool even() const { return offsets.empty(); }
  [[nodiscard]] Index offset(Index i) const { return even() ? i * stride : offsets[static_cast<std::size_t>(i)]; }
};

// A matrix as it lies in storage: element (i, j) at data + element_size · (row.offset(i) + column.offset(j)).
struct StridedView {
  ElementType type = ElementType::kF64;
  bool byte_swapped = false;
  const std::byte* data = nullptr;
  Axis row;
  Axis column;

  [[nodiscard]] StridedView transposed() const { return {type, byte_swapped, data, column, row}; }
};

// The array as a matrix; throws Error for a scalar, a size beyond Index or missing data. An array of three or more
// dimensions has the same columns whichever its order: the last index runs fastest.
[[nodiscard]] StridedView strided_view(const Array& array);

// Rows [first, first + count) as Scalar, each row contiguous: out[i · columns + j].
template <typename Scalar>
void convert_rows(const StridedView& view, Index first, Index count, Scalar* out);

}  // namespace orthodict::samples
