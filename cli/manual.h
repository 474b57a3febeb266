// SPDX-License-Identifier: Apache-2.0
// Manual pages, in the language of man(7), with the texts of --help.
#pragma once

#include <string>

#include "command_line.h"

namespace orthodict::cli {

[[nodiscard]] std::string manual_page(const CommandText& program);
[[nodiscard]] std::string manual_page(const CommandText& command, const CommandText& program);

}  // namespace orthodict::cli
