// SPDX-License-Identifier: Apache-2.0
#include "text/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace orthodict::text {

std::string shown(std::string_view value) {
  constexpr std::size_t kLongest = 40;
  std::string text(value.substr(0, kLongest));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return "\"" + text + (value.size() > kLongest ? "…\"" : "\"");
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kMost) text += fmt::format(", … ({} in all)", names.size());
  return text;
}

std::string shape_text(std::span<const Index> shape) {
  std::string text;
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? "×" : "") + std::to_string(shape[i]);
  return text;
}

std::string bytes_text(std::size_t bytes) {
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  if (static_cast<double>(bytes) < kGiB) return fmt::format("{} bytes", bytes);
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / kGiB);
}

std::string system_message(int error) { return std::generic_category().message(error); }

}  // namespace orthodict::text
