// SPDX-License-Identifier: Apache-2.0
#include "arrays.h"

#include <fmt/format.h>

#include "orthodict/error.h"
#include "samples/sparse_rows.h"

namespace orthodict::python {
namespace {

ElementType element_type(const nb::dlpack::dtype& type, const std::string& name) {
  struct Pair {
    nb::dlpack::dtype_code code;
    int bits;
    ElementType type;
  };
  using Code = nb::dlpack::dtype_code;
  static constexpr Pair kPairs[] = {
      {Code::UInt, 8, ElementType::kU8},        {Code::Int, 8, ElementType::kI8},
      {Code::UInt, 16, ElementType::kU16},      {Code::Int, 16, ElementType::kI16},
      {Code::UInt, 32, ElementType::kU32},      {Code::Int, 32, ElementType::kI32},
      {Code::UInt, 64, ElementType::kU64},      {Code::Int, 64, ElementType::kI64},
      {Code::Float, 16, ElementType::kF16},     {Code::Float, 32, ElementType::kF32},
      {Code::Float, 64, ElementType::kF64},     {Code::Complex, 64, ElementType::kC64},
      {Code::Complex, 128, ElementType::kC128},
  };
  for (const Pair& pair : kPairs) {
    if (static_cast<int>(type.code) == static_cast<int>(pair.code) && type.bits == pair.bits && type.lanes == 1) {
      return pair.type;
    }
  }
  throw data_error(
      name, "elements must be integers or floating-point numbers of at most 64 bits, or complex numbers of these");
}

void require(bool holds, const std::string& name, const std::string& what) {
  if (!holds) throw data_error(name, "sparse matrix: " + what);
}

std::unique_ptr<Samples> rows_of(const SparseArrays& matrix, const std::string& name) {
  const auto& [values, indices, starts, columns] = matrix;
  require(values.ndim() == 1 && indices.ndim() == 1 && starts.ndim() == 1, name, "its parts must be vectors");
  require(values.size() == indices.size(), name, "data and indices must have equal lengths");
  require(starts.size() > 1 && columns > 0, name, "there must be rows and columns");
  require(starts.size() < 2 || starts.stride(0) == 1, name, "its parts must be contiguous");
  require(values.size() < 2 || (values.stride(0) == 1 && indices.stride(0) == 1), name, "its parts must be contiguous");
  const ElementType of_values = element_type(values.dtype(), name);
  const ElementType of_indices = element_type(indices.dtype(), name);
  require(of_values == ElementType::kF32 || of_values == ElementType::kF64, name, "values must be float32 or float64");
  require(of_indices == element_type(starts.dtype(), name) &&
              (of_indices == ElementType::kI32 || of_indices == ElementType::kI64),
          name, "indices must be int32 or int64");
  return samples::view_sparse_rows({.rows = static_cast<Index>(starts.size()) - 1,
                                    .columns = columns,
                                    .entries = static_cast<Index>(values.size()),
                                    .index_type = of_indices,
                                    .starts = starts.data(),
                                    .indices = indices.data(),
                                    .value_type = of_values,
                                    .values = values.data()},
                                   name);
}

}  // namespace

std::unique_ptr<Samples> samples_of(const AnySamples& samples, const std::string& name) {
  if (const auto* matrix = std::get_if<SparseArrays>(&samples)) return rows_of(*matrix, name);
  return samples_of(std::get<AnyArray>(samples), name);
}

std::unique_ptr<Samples> samples_of(const AnyArray& array, const std::string& name) {
  if (array.ndim() != 2) {
    throw data_error(name, fmt::format("{} dimensions: a matrix has two, samples in rows", array.ndim()));
  }
  return view_samples(element_type(array.dtype(), name), array.data(), static_cast<Index>(array.shape(1)),
                      static_cast<Index>(array.shape(0)), array.stride(0), array.stride(1), name);
}

}  // namespace orthodict::python
