// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "files/array_in_file.h"
#include "files/input_file.h"
#include "orthodict/array.h"

namespace orthodict::formats {

// Whether the bytes begin an IDX file: two zero bytes, a known type, the number of dimensions. Sizes and elements
// follow, all big-endian (yann.lecun.com/exdb/mnist).
[[nodiscard]] bool is_idx(std::span<const std::byte> start);
[[nodiscard]] bool is_gzip(std::span<const std::byte> start);

// Maps an IDX file, or inflates a gzip-compressed one into memory.
[[nodiscard]] Array read_idx(const files::InputFile& file);
// The location of the elements in an uncompressed file, for arrays that don't fit in memory.
[[nodiscard]] files::ArrayInFile locate_idx(const files::InputFile& file);

}  // namespace orthodict::formats
