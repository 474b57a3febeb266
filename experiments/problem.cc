// SPDX-License-Identifier: Apache-2.0
#include "problem.h"

#include "baselines/methods.h"

namespace orthodict::experiments {

Problem::Problem(const SyntheticOptions& options) {
  const Synthetic synthetic(options);
  y_ = synthetic.samples().transpose();
  samples_ = options.is_complex
                 ? view_samples(ElementType::kC128, y_.data(), y_.rows() / 2, y_.cols(), y_.rows() / 2, 1)
                 : samples_in_columns(y_);
  truth_ = synthetic.dictionary();
}

Options options_for(const Context& context, std::uint64_t seed) {
  Options options;
  options.seed = seed;
  options.threads = context.threads;
  options.stop = context.stop;
  return options;
}

Options msp_options(const Context& context, std::uint64_t seed) {
  Options options = options_for(context, seed);
  options.method = Method::kMsp;
  options.precision = Precision::kF64;
  return options;
}

Row learn(const Problem& problem, const std::string& method, const Options& options, baselines::Parameters parameters) {
  parameters.subgradient.truth = problem.truth();
  const FitResult result = baselines::fit(problem.samples(), method, options, parameters);
  const Recovery recovery = compare(result.model, problem.truth());
  return {{"error", recovery.error},
          {"worst_cosine", recovery.worst_cosine},
          {"iterations", result.summary.iterations},
          {"seconds", result.summary.total_seconds},
          {"termination", name_of(result.summary.termination)}};
}

void add_grid(const Grid& grid, std::uint64_t seed, std::vector<Cell>* cells) {
  // Near the edge of the working range ℓ4 takes hundreds of iterations, and beyond it never converges.
  constexpr int kMaxIterations = 1000;
  for (const Index n : grid.dimensions) {
    for (const Index p : grid.samples) {
      for (const double theta : grid.thetas) {
        for (int trial = 0; trial < grid.trials; ++trial) {
          const std::uint64_t trial_seed = seed + static_cast<std::uint64_t>(trial);
          const auto run = [=, methods = grid.methods, precision = grid.precision,
                            is_complex = grid.is_complex](const Context& context) {
            const Problem problem(
                {.dimension = n, .samples = p, .theta = theta, .seed = trial_seed, .is_complex = is_complex});
            std::vector<Row> rows;
            for (const std::string& method : methods) {
              Options options = options_for(context, trial_seed);
              options.precision = precision;
              if (method != "auto") options.max_iterations = kMaxIterations;
              if (context.stop.stop_requested()) break;
              Row row = {{"method", method}};
              row.update(learn(problem, method, options));
              rows.push_back(std::move(row));
            }
            return rows;
          };
          const double iterations = 60.0 * static_cast<double>(grid.methods.size());
          cells->push_back(
              {grid.table, {{"n", n}, {"p", p}, {"theta", theta}, {"trial", trial}}, pass_cost(n, p, iterations), run});
        }
      }
    }
  }
}

}  // namespace orthodict::experiments
