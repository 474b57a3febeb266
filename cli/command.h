// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace orthodict::cli {

using Json = nlohmann::ordered_json;

// What the process answers to the shell.
enum ExitCode { kDone = 0, kBadUsage = 2, kBadData = 3, kNotConverged = 4, kInterrupted = 130 };

// A subcommand registers its options with `app` and leaves what to do in `*run`, which returns an exit code.
using Run = std::function<int()>;
void add_synth(CLI::App& app, Run* run);
void add_fit(CLI::App& app, Run* run);
void add_encode(CLI::App& app, Run* run);
void add_decode(CLI::App& app, Run* run);
void add_eval(CLI::App& app, Run* run);
void add_info(CLI::App& app, Run* run);

// Options that mean the same in every subcommand.
void add_json_flag(CLI::App& app, bool* json);
void add_columns_flag(CLI::App& app, bool* columns);

// --json promises one object on standard output: nothing else may go there.
void require_stdout_free(bool json, const std::string& option, const std::string& path);

void print_json(const Json& object);

}  // namespace orthodict::cli
