// SPDX-License-Identifier: Apache-2.0
#include "orthodict/array.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "memory/allocation.h"
#include "orthodict/error.h"
#include "samples/convert.h"
#include "samples/sample_traits.h"
#include "text/message.h"

namespace orthodict {

std::size_t element_size(ElementType type) {
  switch (type) {
    case ElementType::kU8:
    case ElementType::kI8:
      return 1;
    case ElementType::kU16:
    case ElementType::kI16:
    case ElementType::kF16:
      return 2;
    case ElementType::kU32:
    case ElementType::kI32:
    case ElementType::kF32:
      return 4;
    case ElementType::kU64:
    case ElementType::kI64:
    case ElementType::kF64:
    case ElementType::kC64:
      return 8;
    case ElementType::kC128:
      return 16;
  }
  return 0;
}

std::string to_string(ElementType type) {
  switch (type) {
    case ElementType::kU8:
      return "u8";
    case ElementType::kI8:
      return "i8";
    case ElementType::kU16:
      return "u16";
    case ElementType::kI16:
      return "i16";
    case ElementType::kU32:
      return "u32";
    case ElementType::kI32:
      return "i32";
    case ElementType::kU64:
      return "u64";
    case ElementType::kI64:
      return "i64";
    case ElementType::kF16:
      return "f16";
    case ElementType::kF32:
      return "f32";
    case ElementType::kF64:
      return "f64";
    case ElementType::kC64:
      return "c64";
    case ElementType::kC128:
      return "c128";
  }
  return "?";
}

Index Array::size() const { return std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>()); }

std::optional<ElementType> parse_element_type(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(ElementType::kC128); ++i) {
    if (to_string(static_cast<ElementType>(i)) == name) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

Index Array::rows() const {
  if (shape.empty()) throw data_error(name, "a scalar (0 dimensions); need a matrix");
  return shape.front();
}

Index Array::columns() const {
  if (shape.empty()) throw data_error(name, "a scalar (0 dimensions); need a matrix");
  return std::accumulate(shape.begin() + 1, shape.end(), Index{1}, std::multiplies<>());
}

RowMatrix<double> to_matrix(const Array& array) {
  return memory::with_memory_errors(array.name, [&] {
    const samples::StridedView view = samples::in_real_parts(samples::strided_view(array));
    RowMatrix<double> matrix(view.row.count, view.column.count);
    samples::convert_rows(view, 0, view.row.count, matrix.data());
    return matrix;
  });
}

namespace samples {
namespace {

// Offsets of the columns of a Fortran-ordered array. A column is a combination of all indices but the first, in C
// order.
Axis fortran_columns(const Array& array) {
  Axis axis{.count = array.columns(), .stride = array.rows(), .offsets = {}};
  const auto wide = std::count_if(array.shape.begin() + 1, array.shape.end(), [](Index extent) { return extent > 1; });
  if (wide < 2 || axis.count == 0) return axis;
  axis.offsets.assign(1, 0);
  Index stride = array.rows();
  for (std::size_t d = 1; d < array.shape.size(); ++d) {
    std::vector<Index> offsets;
    offsets.reserve(axis.offsets.size() * static_cast<std::size_t>(array.shape[d]));
    for (const Index outer : axis.offsets) {
      for (Index i = 0; i < array.shape[d]; ++i) offsets.push_back(outer + i * stride);
    }
    axis.offsets = std::move(offsets);
    stride *= array.shape[d];
  }
  return axis;
}

}  // namespace

StridedView strided_view(const Array& array) {
  const auto bytes = memory::array_bytes(array.shape, element_size(array.type));
  if (!bytes) throw data_error(array.name, "shape " + text::shape_text(array.shape) + " exceeds the address space");
  const Index rows = array.rows();
  const Index columns = array.columns();
  if (*bytes > 0 && array.data == nullptr) throw data_error(array.name, "has a shape, but no data");
  StridedView view{array.type, array.byte_swapped, array.data, {}, {}};
  if (array.column_major) {
    view.row = {.count = rows, .stride = 1, .offsets = {}};
    view.column = memory::with_memory_errors(array.name, [&] { return fortran_columns(array); });
  } else {
    view.row = {.count = rows, .stride = columns, .offsets = {}};
    view.column = {.count = columns, .stride = 1, .offsets = {}};
  }
  return view;
}

StridedView in_real_parts(StridedView view) {
  if (!is_complex(view.type)) return view;
  const Axis complex = std::exchange(view.column, {});
  view.type = part_type(view.type);
  view.row.stride *= 2;
  for (Index& offset : view.row.offsets) offset *= 2;
  view.column = {.count = 2 * complex.count, .stride = 1, .offsets = {}};
  if (complex.count > 1 && !(complex.even() && complex.stride == 1)) {
    for (Index i = 0; i < complex.count; ++i) {
      view.column.offsets.insert(view.column.offsets.end(), {2 * complex.offset(i), 2 * complex.offset(i) + 1});
    }
  }
  return view;
}

}  // namespace samples
}  // namespace orthodict
