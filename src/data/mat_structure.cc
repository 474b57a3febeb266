// SPDX-License-Identifier: Apache-2.0
#include "data/mat_structure.h"

#include <fmt/format.h>

#include <cstdint>

#include "orthodict/error.h"

namespace orthodict::data {
namespace {

constexpr std::size_t kHeaderBytes = 128;
constexpr std::size_t kTagBytes = 8;
constexpr std::uint32_t kMatrix = 14;
constexpr std::uint32_t kCompressed = 15;

std::uint32_t word(std::span<const std::byte> bytes, bool big_endian) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    value = value << 8 | std::to_integer<std::uint32_t>(bytes[big_endian ? i : bytes.size() - 1 - i]);
  }
  return value;
}

// Elements follow each other to the end of the file: a tag (type, bytes), then so many bytes.
void walk_elements(std::span<const std::byte> rest, bool big_endian, const std::string& path) {
  while (!rest.empty()) {
    if (rest.size() < kTagBytes) throw data_error(path, "truncated inside a tag");
    const std::uint32_t type = word(rest.first(4), big_endian);
    const std::uint32_t size = word(rest.subspan(4, 4), big_endian);
    if (type != kMatrix && type != kCompressed) {
      throw data_error(path, fmt::format("element of type {}; legal: matrix (14), compressed (15)", type));
    }
    rest = rest.subspan(kTagBytes);
    if (size > rest.size()) {
      throw data_error(path, fmt::format("truncated: a variable promises {} bytes, {} are there", size, rest.size()));
    }
    rest = rest.subspan(size);
  }
}

}  // namespace

void check_mat_structure(std::span<const std::byte> bytes, const std::string& path) {
  constexpr std::uint32_t kVersion5 = 0x0100;
  constexpr std::uint32_t kVersion73 = 0x0200;
  if (bytes.size() < kHeaderBytes)
    throw data_error(path, "isn't a MATLAB v5 file: shorter than its header of 128 bytes");
  const auto endian = bytes.subspan(126, 2);
  const bool little = endian[0] == std::byte{'I'} && endian[1] == std::byte{'M'};
  const bool big = endian[0] == std::byte{'M'} && endian[1] == std::byte{'I'};
  const std::uint32_t version = word(bytes.subspan(124, 2), big);
  if ((!little && !big) || (version != kVersion5 && version != kVersion73)) {
    throw data_error(path, "isn't a MATLAB file of version 5, 6, 7 or 7.3");
  }
  if (version == kVersion5) walk_elements(bytes.subspan(kHeaderBytes), big, path);
}

}  // namespace orthodict::data
