// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "orthodict/image.h"

namespace orthodict::images {

// Whether TIFF is part of this build.
[[nodiscard]] bool has_tiff();

// "II*" or "MM*": little-endian or big-endian; BigTIFF has + for *.
[[nodiscard]] inline bool is_tiff(std::span<const std::byte> start) {
  if (start.size() < 8) return false;
  const auto at = [&](std::size_t i) { return std::to_integer<char>(start[i]); };
  const auto is_version = [](char version) { return version == '*' || version == '+'; };
  return (at(0) == 'I' && at(1) == 'I' && is_version(at(2)) && at(3) == 0) ||
         (at(0) == 'M' && at(1) == 'M' && at(2) == 0 && is_version(at(3)));
}

// Reads the first image: grey or RGB, with alpha or without, 8 or 16 bits or 32-bit floating point, in strips or tiles.
// Alpha that colours were multiplied by is divided out.
[[nodiscard]] Image read_tiff(std::span<const std::byte> bytes, const std::string& name);

// The bytes of a TIFF file in the image's depth, with Deflate compression where libtiff has it.
[[nodiscard]] std::string tiff_bytes(const Image& image, const std::string& name);

}  // namespace orthodict::images
