// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orthodict::text {

// Return nothing if the text isn't well formed (overlong, surrogate, beyond U+10FFFF, or truncated).
[[nodiscard]] std::optional<std::u32string> utf32_from_utf8(std::string_view utf8);
[[nodiscard]] std::optional<std::string> utf8_from_utf32(std::u32string_view utf32);

}  // namespace orthodict::text
