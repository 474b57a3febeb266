// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include "problem.h"

namespace orthodict::experiments {
namespace {

constexpr double kTheta = 0.3;

// Removes the share `fraction` of the bias 12pθ²A from each step; the paper's α is fraction·12pθ².
std::vector<Row> run(Index n, Index p, double fraction, std::uint64_t seed, const Context& context) {
  const Problem problem({.dimension = n, .samples = p, .theta = kTheta, .seed = seed});
  Options options = msp_options(context, seed);
  if (fraction > 0) {
    options.remove_bias = true;
    options.theta = kTheta;
    options.bias_fraction = fraction;
  }
  return {learn(problem, "msp", options)};
}

void add(const std::string& table, Index n, Index p, const std::vector<double>& fractions, int trials,
         std::uint64_t seed, std::vector<Cell>* cells) {
  for (const double fraction : fractions) {
    for (int trial = 0; trial < trials; ++trial) {
      cells->push_back({table,
                        {{"n", n}, {"p", p}, {"theta", kTheta}, {"fraction", fraction}, {"trial", trial}},
                        pass_cost(n, p, 30),
                        [=, trial_seed = seed + static_cast<std::uint64_t>(trial)](const Context& context) {
                          return run(n, p, fraction, trial_seed, context);
                        }});
    }
  }
}

std::vector<Cell> cells(const Scale& scale) {
  std::vector<Cell> cells;
  const int trials = scale.pick(1, 5, 20);
  for (const Index n : scale.pick<std::vector<Index>>({10}, {25, 50, 100}, {25, 50, 100}))
    add("iterations", n, 400 * n, {0, 0.25, 0.5, 0.75, 0.9, 1}, trials, scale.seed, &cells);
  // The drawback: near the edge of the working range, fewer starts converge to the dictionary.
  for (const Index p :
       scale.pick<std::vector<Index>>({1000}, {1000, 1500, 2000, 3000, 5000}, {1000, 1500, 2000, 3000, 5000}))
    add("basin", 50, p, {0, 0.5, 1}, 2 * trials, scale.seed, &cells);
  return cells;
}

}  // namespace

Experiment bias_removal() {
  return {.name = "bias-removal",
          .title = "iterations with the bias 12p theta^2 A removed, and the price",
          .source = "after Proposition 12",
          .cells = cells};
}

}  // namespace orthodict::experiments
