// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include <fmt/format.h>

#include <array>

#include "problem.h"

namespace orthodict::experiments {
namespace {

constexpr std::array<int, 5> kOrders = {3, 4, 6, 8, 10};

// ‖A_t‖_q^q/n on the orthogonal group, with the same start for every q.
std::vector<Row> convergence(int order, const Context& context, std::uint64_t seed) {
  constexpr Index kDimension = 50;
  Options options = msp_options(context, seed);
  options.stretch = fmt::format("power:{}", order);
  const FitResult result = fit_on_group(Matrix<double>::Identity(kDimension, kDimension), options);
  std::vector<Row> rows;
  for (const IterationRecord& r : result.summary.history) {
    rows.push_back({{"n", kDimension}, {"iteration", r.iteration}, {"value", r.objective / kDimension}});
  }
  return rows;
}

std::vector<Row> error_from(int order, Index p, const Context& context, std::uint64_t seed) {
  const Problem problem({.dimension = 10, .samples = p, .theta = 0.3, .seed = seed});
  return {learn(problem, fmt::format("msp:power:{}", order), options_for(context, seed))};
}

}  // namespace

Experiment orders() {
  return {.name = "orders",
          .title = "l3, l4, l6, l8, l10: iterations on the group, and samples needed to learn",
          .source = "Figure 7",
          .cells = [](const Scale& scale) {
            std::vector<Cell> cells;
            for (const int order : kOrders) {
              cells.push_back({"convergence", {{"order", order}}, 1e5, [=, seed = scale.seed](const Context& context) {
                                 return convergence(order, context, seed);
                               }});
            }
            std::vector<Index> sizes = {100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000};
            if (scale.size == Size::kTiny) sizes.resize(3);
            if (scale.size == Size::kFull) sizes.insert(sizes.end(), {100000, 200000, 500000});
            for (const Index p : sizes) {
              for (const int order : kOrders) {
                for (int trial = 0; trial < scale.pick(2, 20, 20); ++trial) {
                  cells.push_back({"samples",
                                   {{"order", order}, {"p", p}, {"trial", trial}},
                                   pass_cost(10, p, 30),
                                   [=, seed = scale.seed + static_cast<std::uint64_t>(trial)](const Context& context) {
                                     return error_from(order, p, context, seed);
                                   }});
                }
              }
            }
            return cells;
          }};
}

}  // namespace orthodict::experiments
