// SPDX-License-Identifier: Apache-2.0
// What embed.cmake makes of page/ and of the plotting library.
#pragma once

#include <string_view>

namespace orthodict::report::page_text {

[[nodiscard]] std::string_view html();
[[nodiscard]] std::string_view style();
[[nodiscard]] std::string_view script();
// SHA-256 of them, in hexadecimal.
[[nodiscard]] std::string_view style_digest();
[[nodiscard]] std::string_view script_digest();

}  // namespace orthodict::report::page_text
