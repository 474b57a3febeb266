// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "engine/moments.h"
#include "engine/pass.h"
#include "engine/workers.h"
#include "orthodict/fit.h"
#include "solver/checkpoint.h"
#include "solver/coordinates.h"

namespace orthodict::solver {

// What the methods share: the data and the options, threads and clock, the steps that take time, and the summary.
class Run {
  using Clock = std::chrono::steady_clock;

 public:
  // Options are valid, and both outlive the run. `method` is its name for the summary. Time counts from `start`.
  Run(const Samples& samples, const Options& options, std::string method, Clock::time_point start = Clock::now());

  [[nodiscard]] const Samples& samples() const { return samples_; }  // as they were given
  // What is learned from: those, unless some are set aside or they are normalized.
  [[nodiscard]] const Samples& learned_from() const {
    return normalized_ ? *normalized_ : without_outliers_ ? *without_outliers_ : samples_;
  }
  void set_aside(std::unique_ptr<Samples> others, std::vector<Index> outliers);
  [[nodiscard]] const std::vector<Index>& outliers() const { return outliers_; }  // set aside, in rising order
  void normalize(std::unique_ptr<Samples> normalized);
  void discard_normalization();  // without outliers
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] Clock::time_point start() const { return start_; }
  [[nodiscard]] engine::Workers& workers() { return workers_; }
  [[nodiscard]] Summary& summary() { return summary_; }
  [[nodiscard]] Checkpoint& checkpoint() { return checkpoint_; }

  // The first look at the data. Throws Error when they aren't finite, when they are too many for memory, and with
  // Fault::kStopped when a stop was requested on the way.
  [[nodiscard]] engine::Moments measure(bool center);
  // The same of what is learned from.
  [[nodiscard]] engine::Moments measure_learned(bool center);

  // Values of samples may have this size, as a root mean square, for single precision: sums of samples times
  // coefficients, and matchers of whitened samples, need room on either side.
  static constexpr double kSmallestSingle = 1e-20;
  static constexpr double kLargestSingle = 1e20;
  // Throws Error, naming the option, where that precision can't resolve samples of that size and mean.
  void require_resolvable(Precision precision, double size, const Coordinates& coordinates) const;

  // The summary of the data, and what there is to warn of. Looks at some samples where components are left out.
  void describe_data(const Coordinates& coordinates);

  // Match, stretch, accumulate. Nothing is returned when a stop was requested on the way.
  [[nodiscard]] std::optional<engine::PassResult> pass(const Samples& samples, const Stretch& stretch,
                                                       engine::Arithmetic arithmetic, const Matrix<double>& matcher,
                                                       const Vector<double>& offset, engine::PassOutput output);

  // Whether samples are complex: matrices are in real form then (linalg/complex.h).
  [[nodiscard]] bool is_complex() const { return samples_.is_complex(); }

  // The polar factor, in single precision or in double. For complex samples that of the nearest real form.
  [[nodiscard]] Matrix<double> project(const Matrix<double>& g, engine::Arithmetic arithmetic);

  // Why the run may not go on: its time is used up.
  [[nodiscard]] std::optional<Termination> out_of_time();

  // Appends to the history, filling in the time. True when the callback asks to stop; `model` makes the model that it
  // may ask for.
  [[nodiscard]] bool record(IterationRecord record, const std::function<Model()>& model);

  // Likewise when an iteration is recalled: the callback has seen it.
  void record_again(IterationRecord record);

  // The result, with the model's metadata and the message filled in.
  [[nodiscard]] FitResult finish(Termination termination, Model model);

  // Whether the last principal component kept has more variance than the first one dropped, beyond sampling error. For
  // coordinates with a cut.
  [[nodiscard]] bool is_cut_by_variance(const Coordinates& coordinates);

 private:
  [[nodiscard]] double seconds() const;
  [[nodiscard]] Matrix<double> polar(const Matrix<double>& g, engine::Arithmetic arithmetic);
  void require_square_matrices() const;
  [[nodiscard]] engine::Moments look(const Samples& samples, bool center);

  Clock::time_point start_;
  const Samples& samples_;
  std::unique_ptr<Samples> without_outliers_;  // null where none are set aside
  std::vector<Index> outliers_;
  std::unique_ptr<Samples> normalized_;  // of those; null where samples are learned from as they are
  const Options& options_;
  engine::Workers workers_;
  Summary summary_;
  Checkpoint checkpoint_;
};

// The root mean square of the samples' values, from their moments.
[[nodiscard]] double size_of_values(const engine::Moments& moments, bool centred);

// Rounding may move A by this much from one step to the next.
[[nodiscard]] double rounding_noise(Precision precision, const Coordinates& coordinates);

// Whether that precision can tell samples of that size from their mean, and hold them.
[[nodiscard]] bool is_resolvable(Precision precision, double size, const Coordinates& coordinates);

// How far each row of A' is from that of A, whatever its sign, or its phase if complex.
[[nodiscard]] Vector<double> row_steps(const Matrix<double>& from, Matrix<double> to, bool is_complex = false);
// Gives each row of A' the sign or the phase that brings it closest to that of A.
void align(const Matrix<double>& from, bool is_complex, Matrix<double>* to);
// Their root mean square: the left side of the inequality of Options::tolerance.
[[nodiscard]] double step_length(const Vector<double>& row_steps);

}  // namespace orthodict::solver
