// SPDX-License-Identifier: Apache-2.0
// How a camera was held: its note in a JPEG's Exif segment, and the picture turned upright.
#pragma once

#include <cstdint>
#include <span>

#include "orthodict/image.h"

namespace orthodict::images {

// 1 … 8 as Exif has it; 1, which is upright, where the segment (the bytes of an APP1 marker) doesn't say.
[[nodiscard]] int exif_orientation(std::span<const std::uint8_t> segment);

[[nodiscard]] Image turn_upright(Image image, int orientation);

}  // namespace orthodict::images
