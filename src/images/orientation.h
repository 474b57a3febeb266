// SPDX-License-Identifier: Apache-2.0
// The orientation of a camera, from a JPEG's Exif segment, and its correction.
#pragma once

#include <cstdint>
#include <span>

#include "orthodict/image.h"

namespace orthodict::images {

// The Exif orientation, 1 … 8, from the bytes of an APP1 segment; 1, upright, by default.
[[nodiscard]] int exif_orientation(std::span<const std::uint8_t> segment);

[[nodiscard]] Image turn_upright(Image image, int orientation);

}  // namespace orthodict::images
