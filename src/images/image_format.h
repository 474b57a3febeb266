// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace orthodict::images {

// How many bytes of a file begins_as_image() wants to see, if there are so many.
inline constexpr std::size_t kImageStart = 8;
// They are those of a PNG, JPEG, PGM or PPM.
[[nodiscard]] bool begins_as_image(std::span<const std::byte> start);

}  // namespace orthodict::images
