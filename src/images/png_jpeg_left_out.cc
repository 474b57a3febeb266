// SPDX-License-Identifier: Apache-2.0
// Stands for png.cc and jpeg.cc where the library is built without them.
#include "images/jpeg.h"
#include "images/png.h"
#include "orthodict/error.h"

namespace orthodict::images {
namespace {

[[noreturn]] void refuse(const std::string& name) {
  throw data_error(name, "built without PNG and JPEG (ORTHODICT_WITH_IMAGES)");
}

}  // namespace

bool has_png_and_jpeg() { return false; }

Image read_png(std::span<const std::byte> /*bytes*/, const std::string& name) { refuse(name); }
std::string png_bytes(const Image& /*image*/, const std::string& name) { refuse(name); }
Image read_jpeg(std::span<const std::byte> /*bytes*/, const std::string& name) { refuse(name); }
std::string jpeg_bytes(const Image& /*image*/, const std::string& name) { refuse(name); }

}  // namespace orthodict::images
