// SPDX-License-Identifier: Apache-2.0
// The formats of arrays in files, a row each: read_array() and read_samples(), their messages and the command's help
// read them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "files/array_in_file.h"
#include "files/input_file.h"
#include "formats/hdf5/hdf5.h"
#include "orthodict/array.h"
#include "orthodict/export.h"

namespace orthodict::formats {

struct Format {
  std::array<std::string_view, 4> suffixes;  // of names, in lower case; empty ones at the end
  std::string_view member = {};  // what may be named after a colon, where a file can have several arrays; else empty
  // Whether a file begins like that; null where its beginning tells nothing.
  bool (*is_start)(std::span<const std::byte> bytes) = nullptr;
  Array (*read)(const std::string& path, const std::string& member);
  // Where the elements of the array are, if they lie in the file as they would in memory; null where they never do.
  std::optional<files::ArrayInFile> (*locate)(const files::InputFile& file, const std::string& path) = nullptr;
  // Likewise after a large array was unpacked into a file of its own; null where that isn't done.
  std::optional<LargeHdf5> (*unpack_large)(const std::string& path, const std::string& member) = nullptr;
};

inline constexpr std::size_t kLongestStart = 32;

[[nodiscard]] ORTHODICT_EXPORT std::span<const Format> all_formats();

// By the end of the name; null where that tells nothing.
[[nodiscard]] const Format* format_of_name(std::string_view path);
// By the end of the name, or else the first bytes. Throws Error where neither tells.
[[nodiscard]] const Format& format_of(const std::string& path);

}  // namespace orthodict::formats
