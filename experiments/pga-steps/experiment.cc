// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include <cmath>
#include <limits>
#include <optional>

#include "problem.h"

namespace orthodict::experiments {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A has reached the maximum when ‖A‖₄⁴/n is this close to 1, which is 1 to four printed digits.
constexpr double kReached = 1e-4;

// Iterations of A ← polar(A + step·4A^∘3) until the maximum is reached.
Row count(Index n, double step, const Context& context, std::uint64_t seed) {
  std::optional<int> reached;
  Options options = msp_options(context, seed);
  options.step = step;
  options.callback = [&](const Iterate& iterate) {
    const bool there = iterate.record().objective >= (1 - kReached) * static_cast<double>(n);
    if (there && !reached) reached = iterate.record().iteration;
    return there;
  };
  static_cast<void>(fit_on_group(Matrix<double>::Identity(n, n), options));
  return {{"iterations", reached ? Row(*reached) : Row(nullptr)}};
}

}  // namespace

Experiment pga_steps() {
  return {
      .name = "pga-steps",
      .title = "projected gradient ascent: iterations to the maximum for each step",
      .source = "Table 1",
      .cells = [](const Scale& scale) {
        std::vector<Cell> cells;
        for (const Index n : {5, 25, 50, 100, 200}) {
          for (int trial = 0; trial < scale.pick(2, 10, 10); ++trial) {
            for (const double alpha : {1.0, 10.0, 100.0, kInfinity}) {
              // Algorithm 3 as printed, and without the gradient's factor of 4, which agrees with the printed counts.
              for (const std::string reading : {"gradient", "cube"}) {
                const double step = reading == "gradient" ? alpha : alpha / 4;
                cells.push_back({"counts",
                                 {{"n", n},
                                  {"reading", reading},
                                  {"alpha", std::isinf(alpha) ? Row("inf") : Row(alpha)},
                                  {"trial", trial}},
                                 static_cast<double>(n * n * n) * (1 + 10 / alpha),
                                 [=, seed = scale.seed + static_cast<std::uint64_t>(trial)](const Context& context) {
                                   return std::vector<Row>{count(n, step, context, seed)};
                                 }});
              }
            }
          }
        }
        return cells;
      }};
}

}  // namespace orthodict::experiments
