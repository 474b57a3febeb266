// SPDX-License-Identifier: Apache-2.0
// Parses sizes such as 8x8 and f32x100.
#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "orthodict/error.h"
#include "orthodict/image.h"
#include "orthodict/io.h"
#include "orthodict/patches.h"

namespace orthodict {
namespace {

constexpr Index kLongest = 1'000'000;

// The numbers separated by the letter x, if all are legal.
std::optional<std::vector<Index>> split(const std::string& text) {
  std::vector<Index> extents;
  const char* at = text.data();
  const char* end = at + text.size();
  while (true) {
    Index extent = 0;
    const auto [next, status] = std::from_chars(at, end, extent);
    if (status != std::errc{} || extent < 1 || extent > kLongest) return std::nullopt;
    extents.push_back(extent);
    if (next == end) return extents;
    if (*next != 'x') return std::nullopt;
    at = next + 1;
  }
}

}  // namespace

bool is_picture(const std::vector<Index>& sample_shape) {
  if (sample_shape.size() == 3) return sample_shape[2] == 1 || sample_shape[2] == 3;
  return sample_shape.size() == 2;
}

std::vector<Index> parse_extents(const std::string& option, const std::string& text) {
  const auto extents = split(text);
  if (extents && is_picture(*extents)) return *extents;
  throw option_error(option, text,
                     fmt::format("HEIGHTxWIDTH, such as 8x8, or HEIGHTxWIDTHx3, each from 1 to {}", kLongest));
}

RawFormat parse_raw_format(const std::string& option, const std::string& text) {
  const std::size_t cross = text.find('x');
  const auto type = parse_element_type(text.substr(0, cross));
  Index dimension = 0;
  const char* end = text.data() + text.size();
  const char* number = cross == std::string::npos ? end : text.data() + cross + 1;
  const auto [rest, status] = std::from_chars(number, end, dimension);
  if (type && status == std::errc{} && rest == end && dimension >= 1) return {.type = *type, .dimension = dimension};
  throw option_error(option, text, "TYPExFEATURES, such as f32x100; types are u8 to u64, i8 to i64, f16, f32 and f64");
}

PatchShape parse_patch_shape(const std::string& option, const std::string& text) {
  const auto extents = split(text);
  if (extents && extents->size() == 2) return {.height = (*extents)[0], .width = (*extents)[1]};
  throw option_error(option, text, fmt::format("HEIGHTxWIDTH, such as 8x8, each from 1 to {}", kLongest));
}

}  // namespace orthodict
