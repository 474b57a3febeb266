// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "orthodict/array.h"

namespace orthodict::formats {

// Types of data elements ("MAT-File Format", table 1-1).
enum Mat5Type : std::uint32_t { kMatInt8 = 1, kMatInt32 = 5, kMatUint32 = 6, kMatMatrix = 14, kMatCompressed = 15 };
[[nodiscard]] std::optional<ElementType> mat5_element_type(std::uint32_t type);

struct Mat5Element {
  std::uint32_t type = 0;
  std::span<const std::byte> payload;
};

// Takes data elements one after the other from bytes: tag (type, size), payload, padding. Error naming `name` when
// one doesn't lie inside.
class Mat5Cursor {
 public:
  Mat5Cursor(std::span<const std::byte> bytes, bool big_endian, const std::string& name)
      : rest_(bytes), big_endian_(big_endian), name_(name) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  Mat5Element next();           // a subelement: padded to 8 bytes, or small (packed into its tag)
  Mat5Element next_variable();  // at top level: neither
  [[nodiscard]] std::uint32_t word(std::span<const std::byte> four) const;

 private:
  std::span<const std::byte> take(std::size_t count);

  std::span<const std::byte> rest_;
  bool big_endian_;
  const std::string& name_;
};

// Inflates from the start of a zlib stream until `to` is full; gives the bytes written. `whole`: the stream must end
// there, its checksum right. Error naming `name` for a damaged stream.
std::size_t inflate_mat5(std::span<const std::byte> from, std::span<std::byte> to, bool whole, const std::string& name);

}  // namespace orthodict::formats
