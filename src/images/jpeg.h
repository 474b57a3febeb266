// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "orthodict/image.h"

namespace orthodict::images {

[[nodiscard]] inline bool is_jpeg(std::span<const std::byte> start) {
  return start.size() >= 3 && start[0] == std::byte{0xFF} && start[1] == std::byte{0xD8} && start[2] == std::byte{0xFF};
}

constexpr Index kLongestJpegSide = 65500;  // limit of libjpeg

// Reads a baseline or progressive JPEG, grey or colour, but not CMYK. Applies the Exif orientation.
[[nodiscard]] Image read_jpeg(std::span<const std::byte> bytes, const std::string& name);

// The bytes of a JPEG file: 8 bits, quality 95, no chroma subsampling.
[[nodiscard]] std::string jpeg_bytes(const Image& image, const std::string& name);

}  // namespace orthodict::images
