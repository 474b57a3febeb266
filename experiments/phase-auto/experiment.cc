// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include "problem.h"

namespace orthodict::experiments {
namespace {

const std::vector<std::string> kMethods = {"auto", "msp", "msp:l3"};

std::vector<Cell> cells(const Scale& scale) {
  using Sizes = std::vector<Index>;
  const int trials = scale.pick(1, 2, 10);
  Grid by_theta{.table = "theta_samples", .dimensions = {50}, .methods = kMethods, .trials = trials};
  const int steps = scale.pick(2, 10, 20);
  for (int i = 0; i < steps; ++i) by_theta.thetas.push_back((i + 0.5) / steps);
  by_theta.samples = scale.pick<Sizes>({500, 1000}, {250, 500, 1000, 2000, 5000, 10000},
                                       {250, 500, 1000, 1500, 2000, 3000, 5000, 7000, 10000, 20000, 50000});
  Grid by_dimension{.table = "dimension_samples", .thetas = {0.5}, .methods = kMethods, .trials = trials};
  by_dimension.dimensions =
      scale.pick<Sizes>({10, 20}, {10, 25, 50, 75, 100}, {10, 20, 30, 40, 50, 60, 70, 80, 90, 100});
  by_dimension.samples = scale.pick<Sizes>({500, 1000}, {500, 1000, 2500, 5000, 10000},
                                           {500, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000});
  std::vector<Cell> cells;
  add_grid(by_theta, scale.seed, &cells);
  add_grid(by_dimension, scale.seed, &cells);
  return cells;
}

}  // namespace

Experiment phase_auto() {
  return {.name = "phase-auto", .title = "where auto, l4 and l3 work", .source = "beyond the paper", .cells = cells};
}

}  // namespace orthodict::experiments
