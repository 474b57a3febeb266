// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "problem.h"

namespace orthodict::experiments {
namespace {

constexpr double kTheta = 0.3;

// K-SVD with exactly θn nonzeros per code, as usual, and as the paper must have used it.
const std::string kFixedSparsity = "ksvd_fixed";

// The approximate work of each method, in passes over the data.
const std::vector<std::pair<std::string, double>> kMethods = {
    {"auto", 10},    {"msp", 30},   {"msp:l3", 30},         {"fastica", 30},       {"fastica_deflation", 1000},
    {"online", 400}, {"ksvd", 600}, {kFixedSparsity, 4000}, {"subgradient", 1000}, {"subgradient_oracle", 400},
};

struct Setting {
  Index n;
  Index p;
  int trials;
};

std::vector<Row> run(const Setting& setting, const std::string& method, double limit, std::uint64_t seed,
                     const Context& context) {
  const Problem problem({.dimension = setting.n, .samples = setting.p, .theta = kTheta, .seed = seed});
  Options options = options_for(context, seed);
  options.time_limit = limit;
  if (method != kFixedSparsity) return {learn(problem, method, options)};
  baselines::Parameters parameters;
  parameters.ksvd.sparsity = static_cast<Index>(std::ceil(kTheta * static_cast<double>(setting.n)));
  return {learn(problem, "ksvd", options, parameters)};
}

std::vector<Cell> cells(const Scale& scale) {
  const double limit = scale.pick<double>(1, 15, 600);
  const auto problems = scale.pick<std::vector<Setting>>(
      {{10, 1000, 1}}, {{25, 10000, 5}, {50, 20000, 2}, {100, 40000, 2}, {200, 80000, 1}},
      {{25, 10000, 5}, {50, 20000, 5}, {100, 40000, 5}, {200, 80000, 5}, {400, 160000, 5}});
  std::vector<Cell> cells;
  for (const Setting& setting : problems) {
    for (int trial = 0; trial < setting.trials; ++trial) {
      for (const auto& [method, passes] : kMethods) {
        constexpr double kFlopsPerSecond = 5e10;
        cells.push_back({"methods",
                         {{"n", setting.n}, {"p", setting.p}, {"theta", kTheta}, {"method", method}, {"trial", trial}},
                         std::min(limit, pass_cost(setting.n, setting.p, passes) / kFlopsPerSecond) + 0.1,
                         [=, name = method, seed = scale.seed + static_cast<std::uint64_t>(trial)](
                             const Context& context) { return run(setting, name, limit, seed, context); }});
      }
    }
  }
  return cells;
}

}  // namespace

Experiment comparison() {
  return {.name = "comparison",
          .title = "error and time of K-SVD, online learning, subgradient descent, FastICA, MSP and auto",
          .source = "Table 2",
          .times = true,
          .cells = cells};
}

}  // namespace orthodict::experiments
