// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace orthodict::data {

// Bytes that this process may use: what the machine has, less if a control group or `ulimit -v` says so. Asked once.
[[nodiscard]] std::size_t memory_limit();

// More than half of it: an array of that size stays in a file, if it can, and is read as it is used.
[[nodiscard]] inline bool is_large(std::size_t bytes) { return bytes > memory_limit() / 2; }

}  // namespace orthodict::data
