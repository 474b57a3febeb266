// SPDX-License-Identifier: Apache-2.0
// What samples are known to be by the array they come from.
#pragma once

#include <vector>

#include "orthodict/array.h"
#include "orthodict/io.h"
#include "orthodict/types.h"

namespace orthodict::samples {

// A stack of pictures has three dimensions, or four with channels; what has more isn't one.
[[nodiscard]] inline std::vector<Index> picture_shape(const std::vector<Index>& shape) {
  if (shape.size() == 3 || (shape.size() == 4 && shape[3] == 1)) return {shape[1], shape[2]};
  if (shape.size() == 4 && shape[3] == 3) return {shape[1], shape[2], shape[3]};
  return {};
}

// Every value of the type is exact in single precision.
[[nodiscard]] inline bool fits_f32(ElementType type) { return type == ElementType::kF32 || element_size(type) <= 2; }

// Whether samples come one after the other as the array is read from its start.
[[nodiscard]] inline bool lie_in_order(const Array& array, Layout layout) {
  if (array.shape.empty()) return false;
  return layout == Layout::kRows ? !array.column_major : array.column_major && array.shape.size() == 2;
}

}  // namespace orthodict::samples
