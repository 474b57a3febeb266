// SPDX-License-Identifier: Apache-2.0
// Fuzz targets: every parser of untrusted bytes, and the processing of its results.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orthodict::fuzz {

[[nodiscard]] std::vector<std::string> targets();

// Feeds the bytes to the target of that name. An Error is a valid rejection and is caught; other exceptions and crashes
// are findings.
void run(std::string_view target, std::span<const std::uint8_t> data);

}  // namespace orthodict::fuzz
