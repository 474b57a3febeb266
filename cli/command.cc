// SPDX-License-Identifier: Apache-2.0
#include "command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "interrupt.h"
#include "orthodict/error.h"
#include "orthodict/image.h"
#include "orthodict/io.h"
#include "progress.h"

namespace orthodict::cli {
namespace {

// Whether an output is the same file as an input, which may be "-" or have ":NAME" of an array in the file appended.
bool is_same_file(const std::string& path, const std::string& input) {
  std::error_code none_such;
  return std::filesystem::equivalent(path, input == "-" ? "/dev/stdin" : input, none_such) ||
         std::filesystem::equivalent(path, input.substr(0, input.rfind(':')), none_such);
}

// Whether two outputs, which needn't exist yet, are the same file.
bool is_same_output(const std::string& one, const std::string& other) {
  namespace fs = std::filesystem;
  if (one == "-" || other == "-") return one == other;
  return is_same_file(one, other) || fs::absolute(one).lexically_normal() == fs::absolute(other).lexically_normal();
}

}  // namespace

int parse_and_run(App& app, int argc, char** argv, const Run* run) {
  if (const auto code = app.parse(argc, argv)) return *code;
  return run_with_exit_code(app.name(), *run);
}

void add_json_flag(App& app, bool* json) { app.add_flag("--json", *json, "Print one JSON object on standard output"); }

void add_columns_flag(App& app, bool* columns) {
  app.add_flag("--columns", *columns, "The samples are the columns of the file, not its rows")->group(kSamplesGroup);
}

void add_baseline_options(App& app, baselines::Parameters* parameters) {
  add_integer_option(app, "--sparsity", &parameters->ksvd.sparsity,
                     "ksvd: number of nonzeros of a code (default: chosen by cost, from an eighth of the atoms on)")
      ->group(kBaselinesGroup);
  app.add_option(
         "--penalty", parameters->online.penalty,
         "online: final weight of the l1 norm, in units of the samples' rms (default: it falls to the tolerance "
         "or the noise level)")
      ->group(kBaselinesGroup);
}

Option* add_number_of_atoms(App& app, std::optional<Atoms>* atoms, const std::string& help) {
  const auto parse = [atoms](const std::string& text) {
    const auto is_whole = [&](const std::from_chars_result& result) {
      return result.ec == std::errc{} && result.ptr == text.data() + text.size();
    };
    const char* end = text.data() + text.size();
    Index count = 0;
    double share = 0;
    if (is_whole(std::from_chars(text.data(), end, count))) {
      *atoms = count;
    } else if (is_whole(std::from_chars(text.data(), end, share))) {
      *atoms = share;
    } else {
      throw Error(Fault::kOption,
                  "--atoms: " + text + " must be an integer >= 1, or a share of the variance between 0 and 1");
    }
  };
  return app.add_option_function("--atoms", parse, help)->value_name("NUMBER");
}

std::string describe_methods() {
  std::string lines;
  for (const baselines::AnyMethod& method : baselines::methods()) {
    lines += fmt::format("\n  {}: {}", method.name, method.help);
    if (method.of_library == Method::kMsp) lines += "\n  msp:STRETCH: msp with that stretch, as in msp:l3";
  }
  return lines;
}

void check_outputs(const Outputs& outputs, const std::vector<std::string>& inputs, bool json) {
  std::vector<std::string> taken;
  for (const auto& output : outputs) {
    const std::string& option = output.first;
    const std::string& path = output.second;
    if (path.empty()) continue;
    const auto is_path = [&path](const std::string& other) { return is_same_output(path, other); };
    if (json && path == "-") throw option_error(option, "-", "a file when --json is given: both want standard output");
    if (std::any_of(taken.begin(), taken.end(), is_path)) {
      throw option_error(option, path, "a file of its own: another output goes there");
    }
    taken.push_back(path);
    if (std::any_of(inputs.begin(), inputs.end(), [&path](const auto& input) { return is_same_file(path, input); })) {
      throw option_error(option, path, "another file than what is read");
    }
    if (!is_standard_stream(path)) check_writable(path);
  }
}

void require_model_name(const std::string& option, const std::string& path) {
  if (!path.empty() && path != "-" && !path.ends_with(".npz")) throw option_error(option, path, "an .npz file or -");
}

void for_each_block(Index size, const std::string& what, const std::function<void(Index first, Index count)>& work,
                    Index block) {
  Progress progress;
  Index first = 0;
  do {
    if (interrupted()) throw Error(Fault::kStopped, "interrupted");
    work(first, std::min(block, size - first));
    progress.show_share(what, first, size);
    first += block;
  } while (first < size);
}

void print_json(const Json& object) { fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace)); }

}  // namespace orthodict::cli
