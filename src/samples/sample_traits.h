// SPDX-License-Identifier: Apache-2.0
// Properties of samples that follow from the type and shape of their array.
#pragma once

#include <vector>

#include "orthodict/array.h"
#include "orthodict/io.h"
#include "orthodict/types.h"

namespace orthodict::samples {

// Arrays of three or four dimensions (the fourth being channels) are stacks of pictures; arrays of more aren't.
[[nodiscard]] inline std::vector<Index> picture_shape(const std::vector<Index>& shape) {
  if (shape.size() == 3 || (shape.size() == 4 && shape[3] == 1)) return {shape[1], shape[2]};
  if (shape.size() == 4 && shape[3] == 3) return {shape[1], shape[2], shape[3]};
  return {};
}

// The type of the real and imaginary parts of complex numbers; else the type itself.
[[nodiscard]] inline ElementType part_type(ElementType type) {
  return type == ElementType::kC64 ? ElementType::kF32 : type == ElementType::kC128 ? ElementType::kF64 : type;
}

// Whether single precision represents every value of the type exactly.
[[nodiscard]] inline bool fits_f32(ElementType type) {
  return part_type(type) == ElementType::kF32 || element_size(type) <= 2;
}

// Whether each sample is contiguous in storage, one after the other.
[[nodiscard]] inline bool lie_in_order(const Array& array, Layout layout) {
  if (array.shape.empty()) return false;
  return layout == Layout::kRows ? !array.column_major : array.column_major && array.shape.size() == 2;
}

}  // namespace orthodict::samples
