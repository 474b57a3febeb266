// SPDX-License-Identifier: Apache-2.0
// Fewer samples than features: learning takes place in an orthonormal basis of the samples' span, with as many
// coordinates as samples, and without n×n matrices.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "engine/collective.h"
#include "orthodict/fit.h"
#include "solver/run.h"

namespace orthodict::solver {

// Collects all samples from all ranks, in columns (n×p). Throws Error if they aren't finite or don't fit in memory, and
// with Fault::kStopped if a stop was requested.
[[nodiscard]] Matrix<double> gather(const Samples& samples, engine::Collective& collective,
                                    const std::stop_token& stop);

// The span of samples Y = QR, where Q (n×p) has orthonormal columns; the columns of R are the samples' coordinates.
class Span {
 public:
  // Y must not have more columns than rows. `name` is used in messages.
  Span(Matrix<double> y, const std::string& name);

  [[nodiscard]] const Samples& samples() const { return *samples_; }  // p samples of p features
  // Coordinates of a dictionary's atoms (rows): D·Q.
  [[nodiscard]] RowMatrix<double> project(const RowMatrix<double>& dictionary) const;
  // Turns a model of the coordinates into a model of the data, with each atom's largest entry positive.
  [[nodiscard]] Model lift(Model model) const;

 private:
  Matrix<double> basis_;  // Q
  Matrix<double> coordinates_;
  std::unique_ptr<Samples> samples_;
};

// Runs a method, whose name goes to the summary. It learns in the span of the samples if these are fewer than features,
// and either the dictionary is complete, or it is orthogonal, `atoms` is given and n×n matrices would be large. The
// kind of dictionary is decided first. The result always refers to the original samples.
[[nodiscard]] FitResult learn(const Samples& samples, const Options& options, const std::string& method,
                              const std::function<FitResult(Run&)>& run_method);

}  // namespace orthodict::solver
