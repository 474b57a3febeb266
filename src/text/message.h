// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orthodict/types.h"

namespace orthodict::text {

// A value from a file, fit for a message: in quotes, cut to 40 bytes, what isn't printable ASCII replaced by '?'.
[[nodiscard]] std::string shown(std::string_view value);

// "a, b, c"; at most 20 names, the rest counted.
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

// "3×4×5"
[[nodiscard]] std::string shape_text(std::span<const Index> shape);

// "800 bytes", "1.5 GiB"
[[nodiscard]] std::string bytes_text(std::size_t bytes);

// What the operating system says about an errno.
[[nodiscard]] std::string system_message(int error);

}  // namespace orthodict::text
