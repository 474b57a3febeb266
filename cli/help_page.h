// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "command_line.h"

namespace orthodict::cli {

// The text of --help: usage, options under the headings of their groups, notes and examples, in lines of at most 100
// columns. `invocation` is how the command is called: "orthodict fit".
[[nodiscard]] std::string help_page(const CommandText& command, const std::string& invocation);

}  // namespace orthodict::cli
