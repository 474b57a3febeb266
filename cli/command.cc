// SPDX-License-Identifier: Apache-2.0
#include "command.h"

#include <fmt/format.h>

#include "orthodict/error.h"

namespace orthodict::cli {

void add_json_flag(CLI::App& app, bool* json) {
  app.add_flag("--json", *json, "Print one JSON object on standard output");
}

void add_columns_flag(CLI::App& app, bool* columns) {
  app.add_flag("--columns", *columns, "The samples are the columns of the file, not its rows");
}

void require_stdout_free(bool json, const std::string& option, const std::string& path) {
  if (json && path == "-") throw option_error(option, "-", "a file when --json is given: both want standard output");
}

void print_json(const Json& object) {
  fmt::print("{}\n", object.dump(2));
  std::fflush(stdout);
}

}  // namespace orthodict::cli
