// SPDX-License-Identifier: Apache-2.0
// What the baselines share.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "orthodict/fit.h"
#include "solver/run.h"

namespace orthodict::baselines {

// Throws Error that names the first option that is neither legal nor understood by a baseline: the stretch and all that
// says how msp steps, and, unless it `whitens`, what is said about whitening.
void validate(const Options& options, const std::string& method, bool whitens);

// The samples less `mean`, in columns: a copy in double precision. Throws Error when they don't fit into memory.
[[nodiscard]] Matrix<double> copy_samples(const Samples& samples, const Vector<double>& mean);

// The model of a dictionary with atoms in columns (n×k), k ≤ n, all finite, in canonical order and at unit norm. A code
// is that of least squares, the shortest where the atoms are dependent. Atoms that are zero become unit vectors outside
// the span of the others.
[[nodiscard]] Model model_of(const Matrix<double>& dictionary, const Vector<double>& mean,
                             const Matrix<double>& second_moment);

// The moments of the samples for a baseline that doesn't whiten, about the mean if options.center says so (about zero
// when it is unset), and the summary of the data and the tolerance.
[[nodiscard]] engine::Moments measure(solver::Run& run);

// How many atoms to learn: the number that options.atoms says, or all of the dimension. Throws Error when it is more
// than that.
[[nodiscard]] Index atoms_of(const solver::Run& run);

// Where a dictionary of so many atoms, in columns and of unit norm, starts: as options.init says, and for a random
// start from the same orthogonal matrix as msp. Throws Error that names initial_dictionary when that can't be started
// from.
[[nodiscard]] Matrix<double> start_dictionary(const solver::Run& run);

// What methods that learn codes and atoms in turn start from: the samples in memory, and a dictionary.
class Alternation {
 public:
  // `bytes_per_sample`, for so many features and atoms, is what the method will hold. Throws Error when there isn't as
  // much memory.
  Alternation(solver::Run& run, const std::function<std::size_t(Index features, Index atoms)>& bytes_per_sample);

 protected:
  [[nodiscard]] bool is_interrupted() const { return options_.stop.stop_requested() || run_.out_of_time().has_value(); }
  // Why it was.
  [[nodiscard]] Termination interruption() const {
    return options_.stop.stop_requested() ? Termination::kStopped : Termination::kTimeLimit;
  }
  // As solver::Run::record(), of the model at hand.
  [[nodiscard]] bool record(int iteration, double objective, std::optional<double> step, Index samples);
  [[nodiscard]] Model model() const { return model_of(d_, moments_.mean, moments_.second_moment); }

  solver::Run& run_;
  const Options& options_;
  engine::Moments moments_;
  Index n_;           // features
  Index p_;           // samples
  Index atoms_;       // k
  Matrix<double> d_;  // n×k, atoms in columns
  Matrix<double> y_;  // n×p, centred if that was asked for, at unit root mean square
};

}  // namespace orthodict::baselines
