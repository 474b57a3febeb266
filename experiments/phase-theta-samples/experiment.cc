// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include "problem.h"

namespace orthodict::experiments {
namespace {

std::vector<Cell> cells(const Scale& scale) {
  Grid grid{.table = "errors", .dimensions = {50}, .methods = {"msp"}, .trials = scale.pick(1, 3, 10)};
  const int steps = scale.pick(2, 10, 20);
  for (int i = 0; i < steps; ++i) grid.thetas.push_back((i + 0.5) / steps);
  grid.samples = scale.pick<std::vector<Index>>({500, 1000}, {500, 1000, 2000, 3000, 4000, 6000, 8000, 10000}, {});
  if (scale.size == Size::kFull) {
    for (Index p = 500; p <= 10000; p += 500) grid.samples.push_back(p);
    grid.samples.insert(grid.samples.end(), {15000, 20000, 30000, 40000, 50000});
  }
  std::vector<Cell> cells;
  add_grid(grid, scale.seed, &cells);
  return cells;
}

}  // namespace

Experiment phase_theta_samples() {
  return {.name = "phase-theta-samples",
          .title = "where Algorithm 2 works: sparsity against samples, n = 50",
          .source = "Figure 8 (a)",
          .cells = cells};
}

}  // namespace orthodict::experiments
