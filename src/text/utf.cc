// SPDX-License-Identifier: Apache-2.0
#include "text/utf.h"

#include <cstddef>

namespace orthodict::text {
namespace {

bool is_scalar_value(char32_t c) { return c < 0xD800 || (c > 0xDFFF && c <= 0x10FFFF); }

// The length in bytes of the sequence that starts with `lead`, or 0 if `lead` is invalid.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

}  // namespace

std::optional<std::u32string> utf32_from_utf8(std::string_view utf8) {
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  std::u32string utf32;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto lead = static_cast<unsigned char>(utf8[i]);
    const std::size_t length = sequence_length(lead);
    if (length == 0 || length > utf8.size() - i) return std::nullopt;
    char32_t c = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(utf8[i + k]);
      if ((next & 0xC0U) != 0x80U) return std::nullopt;
      c = c << 6 | (next & 0x3FU);
    }
    if (c < kSmallest[length] || !is_scalar_value(c)) return std::nullopt;
    utf32 += c;
    i += length;
  }
  return utf32;
}

std::optional<std::string> utf8_from_utf32(std::u32string_view utf32) {
  std::string utf8;
  for (const char32_t c : utf32) {
    if (!is_scalar_value(c)) return std::nullopt;
    const auto tail = [c](int shift) { return static_cast<char>(0x80U | (c >> shift & 0x3FU)); };
    if (c < 0x80) {
      utf8 += static_cast<char>(c);
    } else if (c < 0x800) {
      utf8 += {static_cast<char>(0xC0U | c >> 6), tail(0)};
    } else if (c < 0x10000) {
      utf8 += {static_cast<char>(0xE0U | c >> 12), tail(6), tail(0)};
    } else {
      utf8 += {static_cast<char>(0xF0U | c >> 18), tail(12), tail(6), tail(0)};
    }
  }
  return utf8;
}

}  // namespace orthodict::text
