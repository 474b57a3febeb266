// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orthodict/types.h"

namespace orthodict::text {

// A value from a file, for use in a message: quoted, truncated to 40 bytes, with '?' for anything but printable ASCII.
[[nodiscard]] std::string shown(std::string_view value);

// "a, b, c". Lists at most 20 names and the total number.
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

// "3×4×5"
[[nodiscard]] std::string shape_text(std::span<const Index> shape);

// "800 bytes", "1.5 GiB"
[[nodiscard]] std::string bytes_text(std::size_t bytes);

// The operating system's message for an errno value.
[[nodiscard]] std::string system_message(int error);

}  // namespace orthodict::text
