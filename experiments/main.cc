// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "experiment.h"
#include "interrupt.h"
#include "orthodict/error.h"
#include "orthodict/version.h"
#include "runner.h"

namespace orthodict::experiments {
namespace {

struct List {
  bool json = false;

  int run() const {
    cli::Json rows = cli::Json::array();
    for (const Experiment& e : all_experiments()) {
      if (json) {
        rows.push_back({{"name", e.name}, {"title", e.title}, {"source", e.source}});
      } else {
        fmt::print("{:<24} {:<22} {}\n", e.name, e.source, e.title);
      }
    }
    if (json) cli::print_json(rows);
    return cli::kDone;
  }
};

struct Run {
  std::vector<std::string> names;
  std::string output;
  Scale scale;
  std::optional<int> threads;
  bool full = false;
  bool tiny = false;
  bool restart = false;

  int run() {
    if (names == std::vector<std::string>{"all"}) {
      names.clear();
      for (const Experiment& e : all_experiments()) names.push_back(e.name);
    }
    for (const std::string& name : names) static_cast<void>(find_experiment(name));
    if (threads && *threads < 1) throw option_error("--threads", fmt::format("{}", *threads), "an integer ≥ 1");
    if (output.empty()) throw option_error("--output", "", "the name of a folder");
    scale.size = full ? Size::kFull : tiny ? Size::kTiny : Size::kPlain;
    cli::stop_on_interrupt();
    for (const std::string& name : names) {
      const auto start = std::chrono::steady_clock::now();
      const std::filesystem::path folder = std::filesystem::path(output) / name;
      run_experiment(find_experiment(name), scale, folder,
                     {.threads = threads, .restart = restart, .stop = cli::stop_token()});
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      fmt::print("{:<24} {:7.1f} s  {}\n", name, seconds.count(), folder.string());
      std::fflush(stdout);
    }
    return cli::kDone;
  }
};

int main(int argc, char** argv) {
  cli::end_on_interrupt();
  cli::App app("orthodict-experiment", ORTHODICT_VERSION,
               "Runs the experiments of the paper, and those that support the other claims of orthodict.");
  app.footer(
      "Results are CSV tables and one results.json per experiment; experiments/draw.py draws them. make reproduce\n"
      "runs and draws everything. Exit codes: 0 done, 2 bad usage or option, 3 bad data or file, 130 interrupted.");

  cli::Run work;
  const auto list = std::make_shared<List>();
  cli::App& list_app = *app.add_subcommand("list", "List the experiments");
  cli::add_json_flag(list_app, &list->json);
  list_app.callback([&work, list] { work = [list] { return list->run(); }; });

  const auto run = std::make_shared<Run>();
  cli::App& run_app = *app.add_subcommand("run", "Run experiments; an interrupted one continues where it stopped");
  run_app.add_option("NAME", run->names, "Experiments to run, or all")->required();
  run_app.add_option("--output", run->output, "Folder of the results, with a subfolder per experiment")->required();
  run_app.add_flag("--full", run->full, "Sizes and numbers of trials as in the paper (days for all)");
  run_app.add_flag("--tiny", run->tiny, "Smallest sizes, only to test that everything runs (seconds for all)")
      ->excludes("--full");
  cli::add_integer_option(run_app, "--threads", &run->threads,
                          "Threads to use (default: all cores); results other than times don't depend on it");
  cli::add_integer_option(run_app, "--seed", &run->scale.seed, "64-bit seed of the random numbers");
  run_app
      .add_option("--data", run->scale.data,
                  "Folder of the data sets from scripts/get-data, which is data/ in the repository")
      ->capture_default_str();
  run_app.add_flag("--restart", run->restart, "Discard earlier results");
  run_app.callback([&work, run] { work = [run] { return run->run(); }; });
  return cli::parse_and_run(app, argc, argv, &work);
}

}  // namespace
}  // namespace orthodict::experiments

int main(int argc, char** argv) { return orthodict::experiments::main(argc, argv); }
