// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "orthodict/image.h"

namespace orthodict::images {

// "P2", "P3", "P5" or "P6" with a blank or comment behind it.
[[nodiscard]] bool is_pnm(std::span<const std::byte> start);

// PGM or PPM, as text or binary; of several pictures in a file the first.
[[nodiscard]] Image read_pnm(std::span<const std::byte> bytes, const std::string& name);

// The file's bytes: binary PGM for grey, PPM for colour, in the image's depth.
[[nodiscard]] std::string pnm_bytes(const Image& image, const std::string& name);

}  // namespace orthodict::images
