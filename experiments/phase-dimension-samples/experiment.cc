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
  const bool full = scale.full;
  std::vector<Cell> cells;
  add_grid({.table = "small",
            .dimensions = range(10, 100, full ? 10 : 15),
            .samples = range(1000, 10000, full ? 1000 : 1500),
            .thetas = {0.5},
            .methods = {"msp"},
            .trials = full ? 10 : 3},
           scale.seed, &cells);
  add_grid({.table = "large",
            .dimensions = full ? range(100, 1000, 100) : range(100, 200, 50),
            .samples = full ? range(10000, 100000, 10000) : range(5000, 30000, 5000),
            .thetas = {0.5},
            .methods = {"msp"},
            .trials = full ? 10 : 1,
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
