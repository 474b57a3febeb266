// SPDX-License-Identifier: Apache-2.0
// Shared by the image formats: checks of sizes, and conversion of pixels to and from the values in files.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "orthodict/image.h"

namespace orthodict::images {

// Returns an image without pixels. The caller checks the length of the file, then calls reserve_pixels() and appends.
// Throws Error, naming `name`, if a header claims no pixels, a side of more than a million, or more than fits in
// memory, with `extra_bytes` more per value.
[[nodiscard]] Image start_image(const std::string& name, Index height, Index width, Index channels, int depth,
                                std::size_t extra_bytes);

// Reserves memory for all pixels, without touching it.
void reserve_pixels(Image* image);

// Maps a value in [0, largest] to [0, 255].
[[nodiscard]] inline float on_scale(int value, int largest) { return static_cast<float>(value * 255.0 / largest); }

template <typename Value>
void append_values(std::span<const Value> values, int largest, Image* image) {
  if (largest == 255) {
    image->pixels.insert(image->pixels.end(), values.begin(), values.end());
  } else {
    for (const Value value : values) image->pixels.push_back(on_scale(value, largest));
  }
}

// All pixels, rounded and clipped, in `depth` bits. 16-bit values have the high byte first, as in PNG and PNM.
[[nodiscard]] std::string raster_bytes(const std::string& name, const Image& image, int depth);

}  // namespace orthodict::images
