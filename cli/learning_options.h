// SPDX-License-Identifier: Apache-2.0
// Generates command-line options from the table of the library's options: --max-iterations sets max_iterations.
#pragma once

#include <string_view>
#include <vector>

#include "command_line.h"
#include "orthodict/fit.h"

namespace orthodict::cli {

// Adds every option that has a help text in the table.
void add_learning_options(App& app, Options* options);
// Adds the options of these names.
void add_learning_options(App& app, Options* options, const std::vector<std::string_view>& names);

}  // namespace orthodict::cli
