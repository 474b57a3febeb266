// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include "problem.h"

namespace orthodict::experiments {
namespace {

std::vector<Index> range(Index first, Index last, Index stride) {
  std::vector<Index> values;
  for (Index value = first; value <= last; value += stride) values.push_back(value);
  return values;
}

std::vector<Cell> cells(const Scale& scale) {
  std::vector<Cell> cells;
  add_grid({.table = "small",
            .dimensions = scale.pick(range(10, 20, 10), range(10, 100, 15), range(10, 100, 10)),
            .samples = scale.pick(range(100, 1000, 900), range(1000, 10000, 1500), range(1000, 10000, 1000)),
            .thetas = {0.5},
            .methods = {"msp"},
            .trials = scale.pick(1, 3, 10)},
           scale.seed, &cells);
  add_grid({.table = "large",
            .dimensions = scale.pick(range(30, 40, 10), range(100, 200, 50), range(100, 1000, 100)),
            .samples = scale.pick(range(500, 3000, 2500), range(5000, 30000, 5000), range(10000, 100000, 10000)),
            .thetas = {0.5},
            .methods = {"msp"},
            .trials = scale.pick(1, 1, 10),
            .precision = Precision::kMixed},
           scale.seed, &cells);
  return cells;
}

}  // namespace

Experiment phase_dimension_samples() {
  return {.name = "phase-dimension-samples",
          .title = "where Algorithm 2 works: dimension against samples, theta = .5",
          .source = "Figure 8 (b), (c)",
          .cells = cells};
}

}  // namespace orthodict::experiments
