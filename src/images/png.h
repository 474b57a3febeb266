// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "orthodict/image.h"

namespace orthodict::images {

// Whether PNG and JPEG are part of this build.
[[nodiscard]] bool has_png_and_jpeg();

[[nodiscard]] inline bool is_png(std::span<const std::byte> start) {
  constexpr std::string_view kSignature = "\x89PNG\r\n\x1A\n";
  return start.size() >= kSignature.size() && std::memcmp(start.data(), kSignature.data(), kSignature.size()) == 0;
}

// Reads any PNG. Of an animation, reads the picture that programs without animation show. Colour profiles and gamma are
// not applied.
[[nodiscard]] Image read_png(std::span<const std::byte> bytes, const std::string& name);

// The bytes of a PNG file, grey or RGB, in the image's depth.
[[nodiscard]] std::string png_bytes(const Image& image, const std::string& name);

}  // namespace orthodict::images
