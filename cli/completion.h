// SPDX-License-Identifier: Apache-2.0
// Scripts that complete a command line in a shell: commands, options, and the values of options that have few.
#pragma once

#include <string>

#include "command_line.h"

namespace orthodict::cli {

[[nodiscard]] std::string bash_completion(const CommandText& program);
[[nodiscard]] std::string zsh_completion(const CommandText& program);
[[nodiscard]] std::string fish_completion(const CommandText& program);

}  // namespace orthodict::cli
