// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include "baselines/methods.h"
#include "problem.h"

namespace orthodict::experiments {
namespace {

// The error after each iteration, and the number of passes over the data so far. An iteration on a part of the samples
// counts as that part of a pass.
std::vector<Row> watch(Index n, const std::string& method, const Scale& scale, const Context& context) {
  const Problem problem({.dimension = n, .samples = 400 * n, .theta = 0.3, .seed = scale.seed});
  Options options = options_for(context, scale.seed);
  options.time_limit = scale.pick<double>(5, 20, 600);
  std::vector<Row> rows;
  double passes = 0;
  options.callback = [&](const Iterate& iterate) {
    const IterationRecord& r = iterate.record();
    passes += static_cast<double>(r.samples) / static_cast<double>(problem.samples().size());
    rows.push_back({{"iteration", r.iteration},
                    {"stage", name_of(r.stage)},
                    {"passes", passes},
                    {"error", problem.error(iterate.model())}});
    return false;
  };
  const FitResult result = baselines::fit(problem.samples(), method, options);
  for (Row& row : rows) row["termination"] = name_of(result.summary.termination);
  return rows;
}

}  // namespace

Experiment exactness() {
  return {
      .name = "exactness",
      .title = "error per pass over the data, every method on the same samples",
      .source = "beyond the paper",
      .times = true,  // there is a time limit
      .cells = [](const Scale& scale) {
        std::vector<Cell> cells;
        const Index n = scale.pick(10, 50, 100);
        for (const std::string method : {"auto", "msp", "msp:l3", "fastica", "online", "ksvd", "subgradient"}) {
          const bool slow = method == "ksvd" || method == "subgradient" || method == "online";
          cells.push_back({"errors", {{"n", n}, {"method", method}}, slow ? 10.0 : 1.0, [=](const Context& context) {
                             return watch(n, method, scale, context);
                           }});
        }
        return cells;
      }};
}

}  // namespace orthodict::experiments
