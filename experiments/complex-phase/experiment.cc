// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include "problem.h"

namespace orthodict::experiments {
namespace {

std::vector<Cell> cells(const Scale& scale) {
  using Sizes = std::vector<Index>;
  std::vector<Cell> cells;
  for (const bool is_complex : {false, true}) {
    Grid grid{.table = is_complex ? "complex" : "real",
              .dimensions = {scale.pick<Index>(10, 25, 50)},
              .methods = {"auto", "msp"},
              .trials = scale.pick(1, 10, 10),
              .is_complex = is_complex};
    const int steps = scale.pick(2, 10, 20);
    for (int i = 0; i < steps; ++i) grid.thetas.push_back((i + 0.5) / steps);
    grid.samples = scale.pick<Sizes>({200, 500}, {125, 250, 500, 1000, 2500, 5000},
                                     {250, 500, 1000, 1500, 2000, 3000, 5000, 7000, 10000, 20000, 50000});
    add_grid(grid, scale.seed, &cells);
  }
  return cells;
}

}  // namespace

Experiment complex_phase() {
  return {.name = "complex-phase",
          .title = "where auto and l4 work on complex samples",
          .source = "beyond the paper",
          .cells = cells};
}

}  // namespace orthodict::experiments
