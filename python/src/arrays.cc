// SPDX-License-Identifier: Apache-2.0
#include "arrays.h"

#include <fmt/format.h>

#include "orthodict/error.h"

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

}  // namespace

std::unique_ptr<Samples> samples_of(const AnyArray& array, const std::string& name) {
  if (array.ndim() != 2) {
    throw data_error(name, fmt::format("{} dimensions: a matrix has two, samples in rows", array.ndim()));
  }
  return view_samples(element_type(array.dtype(), name), array.data(), static_cast<Index>(array.shape(1)),
                      static_cast<Index>(array.shape(0)), array.stride(0), array.stride(1), name);
}

}  // namespace orthodict::python
