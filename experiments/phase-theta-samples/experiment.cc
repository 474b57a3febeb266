// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include "problem.h"

namespace orthodict::experiments {
namespace {

std::vector<Cell> cells(const Scale& scale) {
  Grid grid{.table = "errors", .dimensions = {50}, .methods = {"msp"}, .trials = scale.full ? 10 : 3};
  const int steps = scale.full ? 20 : 10;
  for (int i = 0; i < steps; ++i) grid.thetas.push_back((i + 0.5) / steps);
  const Index stride = scale.full ? 500 : 1500;
  for (Index p = scale.full ? 500 : 1000; p <= 10000; p += stride) grid.samples.push_back(p);
  if (scale.full) grid.samples.insert(grid.samples.end(), {15000, 20000, 30000, 40000, 50000});
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
