// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "orthodict/image.h"

namespace orthodict::images {

[[nodiscard]] bool is_png(std::span<const std::byte> start);

// Reads any PNG. Of an animation, reads the picture that programs without animation show. Colour profiles and gamma are
// not applied.
[[nodiscard]] Image read_png(std::span<const std::byte> bytes, const std::string& name);

// The bytes of a PNG file, grey or RGB, in the image's depth.
[[nodiscard]] std::string png_bytes(const Image& image, const std::string& name);

}  // namespace orthodict::images
