// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

namespace orthodict::text {

// Whether a path ends in `suffix`, ignoring case. `suffix` must be in lower case.
inline bool has_suffix(std::string_view path, std::string_view suffix) {
  const auto same = [](char s, char p) { return p == s || (p >= 'A' && p <= 'Z' && p - 'A' + 'a' == s); };
  return path.size() >= suffix.size() && std::equal(suffix.rbegin(), suffix.rend(), path.rbegin(), same);
}

}  // namespace orthodict::text
