// SPDX-License-Identifier: Apache-2.0
#include "orthodict/array.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "memory/allocation.h"
#include "orthodict/error.h"
#include "samples/convert.h"
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
      return 8;
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
  }
  return "?";
}

Index Array::size() const { return std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>()); }

std::optional<ElementType> parse_element_type(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(ElementType::kF64); ++i) {
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
  const samples::StridedView view = samples::strided_view(array);
  return memory::with_memory_errors(array.name, [&] {
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

}  // namespace samples
}  // namespace orthodict
