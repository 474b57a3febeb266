// SPDX-License-Identifier: Apache-2.0
#include "learning.h"

namespace orthodict::experiments {

std::vector<Row> watch_learning(Index n, Index p, std::uint64_t seed, const Context& context) {
  const Problem problem({.dimension = n, .samples = p, .theta = kTheta, .seed = seed});
  Options options = msp_options(context, seed);
  std::vector<Row> rows;
  options.callback = [&](const Iterate& iterate) {
    const IterationRecord& r = iterate.record();
    // ‖A·D_o‖₄⁴/n is at most 1, because A and D_o are orthogonal.
    rows.push_back({{"iteration", r.iteration},
                    {"truth", 1 - problem.error(iterate.model())},
                    {"objective", normalized_objective(r.objective, n, p, kTheta)}});
    return false;
  };
  static_cast<void>(fit(problem.samples(), options));
  return rows;
}

}  // namespace orthodict::experiments
