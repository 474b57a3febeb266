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

// The depth of an image in a file of integers.
[[nodiscard]] inline int integer_depth(const Image& image) { return image.depth == 8 ? 8 : 16; }

// All pixels, rounded and clipped, in `depth` bits. 16-bit values have the high byte first, as in PNG and PNM. Each
// pixel is followed by its alpha, if that is wanted and there.
enum class Alpha { kDrop, kKeep };
[[nodiscard]] std::string raster_bytes(const std::string& name, const Image& image, int depth, Alpha alpha);

// Appends rows of pixels whose last value is alpha.
template <typename Value>
void append_with_alpha(std::span<const Value> values, int largest, Image* image) {
  const auto channels = static_cast<std::size_t>(image->channels);
  for (std::size_t i = 0; i + channels < values.size(); i += channels + 1) {
    append_values(values.subspan(i, channels), largest, image);
    image->alpha.push_back(on_scale(values[i + channels], largest));
  }
}

}  // namespace orthodict::images
