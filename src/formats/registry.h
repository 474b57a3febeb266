// SPDX-License-Identifier: Apache-2.0
// The formats of arrays in files, a row each: read_array() and read_samples(), their messages and the command's help
// read them.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "files/array_in_file.h"
#include "formats/hdf5/hdf5.h"
#include "orthodict/array.h"
#include "orthodict/export.h"
#include "orthodict/samples.h"

namespace orthodict::formats {

struct SourceFile;

struct Format {
  std::array<std::string_view, 4> suffixes;  // of names, in lower case; empty ones at the end
  std::string_view member = {};  // what may be named after a colon, where a file can have several arrays; else empty
  // Whether a file begins like that; null where its beginning tells nothing.
  bool (*is_start)(std::span<const std::byte> bytes) = nullptr;
  Array (*read)(const SourceFile& source);
  // Samples of a sparse matrix; null where the file has an array, or never has anything else.
  std::unique_ptr<Samples> (*read_sparse)(const SourceFile& source) = nullptr;
  // Where the elements of the array are, if they lie in the file as they would in memory; null where they never do.
  std::optional<files::ArrayInFile> (*locate)(const SourceFile& source) = nullptr;
  // Likewise of a large array, which may be unpacked into a file of its own; null where that isn't done.
  std::optional<LargeHdf5> (*unpack_large)(const SourceFile& source) = nullptr;
};

[[nodiscard]] ORTHODICT_EXPORT std::span<const Format> all_formats();

// By the end of the name; null where that tells nothing.
[[nodiscard]] const Format* format_of_name(std::string_view path);
// By the first bytes, SourceFile::kStart or all; null likewise.
[[nodiscard]] const Format* format_of_start(std::span<const std::byte> start);
// ".npy, .npz[:array], …", for messages.
[[nodiscard]] std::string legal_names();

}  // namespace orthodict::formats
