// SPDX-License-Identifier: Apache-2.0
// Shared by the baselines.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "orthodict/fit.h"
#include "solver/run.h"

namespace orthodict::baselines {

// Throws Error, naming the first option that is illegal or not supported by baselines: the stretch, everything about
// the step of msp and, unless it `whitens`, everything about whitening.
void validate(const Options& options, const std::string& method, bool whitens);

// Throws Error, naming the method, if the samples are complex.
void require_real(const Samples& samples, const std::string& method);

// A copy of the samples minus `mean`, in columns, in double precision. Throws Error if it doesn't fit in memory.
[[nodiscard]] Matrix<double> copy_samples(const Samples& samples, const Vector<double>& mean);

// The model of a dictionary with atoms in columns (n×k), k ≤ n, which must be finite; in canonical order and at unit
// norm. Codes are the least-squares solution, of minimum norm if atoms are dependent. Zero atoms become unit vectors
// outside the span of the others.
[[nodiscard]] Model model_of(const Matrix<double>& dictionary, const Vector<double>& mean,
                             const Matrix<double>& second_moment);

// Measures the moments of the samples for a baseline that doesn't whiten, about the mean if options.center is set,
// about zero otherwise, and fills in the summary's data and tolerance.
[[nodiscard]] engine::Moments measure(solver::Run& run);

// The number of atoms to learn: options.atoms, by default the dimension. Throws Error if it exceeds the dimension.
[[nodiscard]] Index atoms_of(const solver::Run& run);

// The start of a dictionary with that many unit-norm atoms, in columns, according to options.init. A random start comes
// from the same orthogonal matrix as that of msp. Throws Error, naming initial_dictionary, if that is unsuitable.
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
