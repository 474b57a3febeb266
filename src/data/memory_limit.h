// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace orthodict::data {

// Bytes that this process may use: what the machine has, less if a control group or `ulimit -v` says so. Asked once.
[[nodiscard]] std::size_t memory_limit();

}  // namespace orthodict::data
