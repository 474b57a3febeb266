// SPDX-License-Identifier: Apache-2.0
// Random fits, good and bad, one after the other in one process and then several at once: see docs/reliability.md.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "course.h"

namespace orthodict::soak {
namespace {

namespace fs = std::filesystem;

fs::path make_folder() {
  std::string name = (fs::temp_directory_path() / "orthodict-soak-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
  return name;
}

// A single case, for debugging.
int run_case(std::uint64_t seed, std::uint64_t number, const fs::path& folder) {
  const Plan plan = make_plan(seed, number);
  fmt::print("{}\n", plan.describe());
  bool good = true;
  for (int threads = 1; threads <= 3; ++threads) {
    const Outcome outcome = perform(plan, threads, folder / "case");
    fmt::print("{} threads: {} {:016x} {}{}\n", threads, outcome.kind, outcome.hash, outcome.message,
               outcome.failure.empty() ? "" : "\n  " + outcome.failure);
    good = good && outcome.failure.empty();
  }
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int soak(const Course::Settings& settings) {
  Course alone({settings.seed, settings.fits, 1, settings.folder});
  alone.run();
  alone.judge_resources();
  alone.print();
  std::size_t failures = alone.failures();
  std::size_t fits = alone.jobs();
  if (settings.callers > 1) {
    Course together(settings);
    together.run();
    together.compare_with(alone);
    together.judge_resources();
    together.print();
    failures += together.failures();
    fits += together.jobs();
  }
  fmt::print("soak: {} fits, {} failures{}\n", fits, failures,
             alone.judges_growth() ? "" : "; too few, or too instrumented, to judge the resident size");
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char** argv) {
  CLI::App app{"Random fits, good and bad, in one process: its size stays, and results don't depend on threads."};
  Course::Settings settings{.seed = 1, .fits = 1000, .callers = 8, .folder = {}};
  std::optional<std::uint64_t> number;
  app.add_option("--fits", settings.fits, "How many")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--threads", settings.callers, "How many at once, after one at a time")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  app.add_option("--seed", settings.seed, "What they are drawn from")->capture_default_str();
  app.add_option("--case", number, "Only this one, with 1 to 3 threads");
  CLI11_PARSE(app, argc, argv);
  keep_no_free_memory();
  settings.folder = make_folder();
  const int code = number ? run_case(settings.seed, *number, settings.folder) : soak(settings);
  fs::remove_all(settings.folder);
  return code;
}

}  // namespace
}  // namespace orthodict::soak

int main(int argc, char** argv) { return orthodict::soak::main(argc, argv); }
