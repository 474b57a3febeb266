// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "orthodict/export.h"
#include "orthodict/types.h"

namespace orthodict {

enum class ElementType { kU8, kI8, kU16, kI16, kU32, kI32, kU64, kI64, kF16, kF32, kF64, kC64, kC128 };

// Complex numbers have a real and an imaginary part, one after the other: kC64 two of kF32, kC128 two of kF64.
[[nodiscard]] inline bool is_complex(ElementType type) {
  return type == ElementType::kC64 || type == ElementType::kC128;
}
[[nodiscard]] ORTHODICT_EXPORT std::size_t element_size(ElementType type);
[[nodiscard]] ORTHODICT_EXPORT std::string to_string(ElementType type);  // "u8", "i16", "f64", "c128", …
[[nodiscard]] ORTHODICT_EXPORT std::optional<ElementType> parse_element_type(const std::string& name);
inline std::ostream& operator<<(std::ostream& stream, ElementType type) { return stream << to_string(type); }

// An array in memory or in a mapped file, of any element type. Blocks are converted when they are used. Copies share
// the storage, which `owner` keeps alive.
struct ORTHODICT_EXPORT Array {
  ElementType type = ElementType::kF64;
  std::vector<Index> shape;
  bool column_major = false;  // Fortran order: the first index varies fastest
  bool byte_swapped = false;  // the elements have the other byte order
  const std::byte* data = nullptr;
  std::shared_ptr<const void> owner;
  std::string name;  // its origin, for messages: "y.npy", "data.h5:/train"

  [[nodiscard]] Index size() const;  // number of elements
  // As a matrix, the array has shape[0] rows: a stack of images of shape 60000×28×28 has 60000 rows of 784 entries.
  [[nodiscard]] Index rows() const;
  [[nodiscard]] Index columns() const;
};

// Copies the array to a matrix of doubles; complex numbers to two columns each. Meant for small arrays such as
// dictionaries.
[[nodiscard]] ORTHODICT_EXPORT RowMatrix<double> to_matrix(const Array& array);

}  // namespace orthodict
