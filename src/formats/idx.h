// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "files/array_in_file.h"
#include "files/input_file.h"
#include "orthodict/array.h"

namespace orthodict::formats {

// Whether a file that starts so is IDX: two zero bytes, a known type, a number of dimensions; sizes and elements
// follow, all big endian (yann.lecun.com/exdb/mnist).
[[nodiscard]] bool is_idx(std::span<const std::byte> start);
[[nodiscard]] bool is_gzip(std::span<const std::byte> start);

// IDX, mapped; or gzip-compressed IDX, inflated into memory.
[[nodiscard]] Array read_idx(const files::InputFile& file);
// Where the elements of one that isn't compressed are, for those that don't fit in memory.
[[nodiscard]] files::ArrayInFile locate_idx(const files::InputFile& file);

}  // namespace orthodict::formats
