// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "formats/npz.h"
#include "orthodict/types.h"
#include "solver/checkpoint.h"

namespace orthodict::solver {

// What the runs of a consensus beside the first one have learned so far. The method's checkpoints hold it.
class OtherRuns {
 public:
  // Rows of A, or of B, of a run that is complete.
  struct Learned {
    Matrix<double> rows;
    int passes = 0;
  };

  // Throws Error about the checkpoint if what was loaded isn't of so many runs with such rows. Runs under another limit
  // of iterations are forgotten.
  void begin(int runs, Index rows, Index columns, std::optional<int> max_iterations, const Checkpoint& checkpoint);
  [[nodiscard]] bool has(int run) const { return at(run).has_value(); }
  [[nodiscard]] const Learned& operator[](int run) const { return *at(run); }
  void set(int run, Learned learned) { learned_[static_cast<std::size_t>(run)] = std::move(learned); }
  [[nodiscard]] bool is_complete() const;
  [[nodiscard]] int passes() const;  // of all runs

  void save(formats::NpzBuilder* file) const;
  void load(const formats::NpzFile& file, const Checkpoint& checkpoint);

 private:
  [[nodiscard]] const std::optional<Learned>& at(int run) const { return learned_[static_cast<std::size_t>(run)]; }

  std::vector<std::optional<Learned>> learned_;
  std::optional<int> max_iterations_;  // of each run
};

}  // namespace orthodict::solver
