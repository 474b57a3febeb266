// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "orthodict/image.h"

namespace orthodict::images {

[[nodiscard]] bool is_jpeg(std::span<const std::byte> start);

constexpr Index kLongestJpegSide = 65500;  // that libjpeg takes

// Baseline or progressive, grey or colour, but not CMYK. Upright, as the camera noted that it was held.
[[nodiscard]] Image read_jpeg(std::span<const std::byte> bytes, const std::string& name);

// The file's bytes: 8 bits, quality 95, colour not subsampled.
[[nodiscard]] std::string jpeg_bytes(const Image& image, const std::string& name);

}  // namespace orthodict::images
