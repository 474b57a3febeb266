// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace orthodict::images {

// The number of bytes that begins_as_image() needs; a shorter file is passed whole.
inline constexpr std::size_t kImageStart = 8;
// Whether a file's first bytes are those of a PNG, JPEG, PGM or PPM.
[[nodiscard]] bool begins_as_image(std::span<const std::byte> start);

}  // namespace orthodict::images
