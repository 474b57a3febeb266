// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "orthodict/image.h"

namespace orthodict::images {

// "P2", "P3", "P5" or "P6", followed by a blank or a comment.
[[nodiscard]] bool is_pnm(std::span<const std::byte> start);

// Reads PGM or PPM, text or binary. If the file has several pictures, reads the first.
[[nodiscard]] Image read_pnm(std::span<const std::byte> bytes, const std::string& name);

// The bytes of a binary PGM (grey) or PPM (colour) file, in the image's depth.
[[nodiscard]] std::string pnm_bytes(const Image& image, const std::string& name);

}  // namespace orthodict::images
