// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "orthodict/export.h"
#include "orthodict/types.h"

namespace orthodict {

// A picture: rows from top to bottom, pixels from left to right, the channels of a pixel contiguous. Values are on the
// scale of 8 bits, 0 … 255, at any depth: values of 16 bits are divided by 257, and those in floating point, whose
// scale is 0 … 1, multiplied by 255. Floating point may exceed this range.
struct ORTHODICT_EXPORT Image {
  Index height = 0;
  Index width = 0;
  Index channels = 1;  // 1: grey; 3: red, green, blue
  int depth = 8;       // bits per value in a file: 8 or 16, or 32 for floating point
  std::vector<float> pixels = {};
  std::vector<float> alpha = {};  // opacity of each pixel, 0 … 255; empty if all are opaque

  [[nodiscard]] float& at(Index y, Index x, Index channel = 0) { return pixels[place(y, x, channel)]; }
  [[nodiscard]] float at(Index y, Index x, Index channel = 0) const { return pixels[place(y, x, channel)]; }

  // Throws Error that names `name` unless the fields are consistent: 1 or 3 channels, 8, 16 or 32 bits, at least one
  // pixel, and one value of alpha per pixel or none.
  void validate(const std::string& name) const;

 private:
  [[nodiscard]] std::size_t place(Index y, Index x, Index channel) const {
    return static_cast<std::size_t>((y * width + x) * channels + channel);
  }
};

// Reads PNG, JPEG, TIFF, PGM or PPM, recognized by the first bytes. Palettes of PNG are resolved, 1, 2 and 4 bits
// become
// 8. JPEG and TIFF images are rotated upright. Of several images in a TIFF, the first is read. Throws Error
// (Fault::kData) that names the file and the problem.
[[nodiscard]] ORTHODICT_EXPORT Image read_image(const std::string& path);
// The image in a file's bytes; `name` is for messages.
[[nodiscard]] ORTHODICT_EXPORT Image read_image(std::span<const std::byte> bytes, const std::string& name);

// Writes .png, .tif, .tiff, .pgm (grey only), .ppm (grey becomes three equal channels), .jpg or .jpeg (8 bits, quality
// 95), according to the suffix. Values are rounded and clipped to the image's depth. Floating point stays so in TIFF
// and becomes 16 bits elsewhere. PNG and TIFF keep alpha. The write is atomic.
ORTHODICT_EXPORT void write_image(const std::string& path, const Image& image);
// The bytes of the file that write_image() writes.
[[nodiscard]] ORTHODICT_EXPORT std::string image_bytes(const std::string& path, const Image& image);
// Empty if the image can be written under this name; else the legal names, such as "a .png, .ppm or .jpg: the image is
// in colour". The image needn't have its pixels yet.
[[nodiscard]] ORTHODICT_EXPORT std::string check_image_name(const std::string& path, const Image& image = {});
// Whether the name has one of these suffixes.
[[nodiscard]] ORTHODICT_EXPORT bool is_image_name(const std::string& path);

// Luma of ITU-R BT.601, 0.299 R + 0.587 G + 0.114 B, not rounded. Returns grey images unchanged.
[[nodiscard]] ORTHODICT_EXPORT Image to_grey(const Image& image);
// Converts grey to three equal channels. Returns colour images unchanged.
[[nodiscard]] ORTHODICT_EXPORT Image to_color(const Image& image);

// Whether samples of this shape are pictures: {height, width}, or {height, width, channels} with 1 or 3 channels.
[[nodiscard]] ORTHODICT_EXPORT bool is_picture(const std::vector<Index>& sample_shape);

// Peak signal-to-noise ratio in dB for a peak of 255, over all channels, and the mean structural similarity (Wang et
// al. 2004: Gaussian window of 11 pixels with σ = 1.5, K = 0.01, 0.03) where the window lies inside; for colour
// the mean over channels. Throw Error unless both images have the same shape and, for the similarity, at least 11×11
// pixels. The ratio is infinite for equal images.
constexpr Index kLeastSsimSide = 11;
[[nodiscard]] ORTHODICT_EXPORT double psnr(const Image& image, const Image& reference);
[[nodiscard]] ORTHODICT_EXPORT double ssim(const Image& image, const Image& reference);

}  // namespace orthodict
