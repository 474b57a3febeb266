// SPDX-License-Identifier: Apache-2.0
// What most experiments do: make samples with a known dictionary, learn it, and note the outcome.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "baselines/methods.h"
#include "experiment.h"
#include "orthodict/orthodict.h"

namespace orthodict::experiments {

// Samples and the dictionary they were made of.
class Problem {
 public:
  explicit Problem(const SyntheticOptions& options);

  [[nodiscard]] const Samples& samples() const { return *samples_; }
  [[nodiscard]] const Matrix<double>& y() const { return y_; }             // a sample is a column
  [[nodiscard]] const RowMatrix<double>& truth() const { return truth_; }  // an atom is a row
  [[nodiscard]] double error(const Model& model) const { return compare(model, truth_).error; }

 private:
  Matrix<double> y_;
  std::unique_ptr<Samples> samples_;
  RowMatrix<double> truth_;
};

// Options that stop with the experiment and share its threads.
[[nodiscard]] Options options_for(const Context& context, std::uint64_t seed);

// The paper's Algorithm 2, in double precision as the paper ran it.
[[nodiscard]] Options msp_options(const Context& context, std::uint64_t seed);

// Learns with a method by its name (baselines/methods.h): error, worst_cosine, iterations, seconds, termination.
// Baselines are given `parameters`, and the truth where they want it.
[[nodiscard]] Row learn(const Problem& problem, const std::string& method, const Options& options,
                        baselines::Parameters parameters = {});

// Flops of `iterations` passes over p samples in n dimensions: a measure of a cell's cost.
[[nodiscard]] inline double pass_cost(Index n, Index p, double iterations) {
  return 4.0 * static_cast<double>(n) * static_cast<double>(n) *
         (static_cast<double>(p) + 10.0 * static_cast<double>(n)) * iterations;
}

// A phase diagram: the error of each method at each point of a grid, for some trials.
struct Grid {
  std::string table;
  std::vector<Index> dimensions = {};
  std::vector<Index> samples = {};
  std::vector<double> thetas = {};
  std::vector<std::string> methods = {};
  int trials = 1;
  std::optional<Precision> precision = {};
};
void add_grid(const Grid& grid, std::uint64_t seed, std::vector<Cell>* cells);

}  // namespace orthodict::experiments
