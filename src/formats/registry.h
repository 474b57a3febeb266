// SPDX-License-Identifier: Apache-2.0
// The table of array formats. read_array(), read_samples(), their messages and the command's help are generated from
// it.
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
  std::array<std::string_view, 4> suffixes;  // of file names, in lower case; unused ones are empty
  std::string_view member = {};              // what the name after a colon denotes; empty if a file has one array
  // Recognizes a file by its first bytes; null for formats without a signature.
  bool (*is_start)(std::span<const std::byte> bytes) = nullptr;
  Array (*read)(const SourceFile& source);
  // Reads samples of a sparse matrix, and returns null if the file has an array. Null for formats without sparse
  // matrices.
  std::unique_ptr<Samples> (*read_sparse)(const SourceFile& source) = nullptr;
  // Locates the elements if they are stored as they would be in memory. Null for formats that never store them so.
  std::optional<files::ArrayInFile> (*locate)(const SourceFile& source) = nullptr;
  // Likewise for a large array, which may be unpacked into a scratch file. Null if the format doesn't support that.
  std::optional<LargeHdf5> (*unpack_large)(const SourceFile& source) = nullptr;
};

[[nodiscard]] ORTHODICT_EXPORT std::span<const Format> all_formats();

// The format with a suffix of this name; null if there is none.
[[nodiscard]] const Format* format_of_name(std::string_view path);
// The format that recognizes these bytes, the first SourceFile::kStart of the file or all; null if there is none.
[[nodiscard]] const Format* format_of_start(std::span<const std::byte> start);
// ".npy, .npz[:array], …", for messages.
[[nodiscard]] std::string legal_names();

}  // namespace orthodict::formats
