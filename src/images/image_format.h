// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "files/input_file.h"
#include "orthodict/export.h"
#include "orthodict/image.h"

namespace orthodict::images {

// The number of bytes that begins_as_image() needs; a shorter file is passed whole.
inline constexpr std::size_t kImageStart = 8;
// For messages.
inline constexpr const char* kFormatNames = "PNG, JPEG, TIFF, PGM or PPM";
// Whether a file's first bytes are those of one of these.
[[nodiscard]] bool begins_as_image(std::span<const std::byte> start);

// The images in a folder, not in its subfolders, sorted by name. Other files are ignored. Throws Error if there are
// none.
[[nodiscard]] ORTHODICT_EXPORT std::vector<std::string> images_in(const std::string& folder);

// read_image() of a file that is open.
[[nodiscard]] Image read_image(const files::InputFile& file);

}  // namespace orthodict::images
