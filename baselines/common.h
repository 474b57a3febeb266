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

// The model of a dictionary with atoms in columns (n×k), which must be finite; at unit norm and, if k ≤ n, in canonical
// order. Codes are then the least-squares solution, of minimum norm if atoms are dependent; a model of more atoms has
// no analysis. Zero atoms become unit vectors that are least in the span of the others.
[[nodiscard]] Model model_of(const Matrix<double>& dictionary, const Vector<double>& mean,
                             const Matrix<double>& second_moment);

// Measures the moments of the samples for a baseline that doesn't whiten, about the mean if options.center is set,
// about zero otherwise, and fills in the summary's data, atoms and tolerance. Atoms are options.atoms, by default as
// many as dimensions. Throws Error if they are more than `most`.
[[nodiscard]] engine::Moments measure(solver::Run& run, std::optional<Index> most);

// What methods that learn codes and atoms in turn start from: the samples in memory, and a dictionary, of more atoms
// than features if options.atoms says so. A random start comes from the same orthogonal matrix as that of msp; for more
// atoms than features it is random samples.
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
  // As solver::Run::record(), of that model.
  [[nodiscard]] bool record(int iteration, double objective, std::optional<double> step, Index samples,
                            const std::string& coder);
  // The model at hand; with more atoms than features, `coder` is how it codes.
  [[nodiscard]] Model model(const std::string& coder) const;

  solver::Run& run_;
  const Options& options_;
  engine::Moments moments_;
  Index n_;           // features
  Index p_;           // samples
  Index atoms_;       // k
  Matrix<double> y_;  // n×p, centred if that was asked for, at unit root mean square
  Matrix<double> d_;  // n×k, atoms in columns
};

}  // namespace orthodict::baselines
