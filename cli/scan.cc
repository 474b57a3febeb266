// SPDX-License-Identifier: Apache-2.0
#include "orthodict/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "interrupt.h"
#include "learning_options.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "progress.h"
#include "scan_picture.h"
#include "solver/option_fields.h"

namespace orthodict::cli {
namespace {

constexpr const char* kLegal = "FIRST:LAST:STEP, as 20:200:20, or numbers >= 1 separated by commas, at most 1000";
constexpr std::size_t kMostNumbers = 1000;
constexpr const char* kNumbersGroup = "Numbers of atoms";

std::vector<Index> split_numbers(const std::string& text, char separator) {
  std::vector<Index> numbers;
  std::string_view rest = text;
  for (;;) {
    const std::string_view part = rest.substr(0, rest.find(separator));
    Index number = 0;
    const auto [end, fault] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (fault != std::errc() || end != part.data() + part.size() || number < 1 || numbers.size() == kMostNumbers) {
      throw option_error("--atoms", text, kLegal);
    }
    numbers.push_back(number);
    if (part.size() == rest.size()) return numbers;
    rest.remove_prefix(part.size() + 1);
  }
}

// "20:200:20", or "20,40,100".
std::vector<Index> parse_numbers(const std::string& text) {
  if (text.find(':') == std::string::npos) {
    std::vector<Index> numbers = split_numbers(text, ',');
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
  }
  const std::vector<Index> range = split_numbers(text, ':');
  if (range.size() != 3 || range[1] < range[0] ||
      (range[1] - range[0]) / range[2] >= static_cast<Index>(kMostNumbers)) {
    throw option_error("--atoms", text, kLegal);
  }
  std::vector<Index> numbers;
  for (Index i = 0; i <= (range[1] - range[0]) / range[2]; ++i) numbers.push_back(range[0] + i * range[2]);
  return numbers;
}

template <typename Number>
Json number_or_null(const std::optional<Number>& number) {
  return number ? Json(*number) : Json(nullptr);
}

// The beginning of a line that goes on with the reason.
std::string number_or_nothing(const std::optional<Index>& atoms) {
  return atoms ? fmt::format("{} atoms, ", *atoms) : "no number, because ";
}

struct ScanCommand {
  ScanOptions options;
  std::string input;
  std::string atoms;
  std::string picture;
  bool columns = false;
  bool json = false;

  int run() {
    options.atoms = parse_numbers(atoms);
    options.validate();
    if (!picture.empty() && !picture.ends_with(".svg")) throw option_error("--picture", picture, "an .svg file");
    check_outputs({{"--picture", picture}}, {input}, json);
    const auto samples = read_samples_at(input, layout_of(columns));
    stop_on_interrupt();
    options.fit.stop = stop_token();
    Scan scan;
    {
      Progress progress;
      options.progress = [&](const ScannedNumber& number) {
        progress.show(fmt::format("{} atoms: {} stable, {:.1f} s", number.atoms, number.stable, number.seconds));
      };
      scan = orthodict::scan(*samples, options);
    }
    if (!picture.empty()) write_file(output_at(picture), scan_picture(scan));
    json ? print_json(to_json(scan)) : print_table(scan);
    return scan.recommended ? kDone : kNotConverged;
  }

  [[nodiscard]] Json to_json(const Scan& scan) const {
    Json numbers = Json::array();
    for (const ScannedNumber& n : scan.numbers) {
      numbers.push_back({{"atoms", n.atoms},
                         {"stable", n.stable},
                         {"robust", n.robust},
                         {"singles", n.singles},
                         {"conserved", n.conserved},
                         {"held_out", number_or_null(n.held_out)},
                         {"seconds", n.seconds}});
    }
    Json object = {{"recommended", number_or_null(scan.recommended)},
                   {"reason", scan.reason},
                   {"optica", number_or_null(scan.optica)},
                   {"optica_reason", scan.optica_reason},
                   {"runs", options.fit.runs},
                   {"seed", options.fit.seed},
                   {"numbers", numbers}};
    if (!picture.empty()) object["picture"] = picture;
    return object;
  }

  static void print_table(const Scan& scan) {
    fmt::print("{:>6} {:>7} {:>7} {:>8} {:>10} {:>12} {:>8}\n", "atoms", "stable", "robust", "singles", "conserved",
               "held-out", "seconds");
    for (const ScannedNumber& n : scan.numbers) {
      fmt::print("{:>6} {:>7} {:>7} {:>8} {:>10} {:>12} {:>8.1f}\n", n.atoms, n.stable, n.robust, n.singles,
                 n.conserved, n.held_out ? fmt::format("{:.5g}", *n.held_out) : "-", n.seconds);
    }
    fmt::print("recommended: {}{}\n", number_or_nothing(scan.recommended), scan.reason);
    fmt::print("by OptICA's rule: {}{}\n", number_or_nothing(scan.optica), scan.optica_reason);
  }
};

}  // namespace

void add_scan(App& app, Run* run) {
  const auto command = std::make_shared<ScanCommand>();
  ScanCommand& c = *command;
  c.options.fit.runs = 10;
  app.group_order({kSamplesGroup, kNumbersGroup, std::string(solver::kConsensusGroup),
                   std::string(solver::kLearningGroup), std::string(solver::kMspGroup),
                   std::string(solver::kStoppingGroup), std::string(solver::kComputationGroup), kOutputGroup});
  add_file_option(app, "samples", &c.input, "Samples, in any format that orthodict fit reads")->required();
  app.begin_group(kNumbersGroup);
  app.add_option("--atoms", c.atoms, "Numbers of atoms: FIRST:LAST:STEP, or a list separated by commas")->required();
  add_integer_option(app, "--refinements", &c.options.refinements,
                     "Further numbers to try, near the largest number of stable atoms");
  add_learning_options(
      app, &c.options.fit,
      {"runs", "resample", "stretch", "whiten", "center", "normalize", "max_iterations", "seed", "threads"});
  app.begin_group(kOutputGroup);
  add_file_option(app, "--picture", &c.picture, "Draw the table to this file (.svg)");
  add_columns_flag(app, &c.columns);
  add_json_flag(app, &c.json);
  app.footer(
      "Columns of the table:\n"
      "  stable: atoms that are found again from other starts and in parts of the samples\n"
      "  robust: atoms that are found again from other starts\n"
      "  singles: robust atoms that a single sample determines\n"
      "  conserved: robust atoms that are also found with the largest number of atoms\n"
      "  held-out: mean log-likelihood of samples that weren't used, with that many principal components");
  app.examples({"orthodict scan y.npy --atoms 10:50:10 --picture scan.svg"});
  app.callback([command, run] { *run = [command] { return command->run(); }; });
}

}  // namespace orthodict::cli
