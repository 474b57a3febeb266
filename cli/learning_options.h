// SPDX-License-Identifier: Apache-2.0
// Options of the library as options of a command, made from their table: --max-iterations sets max_iterations.
#pragma once

#include <string_view>
#include <vector>

#include "command_line.h"
#include "orthodict/fit.h"

namespace orthodict::cli {

// All that the table has a help for.
void add_learning_options(App& app, Options* options);
// Those of that name.
void add_learning_options(App& app, Options* options, const std::vector<std::string_view>& names);

}  // namespace orthodict::cli
