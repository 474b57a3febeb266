// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "files/input_file.h"
#include "orthodict/image.h"

namespace orthodict::images {

// The number of bytes that begins_as_image() needs; a shorter file is passed whole.
inline constexpr std::size_t kImageStart = 8;
// Whether a file's first bytes are those of a PNG, JPEG, PGM or PPM.
[[nodiscard]] bool begins_as_image(std::span<const std::byte> start);

// read_image() of a file that is open.
[[nodiscard]] Image read_image(const files::InputFile& file);

}  // namespace orthodict::images
