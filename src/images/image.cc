// SPDX-License-Identifier: Apache-2.0
#include "orthodict/image.h"

#include <fmt/format.h>

#include <algorithm>

#include "files/input_file.h"
#include "files/mapped_file.h"
#include "images/image_format.h"
#include "images/jpeg.h"
#include "images/png.h"
#include "images/pnm.h"
#include "memory/allocation.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "text/message.h"
#include "text/suffix.h"

namespace orthodict {
namespace {

enum class Format { kUnknown, kPng, kPgm, kPpm, kJpeg };

Format format_of_name(const std::string& path) {
  constexpr std::pair<std::string_view, Format> kSuffixes[] = {{".png", Format::kPng},
                                                               {".pgm", Format::kPgm},
                                                               {".ppm", Format::kPpm},
                                                               {".jpg", Format::kJpeg},
                                                               {".jpeg", Format::kJpeg}};
  for (const auto& [suffix, format] : kSuffixes) {
    if (text::has_suffix(path, suffix)) return format;
  }
  return Format::kUnknown;
}

// `path` must have passed check_image_name().
std::string file_bytes(const std::string& path, const Image& image) {
  switch (format_of_name(path)) {
    case Format::kPng:
      return images::png_bytes(image, path);
    case Format::kJpeg:
      return images::jpeg_bytes(image, path);
    case Format::kPpm:
      return images::pnm_bytes(to_color(image), path);
    default:
      return images::pnm_bytes(image, path);
  }
}

}  // namespace

namespace images {

bool begins_as_image(std::span<const std::byte> start) { return is_png(start) || is_jpeg(start) || is_pnm(start); }

}  // namespace images

void Image::validate(const std::string& name) const {
  const Index shape[] = {height, width, channels};
  const auto count = memory::array_bytes(shape, 1);
  if (height < 1 || width < 1 || (channels != 1 && channels != 3) || count != pixels.size()) {
    throw data_error(
        name, fmt::format("a shape of {} with {} values; legal: 1 or 3 channels and one value per pixel and channel",
                          text::shape_text(shape), pixels.size()));
  }
  if (depth != 8 && depth != 16) throw data_error(name, fmt::format("a depth of {} bits; legal: 8 or 16", depth));
}

namespace images {

Image read_image(const files::InputFile& file) {
  const std::string& name = file.name();
  const files::MappedFile mapped(file);
  if (is_png(mapped.bytes())) return read_png(mapped.bytes(), name);
  if (is_jpeg(mapped.bytes())) return read_jpeg(mapped.bytes(), name);
  if (is_pnm(mapped.bytes())) return read_pnm(mapped.bytes(), name);
  throw data_error(name, "not a supported image; legal: PNG, JPEG, PGM or PPM");
}

}  // namespace images

Image read_image(const std::string& path) {
  return memory::with_memory_errors(path, [&] { return images::read_image(files::InputFile(path)); });
}

std::string check_image_name(const std::string& path, const Image& image) {
  const Format format = format_of_name(path);
  if (format == Format::kUnknown) return "an image: .png, .pgm, .ppm, .jpg or .jpeg";
  if ((format == Format::kPng || format == Format::kJpeg) && !images::has_png_and_jpeg()) {
    return "a .pgm or .ppm: built without PNG and JPEG (ORTHODICT_WITH_IMAGES)";
  }
  if (format == Format::kPgm && image.channels != 1) return "a .png, .ppm or .jpg: the image is in colour";
  const Index longer = std::max(image.height, image.width);
  if (format == Format::kJpeg && longer > images::kLongestJpegSide) {
    return fmt::format("a .png, .pgm or .ppm: a side of {} pixels exceeds JPEG's limit of {}", longer,
                       images::kLongestJpegSide);
  }
  return {};
}

void write_image(const std::string& path, const Image& image) {
  image.validate(path);
  if (const std::string legal = check_image_name(path, image); !legal.empty()) throw option_error("path", path, legal);
  write_file(path, memory::with_memory_errors(path, [&] { return file_bytes(path, image); }));
}

bool is_picture(const std::vector<Index>& sample_shape) {
  if (sample_shape.size() == 3) return sample_shape[2] == 1 || sample_shape[2] == 3;
  return sample_shape.size() == 2;
}

bool is_image_name(const std::string& path) { return format_of_name(path) != Format::kUnknown; }

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
