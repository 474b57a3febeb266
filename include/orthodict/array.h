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

enum class ElementType { kU8, kI8, kU16, kI16, kU32, kI32, kU64, kI64, kF16, kF32, kF64 };

[[nodiscard]] ORTHODICT_EXPORT std::size_t element_size(ElementType type);
[[nodiscard]] ORTHODICT_EXPORT std::string to_string(ElementType type);  // "u8", "i16", "f64", …
[[nodiscard]] ORTHODICT_EXPORT std::optional<ElementType> parse_element_type(const std::string& name);
inline std::ostream& operator<<(std::ostream& stream, ElementType type) { return stream << to_string(type); }

// An array as a file holds it: read in place, converted only when blocks of it are used.
// Copies share the storage, which `owner` keeps alive.
struct ORTHODICT_EXPORT Array {
  ElementType type = ElementType::kF64;
  std::vector<Index> shape;
  bool column_major = false;  // Fortran order: the first index runs fastest
  bool byte_swapped = false;  // the elements' byte order isn't this machine's
  const std::byte* data = nullptr;
  std::shared_ptr<const void> owner;
  std::string name;  // where it came from, for messages: "y.npy", "data.h5:/train"

  [[nodiscard]] Index size() const;  // number of elements
  // An array of d dimensions is taken as a matrix of shape[0] rows: an image stack 60000×28×28 has 60000 rows of 784.
  [[nodiscard]] Index rows() const;
  [[nodiscard]] Index columns() const;
};

// The array as a matrix of doubles. For small things such as dictionaries: it copies.
[[nodiscard]] ORTHODICT_EXPORT RowMatrix<double> to_matrix(const Array& array);

}  // namespace orthodict
