// SPDX-License-Identifier: Apache-2.0
#include "command.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "interrupt.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "progress.h"

namespace orthodict::cli {

void add_json_flag(CLI::App& app, bool* json) {
  app.add_flag("--json", *json, "Print one JSON object on standard output");
}

void add_columns_flag(CLI::App& app, bool* columns) {
  app.add_flag("--columns", *columns, "The samples are the columns of the file, not its rows");
}

CLI::Option* add_output_option(CLI::App& app, const std::string& option, std::string* path, const std::string& help) {
  const auto check = [](const std::string& text) {
    return std::string(text.empty() ? "must be a file name or -" : "");
  };
  return app.add_option(option, *path, help)->check(CLI::Validator(check, ""));
}

void check_outputs(const Outputs& outputs, bool json) {
  std::set<std::string> taken;
  for (const auto& [option, path] : outputs) {
    if (path.empty()) continue;
    if (json && path == "-") throw option_error(option, "-", "a file when --json is given: both want standard output");
    if (!taken.insert(path).second) throw option_error(option, path, "a file of its own: another output goes there");
    check_writable(path);
  }
}

void for_each_block(Index size, const std::string& what, const std::function<void(Index first, Index count)>& work) {
  constexpr Index kBlock = 1024;
  Progress progress;
  Index first = 0;
  do {
    if (interrupted()) throw Error(Fault::kStopped, "interrupted");
    work(first, std::min(kBlock, size - first));
    progress.show_share(what, first, size);
    first += kBlock;
  } while (first < size);
}

void print_json(const Json& object) { fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace)); }

}  // namespace orthodict::cli
