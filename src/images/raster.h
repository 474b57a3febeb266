// SPDX-License-Identifier: Apache-2.0
// What the image formats share: sizes, and pixels as files hold them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "orthodict/image.h"

namespace orthodict::images {

// An image whose pixels are still to be reserved, once the file is found to be long enough, and appended. Throws Error,
// naming `name`, when a header promises no pixels, a side of more than a million, or more than memory holds beside
// `extra_bytes` per value.
[[nodiscard]] Image start_image(const std::string& name, Index height, Index width, Index channels, int depth,
                                std::size_t extra_bytes);

// Memory for all pixels, which isn't touched yet.
void reserve_pixels(Image* image);

// A value that runs from 0 to `largest`, on the scale from 0 to 255.
[[nodiscard]] inline float on_scale(int value, int largest) { return static_cast<float>(value * 255.0 / largest); }

template <typename Value>
void append_values(std::span<const Value> values, int largest, Image* image) {
  if (largest == 255) {
    image->pixels.insert(image->pixels.end(), values.begin(), values.end());
  } else {
    for (const Value value : values) image->pixels.push_back(on_scale(value, largest));
  }
}

// All pixels, rounded and clipped, in `depth` bits; 16 bits with the high byte first, as PNG and PNM have them.
[[nodiscard]] std::string raster_bytes(const std::string& name, const Image& image, int depth);

}  // namespace orthodict::images
