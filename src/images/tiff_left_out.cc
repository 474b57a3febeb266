// SPDX-License-Identifier: Apache-2.0
// Stands for tiff.cc where the library is built without it.
#include "images/tiff.h"
#include "orthodict/error.h"

namespace orthodict::images {
namespace {

[[noreturn]] void refuse(const std::string& name) {
  throw data_error(name, "built without TIFF (ORTHODICT_WITH_TIFF)");
}

}  // namespace

bool has_tiff() { return false; }

Image read_tiff(std::span<const std::byte> /*bytes*/, const std::string& name) { refuse(name); }
std::string tiff_bytes(const Image& /*image*/, const std::string& name) { refuse(name); }

}  // namespace orthodict::images
