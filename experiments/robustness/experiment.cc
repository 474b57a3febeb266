// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include "problem.h"

namespace orthodict::experiments {
namespace {

SyntheticOptions spoilt(Index n, const std::string& kind, double level, std::uint64_t seed) {
  SyntheticOptions options{.dimension = n, .samples = 400 * n, .theta = 0.3, .seed = seed};
  (kind == "noise" ? options.noise : kind == "outliers" ? options.outliers : options.corruption) = level;
  return options;
}

std::vector<Row> run(Index n, const std::string& kind, double level, std::uint64_t seed, const Context& context) {
  const Problem problem(spoilt(n, kind, level, seed));
  std::vector<Row> rows;
  for (const std::string method : {"auto", "msp", "msp:l3"}) {
    if (context.stop.stop_requested()) break;
    Options options = options_for(context, seed);
    if (method != "auto") {  // ℓ4 is slow with outliers
      options.max_iterations = 1500;
      options.precision = Precision::kMixed;
    }
    Row row = {{"method", method}};
    row.update(learn(problem, method, options));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Cell> cells(const Scale& scale) {
  const auto levels = scale.pick<std::vector<double>>({0, 0.2, 0.4}, {0, 0.1, 0.2, 0.3, 0.4},
                                                      {0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4});
  const int trials = scale.pick(1, 1, 10);
  const Index n = scale.pick(10, 100, 100);
  std::vector<Cell> cells;
  for (const std::string kind : {"noise", "outliers", "corruption"}) {
    for (const double level : levels) {
      for (int trial = 0; trial < trials; ++trial) {
        cells.push_back({"errors",
                         {{"kind", kind}, {"level", level}, {"trial", trial}},
                         1 + 10 * level,
                         [=, seed = scale.seed + static_cast<std::uint64_t>(trial)](const Context& context) {
                           return run(n, kind, level, seed, context);
                         }});
      }
    }
  }
  return cells;
}

}  // namespace

Experiment robustness() {
  return {.name = "robustness",
          .title = "noise, outliers and corrupted entries, n = 100, p = 40000",
          .source = "beyond the paper",
          .cells = cells};
}

}  // namespace orthodict::experiments
