// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include "learning.h"

namespace orthodict::experiments {

Experiment learning_one_run() {
  return {.name = "learning-one-run",
          .title = "one run of Algorithm 2: what is maximised, and what is wanted",
          .source = "Figure 5",
          .cells = [](const Scale& scale) {
            std::vector<Cell> cells;
            for (const auto& [n, p] : kSettings) {
              cells.push_back({"runs",
                               {{"n", n}, {"p", p}, {"theta", kTheta}},
                               pass_cost(n, p, 30),
                               [n = n, p = p, seed = scale.seed](const Context& context) {
                                 return watch_learning(n, p, seed, context);
                               }});
            }
            return cells;
          }};
}

}  // namespace orthodict::experiments
