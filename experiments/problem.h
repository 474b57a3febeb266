// SPDX-License-Identifier: Apache-2.0
// The core of most experiments: generate samples from a known dictionary, learn it, and record the outcome.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "baselines/methods.h"
#include "experiment.h"
#include "orthodict/orthodict.h"

namespace orthodict::experiments {

// Samples, and the dictionary that generated them.
class Problem {
 public:
  explicit Problem(const SyntheticOptions& options);

  [[nodiscard]] const Samples& samples() const { return *samples_; }
  [[nodiscard]] const Matrix<double>& y() const { return y_; }             // samples in columns
  [[nodiscard]] const RowMatrix<double>& truth() const { return truth_; }  // atoms in rows
  [[nodiscard]] double error(const Model& model) const { return compare(model, truth_).error; }

 private:
  Matrix<double> y_;
  std::unique_ptr<Samples> samples_;
  RowMatrix<double> truth_;
};

// Options that stop with the experiment and share its threads.
[[nodiscard]] Options options_for(const Context& context, std::uint64_t seed);

// The paper's Algorithm 2, in double precision as in the paper.
[[nodiscard]] Options msp_options(const Context& context, std::uint64_t seed);

// Learns with a method given by name (baselines/methods.h). Returns error, worst_cosine, iterations, seconds and
// termination. Baselines get `parameters`, and the truth if they need it.
[[nodiscard]] Row learn(const Problem& problem, const std::string& method, const Options& options,
                        baselines::Parameters parameters = {});

// The flops of `iterations` passes over p samples in n dimensions, as a measure of cost.
[[nodiscard]] inline double pass_cost(Index n, Index p, double iterations) {
  return 4.0 * static_cast<double>(n) * static_cast<double>(n) *
         (static_cast<double>(p) + 10.0 * static_cast<double>(n)) * iterations;
}

// A phase diagram: the error of each method at each point of a grid, for several trials.
struct Grid {
  std::string table;
  std::vector<Index> dimensions = {};
  std::vector<Index> samples = {};
  std::vector<double> thetas = {};
  std::vector<std::string> methods = {};
  int trials = 1;
  std::optional<Precision> precision = {};
  bool is_complex = false;
};
void add_grid(const Grid& grid, std::uint64_t seed, std::vector<Cell>* cells);

}  // namespace orthodict::experiments
