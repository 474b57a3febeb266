// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include "learning.h"

namespace orthodict::experiments {
namespace {

std::vector<Row> first_and_last(const std::vector<Row>& run) {
  if (run.empty()) return {};  // stopped
  const Row& first = run.front();
  const Row& last = run.back();
  return {{{"first_truth", first["truth"]},
           {"first_objective", first["objective"]},
           {"last_truth", last["truth"]},
           {"last_objective", last["objective"]},
           {"iterations", last["iteration"]}}};
}

}  // namespace

Experiment learning_trials() {
  return {.name = "learning-trials",
          .title = "Algorithm 2 on 100 data sets: first and last values",
          .source = "Figure 6",
          .cells = [](const Scale& scale) {
            std::vector<Cell> cells;
            for (const auto& [n, p] : kSettings) {
              for (int trial = 0; trial < scale.pick(2, 100, 100); ++trial) {
                cells.push_back(
                    {"trials",
                     {{"n", n}, {"p", p}, {"theta", kTheta}, {"trial", trial}},
                     pass_cost(n, p, 30),
                     [n = n, p = p, seed = scale.seed + static_cast<std::uint64_t>(trial)](const Context& context) {
                       return first_and_last(watch_learning(n, p, seed, context));
                     }});
              }
            }
            return cells;
          }};
}

}  // namespace orthodict::experiments
