// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include "problem.h"

namespace orthodict::experiments {
namespace {

std::vector<Row> trial_of(Index n, const Context& context, std::uint64_t seed) {
  const FitResult result = fit_on_group(Matrix<double>::Identity(n, n), msp_options(context, seed));
  const auto& history = result.summary.history;
  if (history.empty()) return {};  // stopped
  return {{{"first", history.front().objective / static_cast<double>(n)},
           {"last", history.back().objective / static_cast<double>(n)},
           {"iterations", result.summary.iterations}}};
}

}  // namespace

Experiment orthogonal_trials() {
  return {.name = "orthogonal-trials",
          .title = "Algorithm 1 from 100 random starts",
          .source = "Figure 4",
          .cells = [](const Scale& scale) {
            std::vector<Cell> cells;
            for (const Index n : {50, 100}) {
              for (int trial = 0; trial < scale.pick(3, 100, 100); ++trial) {
                cells.push_back({"trials",
                                 {{"n", n}, {"trial", trial}},
                                 static_cast<double>(n * n * n),
                                 [=, seed = scale.seed + static_cast<std::uint64_t>(trial)](const Context& context) {
                                   return trial_of(n, context, seed);
                                 }});
              }
            }
            return cells;
          }};
}

}  // namespace orthodict::experiments
