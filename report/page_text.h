// SPDX-License-Identifier: Apache-2.0
// The files of page/ and the plotting library, as embedded by embed.cmake.
#pragma once

#include <string_view>

namespace orthodict::report::page_text {

[[nodiscard]] std::string_view html();
[[nodiscard]] std::string_view style();
[[nodiscard]] std::string_view script();
// Their SHA-256 digests, in hexadecimal.
[[nodiscard]] std::string_view style_digest();
[[nodiscard]] std::string_view script_digest();

}  // namespace orthodict::report::page_text
