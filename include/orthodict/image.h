// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "orthodict/export.h"
#include "orthodict/types.h"

namespace orthodict {

// A picture: rows from the top, pixels from the left, the channels of a pixel side by side. Values are on the scale of
// 8 bits, 0 … 255, whatever the depth of the file: those of 16 bits are divided by 257.
struct ORTHODICT_EXPORT Image {
  Index height = 0;
  Index width = 0;
  Index channels = 1;  // 1: grey; 3: red, green, blue
  int depth = 8;       // bits per value in a file, 8 or 16
  std::vector<float> pixels = {};

  [[nodiscard]] float& at(Index y, Index x, Index channel = 0) { return pixels[place(y, x, channel)]; }
  [[nodiscard]] float at(Index y, Index x, Index channel = 0) const { return pixels[place(y, x, channel)]; }

  // Throws Error, naming `name`, unless the fields fit together: 1 or 3 channels, 8 or 16 bits, at least one pixel.
  void validate(const std::string& name) const;

 private:
  [[nodiscard]] std::size_t place(Index y, Index x, Index channel) const {
    return static_cast<std::size_t>((y * width + x) * channels + channel);
  }
};

// Reads PNG, JPEG, PGM or PPM, told by the first bytes. A palette is resolved, 1, 2 and 4 bits become 8, transparency
// is left out: the pixels are what they are under it. A photograph is turned upright, if the camera noted how it was
// held. Throws Error (Fault::kData) that names the file and its fault.
[[nodiscard]] ORTHODICT_EXPORT Image read_image(const std::string& path);

// Writes .png, .pgm (grey only), .ppm (grey becomes three equal channels), .jpg or .jpeg (8 bits, quality 95), told by
// the name, whole or not at all. Values are rounded and clipped to the image's depth.
ORTHODICT_EXPORT void write_image(const std::string& path, const Image& image);
// What is legal instead, if that image, which needn't have its pixels yet, can't be written under this name: "a .png,
// .ppm or .jpg: the image is in colour". Empty if it can.
[[nodiscard]] ORTHODICT_EXPORT std::string check_image_name(const std::string& path, const Image& image = {});
// The name ends in one of these.
[[nodiscard]] ORTHODICT_EXPORT bool is_image_name(const std::string& path);

// Luma of ITU-R BT.601, 0.299 R + 0.587 G + 0.114 B, not rounded. A grey image stays as it is.
[[nodiscard]] ORTHODICT_EXPORT Image to_grey(const Image& image);
// Three equal channels. An image in colour stays as it is.
[[nodiscard]] ORTHODICT_EXPORT Image to_color(const Image& image);

// Samples of this shape are pictures: {height, width}, or {height, width, channels} with 1 or 3 of them.
[[nodiscard]] ORTHODICT_EXPORT bool is_picture(const std::vector<Index>& sample_shape);

// Peak signal-to-noise ratio in dB for a peak of 255, over all channels, and the mean structural similarity (Wang et
// al. 2004: Gaussian window of 11 pixels with σ = 1.5, K = 0.01, 0.03) where the window lies inside; of colour, the
// mean over channels. Throw Error unless both have the same shape (and, for the second, at least 11×11 pixels). The
// first is infinite for equal images.
constexpr Index kLeastSsimSide = 11;
[[nodiscard]] ORTHODICT_EXPORT double psnr(const Image& image, const Image& reference);
[[nodiscard]] ORTHODICT_EXPORT double ssim(const Image& image, const Image& reference);

}  // namespace orthodict
