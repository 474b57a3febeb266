// SPDX-License-Identifier: Apache-2.0
#include "images/raster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "memory/allocation.h"
#include "orthodict/error.h"

namespace orthodict::images {

Image start_image(const std::string& name, Index height, Index width, Index channels, int depth,
                  std::size_t extra_bytes) {
  constexpr Index kLongestSide = 1'000'000;
  if (height < 1 || width < 1 || height > kLongestSide || width > kLongestSide) {
    throw data_error(
        name, fmt::format("promises {}×{} pixels; legal: 1 … {} in both directions", height, width, kLongestSide));
  }
  const Index shape[] = {height, width, channels};
  memory::require_memory(name, *memory::array_bytes(shape, sizeof(float) + extra_bytes));
  return {.height = height, .width = width, .channels = channels, .depth = depth};
}

void reserve_pixels(Image* image) {
  image->pixels.reserve(static_cast<std::size_t>(image->height * image->width * image->channels));
}

std::string raster_bytes(const std::string& name, const Image& image, int depth, Alpha alpha) {
  const bool wide = depth == 16;
  const bool has_alpha = alpha == Alpha::kKeep && !image.alpha.empty();
  std::string bytes;
  bytes.reserve((image.pixels.size() + (has_alpha ? image.alpha.size() : 0)) * (wide ? 2 : 1));
  const auto append = [&](float pixel) {
    if (std::isnan(pixel)) throw data_error(name, "has a pixel that is NaN");
    const float clipped = std::clamp(pixel, 0.0F, 255.0F);
    const auto value = static_cast<unsigned>(std::lround(wide ? clipped * 257.0 : clipped));
    if (wide) bytes.push_back(static_cast<char>(value >> 8));
    bytes.push_back(static_cast<char>(value & 0xFF));
  };
  const auto channels = static_cast<std::size_t>(image.channels);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    append(image.pixels[i]);
    if (has_alpha && (i + 1) % channels == 0) append(image.alpha[i / channels]);
  }
  return bytes;
}

}  // namespace orthodict::images
