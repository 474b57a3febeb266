// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include "problem.h"

namespace orthodict::experiments {
namespace {

// ‖A_t‖₄⁴/n for t = 0, 1, …
std::vector<Row> one_run(Index n, const Context& context, std::uint64_t seed) {
  const FitResult result = fit_on_group(Matrix<double>::Identity(n, n), msp_options(context, seed));
  std::vector<Row> rows;
  for (const IterationRecord& r : result.summary.history) {
    rows.push_back({{"iteration", r.iteration}, {"value", r.objective / static_cast<double>(n)}});
  }
  return rows;
}

}  // namespace

Experiment orthogonal_one_run() {
  return {.name = "orthogonal-one-run",
          .title = "one run of Algorithm 1: ||A||_4^4/n per iteration",
          .source = "Figure 3",
          .cells = [](const Scale& scale) {
            std::vector<Cell> cells;
            for (const Index n : {50, 100}) {
              cells.push_back({"runs", {{"n", n}}, 1, [=, seed = scale.seed](const Context& context) {
                                 return one_run(n, context, seed);
                               }});
            }
            return cells;
          }};
}

}  // namespace orthodict::experiments
