// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arguments.h"
#include "baselines/methods.h"
#include "command_line.h"
#include "exit_code.h"
#include "orthodict/atoms.h"
#include "orthodict/io.h"
#include "orthodict/names.h"
#include "orthodict/types.h"

namespace orthodict::cli {

using Json = nlohmann::ordered_json;

// Each add_…() registers the options of a subcommand with `app`. When that is the given subcommand, parsing sets `*run`
// to a function that runs it and returns its exit code.
using Run = std::function<int()>;
void add_synth(App& app, Run* run);
void add_fit(App& app, Run* run);
void add_scan(App& app, Run* run);
void add_compare(App& app, Run* run);
void add_encode(App& app, Run* run);
void add_decode(App& app, Run* run);
void add_eval(App& app, Run* run);
void add_info(App& app, Run* run);
void add_atoms(App& app, Run* run);
void add_denoise(App& app, Run* run);
void add_report(App& app, Run* run);
// Writes manual pages and completions of `program`. For the build; hidden from --help.
void add_document(App& app, const App& program, Run* run);

// Parses the command line and calls `*run`. Returns the exit code.
int parse_and_run(App& app, int argc, char** argv, const Run* run);

// Headings in --help; those of the library's options are in solver/option_fields.h.
inline constexpr const char* kSamplesGroup = "Samples";
inline constexpr const char* kImagesGroup = "Images";
inline constexpr const char* kBaselinesGroup = "Baselines";
inline constexpr const char* kOutputGroup = "Output";

// Options that mean the same in every subcommand.
void add_json_flag(App& app, bool* json);
void add_columns_flag(App& app, bool* columns);
// Parameters of baselines only.
void add_baseline_options(App& app, baselines::Parameters* parameters);
// "\n  auto: explore, refine, finish …", a line for each method and each baseline.
std::string describe_methods();
// "What:\n  none: use the samples as they are …", a line for each value of an enum.
template <typename Enum>
std::string describe_values(const std::string& what) {
  std::string text = what;
  for (const Named<Enum>& entry : names_of<Enum>()) text += fmt::format("\n  {}: {}", entry.name, entry.help);
  return text;
}

inline Layout layout_of(bool columns) { return columns ? Layout::kColumns : Layout::kRows; }

// `Names` is std::string, or a vector of these for several files.
template <typename Names>
Option* add_file_option(App& app, const std::string& option, Names* names, const std::string& help) {
  return app.add_option(option, *names, help)->value_name("FILE")->check([](const std::string& name) {
    return std::string(name.empty() ? "the name of a file is missing" : "");
  });
}

template <typename Integer>
Option* add_integer_option(App& app, const std::string& option, Integer* value, const std::string& help) {
  return app.add_option(option, *value, help)->capture_default_str();
}
template <typename Integer>
Option* add_integer_option(App& app, const std::string& option, std::optional<Integer>* value,
                           const std::string& help) {
  return app.add_option(option, *value, help);
}

// --atoms: an integer is a number of atoms; a number with a point or an exponent is a share of the variance.
Option* add_number_of_atoms(App& app, std::optional<Atoms>* atoms, const std::string& help);

// Pairs of an option and the path it writes to; an empty path is ignored. Throws Error if a path can't be written, if
// it is also an input or another output, or if it is standard output and --json is given.
using Outputs = std::vector<std::pair<std::string, std::string>>;
void check_outputs(const Outputs& outputs, const std::vector<std::string>& inputs, bool json);
// Throws Error unless the name is empty, "-" or that of an .npz file.
void require_model_name(const std::string& option, const std::string& path);

// Calls work(first, count) for successive blocks of `block` of the `size` rows and shows progress. If `size` is 0,
// calls work(0, 0) once, so that it can check shapes. Throws Error (Fault::kStopped) if the user interrupts.
void for_each_block(Index size, const std::string& what, const std::function<void(Index first, Index count)>& work,
                    Index block = 1024);

void print_json(const Json& object);

}  // namespace orthodict::cli
