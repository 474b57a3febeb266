// SPDX-License-Identifier: Apache-2.0
#include "orthodict/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "files/input_file.h"
#include "files/mapped_file.h"
#include "images/image_format.h"
#include "images/jpeg.h"
#include "images/png.h"
#include "images/pnm.h"
#include "images/tiff.h"
#include "memory/allocation.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "text/message.h"
#include "text/suffix.h"

namespace orthodict {
namespace {

std::string ppm_bytes(const Image& image, const std::string& name) {
  if (image.channels == 3) return images::pnm_bytes(image, name);
  return images::pnm_bytes(to_color(image), name);
}

// A format: how it is recognized, read and written, and its suffixes.
struct Format {
  bool (*begins)(std::span<const std::byte> start);
  Image (*read)(std::span<const std::byte> bytes, const std::string& name);
  std::string (*bytes)(const Image& image, const std::string& name);
  std::array<const char*, 2> suffixes;
  const char* left_out = nullptr;  // why it can't be written
};

std::span<const Format> image_formats() {
  static const char* const kNoPng =
      images::has_png_and_jpeg() ? nullptr : "built without PNG and JPEG (ORTHODICT_WITH_IMAGES)";
  static const char* const kNoTiff = images::has_tiff() ? nullptr : "built without TIFF (ORTHODICT_WITH_TIFF)";
  static const Format kFormats[] = {
      {images::is_png, images::read_png, images::png_bytes, {".png", ".png"}, kNoPng},
      {images::is_jpeg, images::read_jpeg, images::jpeg_bytes, {".jpg", ".jpeg"}, kNoPng},
      {images::is_tiff, images::read_tiff, images::tiff_bytes, {".tif", ".tiff"}, kNoTiff},
      {images::is_pnm, images::read_pnm, images::pnm_bytes, {".pgm", ".pgm"}},
      {images::is_pnm, images::read_pnm, ppm_bytes, {".ppm", ".ppm"}},
  };
  return kFormats;
}

const Format* format_of_name(const std::string& path) {
  for (const Format& format : image_formats()) {
    for (const char* suffix : format.suffixes) {
      if (text::has_suffix(path, suffix)) return &format;
    }
  }
  return nullptr;
}

}  // namespace

namespace images {

bool begins_as_image(std::span<const std::byte> start) {
  return std::any_of(image_formats().begin(), image_formats().end(),
                     [&](const Format& format) { return format.begins(start); });
}

}  // namespace images

void Image::validate(const std::string& name) const {
  const Index shape[] = {height, width, channels};
  const auto count = memory::array_bytes(shape, 1);
  if (height < 1 || width < 1 || (channels != 1 && channels != 3) || count != pixels.size()) {
    throw data_error(
        name, fmt::format("a shape of {} with {} values; legal: 1 or 3 channels and one value per pixel and channel",
                          text::shape_text(shape), pixels.size()));
  }
  if (depth != 8 && depth != 16 && depth != 32) {
    throw data_error(name, fmt::format("a depth of {} bits; legal: 8, 16 or 32", depth));
  }
  if (!alpha.empty() && alpha.size() * static_cast<std::size_t>(channels) != pixels.size()) {
    throw data_error(name, fmt::format("{} values of alpha; legal: one per pixel, or none", alpha.size()));
  }
}

Image read_image(std::span<const std::byte> bytes, const std::string& name) {
  return memory::with_memory_errors(name, [&] {
    for (const Format& format : image_formats()) {
      if (format.begins(bytes)) return format.read(bytes, name);
    }
    throw data_error(name, std::string("not a supported image; legal: ") + images::kFormatNames);
  });
}

namespace images {

Image read_image(const files::InputFile& file) {
  const files::MappedFile mapped(file);
  return orthodict::read_image(mapped.bytes(), file.name());
}

}  // namespace images

Image read_image(const std::string& path) {
  return memory::with_memory_errors(path, [&] { return images::read_image(files::InputFile(path)); });
}

std::string check_image_name(const std::string& path, const Image& image) {
  const Format* format = format_of_name(path);
  if (format == nullptr) return "an image: .png, .tif, .tiff, .pgm, .ppm, .jpg or .jpeg";
  if (format->left_out != nullptr) return std::string("a .pgm or .ppm: ") + format->left_out;
  if (format->bytes == images::pnm_bytes && image.channels != 1)
    return "a .png, .tif, .ppm or .jpg: the image is in colour";
  const Index longer = std::max(image.height, image.width);
  if (format->bytes == images::jpeg_bytes && longer > images::kLongestJpegSide) {
    return fmt::format("a .png, .tif, .pgm or .ppm: a side of {} pixels exceeds JPEG's limit of {}", longer,
                       images::kLongestJpegSide);
  }
  return {};
}

std::string image_bytes(const std::string& path, const Image& image) {
  image.validate(path);
  if (const std::string legal = check_image_name(path, image); !legal.empty()) throw option_error("path", path, legal);
  return memory::with_memory_errors(path, [&] { return format_of_name(path)->bytes(image, path); });
}

void write_image(const std::string& path, const Image& image) { write_file(path, image_bytes(path, image)); }

bool is_picture(const std::vector<Index>& sample_shape) {
  if (sample_shape.size() == 3) return sample_shape[2] == 1 || sample_shape[2] == 3;
  return sample_shape.size() == 2;
}

bool is_image_name(const std::string& path) { return format_of_name(path) != nullptr; }

Image to_grey(const Image& image) {
  if (image.channels == 1) return image;
  image.validate("image");
  Image grey{.height = image.height, .width = image.width, .channels = 1, .depth = image.depth};
  grey.pixels.reserve(image.pixels.size() / 3);
  for (std::size_t i = 0; i < image.pixels.size(); i += 3) {
    const double luma = 0.299 * image.pixels[i] + 0.587 * image.pixels[i + 1] + 0.114 * image.pixels[i + 2];
    grey.pixels.push_back(static_cast<float>(luma));
  }
  return grey;
}

Image to_color(const Image& image) {
  if (image.channels == 3) return image;
  image.validate("image");
  Image color{.height = image.height, .width = image.width, .channels = 3, .depth = image.depth};
  color.pixels.reserve(image.pixels.size() * 3);
  for (const float value : image.pixels) color.pixels.insert(color.pixels.end(), 3, value);
  return color;
}

}  // namespace orthodict
