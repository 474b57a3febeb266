// SPDX-License-Identifier: Apache-2.0
// What can be fed bytes that nobody checked before: every parser, and what is done with what it returns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orthodict::fuzz {

[[nodiscard]] std::vector<std::string> targets();

// Feeds the bytes to the target of that name. They may be refused, which is an Error and returns; anything else that
// is thrown isn't caught here, and neither is a crash.
void run(std::string_view target, std::span<const std::uint8_t> data);

}  // namespace orthodict::fuzz
