// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include "problem.h"

namespace orthodict::experiments {
namespace {

// Algorithm 1 over O(n), or over U(n).
std::vector<Row> trial_of(Index n, bool is_complex, const Context& context, std::uint64_t seed) {
  const Matrix<double> identity = Matrix<double>::Identity(n, n);
  const Options options = msp_options(context, seed);
  const FitResult result = is_complex ? fit(Eigen::MatrixXcd(identity.cast<std::complex<double>>()), options)
                                      : fit_on_group(identity, options);
  const auto& history = result.summary.history;
  if (history.empty()) return {};  // stopped
  std::vector<Row> rows;
  for (const IterationRecord& record : history) {
    rows.push_back({{"iteration", record.iteration}, {"value", record.objective / static_cast<double>(n)}});
  }
  return rows;
}

}  // namespace

Experiment complex_trials() {
  return {.name = "complex-trials",
          .title = "Algorithm 1 on the unitary group",
          .source = "beyond the paper",
          .cells = [](const Scale& scale) {
            std::vector<Cell> cells;
            for (const Index n : {50, 100}) {
              for (const bool is_complex : {false, true}) {
                for (int trial = 0; trial < scale.pick(2, 100, 100); ++trial) {
                  cells.push_back({"iterations",
                                   {{"n", n}, {"group", is_complex ? "U(n)" : "O(n)"}, {"trial", trial}},
                                   static_cast<double>(n * n * n) * (is_complex ? 8 : 1),
                                   [=, seed = scale.seed + static_cast<std::uint64_t>(trial)](const Context& context) {
                                     return trial_of(n, is_complex, context, seed);
                                   }});
                }
              }
            }
            return cells;
          }};
}

}  // namespace orthodict::experiments
