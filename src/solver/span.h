// SPDX-License-Identifier: Apache-2.0
// Samples that are fewer than their features are learned from in an orthonormal basis of what they span, as many
// coordinates as samples: nothing n×n is needed.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "engine/collective.h"
#include "orthodict/fit.h"
#include "solver/run.h"

namespace orthodict::solver {

// All samples in columns (n×p), from the ranks that have them. Throws Error where they aren't finite or don't fit into
// memory, and with Fault::kStopped when a stop was requested on the way.
[[nodiscard]] Matrix<double> gather(const Samples& samples, engine::Collective& collective,
                                    const std::stop_token& stop);

// Y = QR, with Q's columns orthonormal (n×p) and the samples R's columns.
class Span {
 public:
  // Y has no more columns than rows. `name` is for messages.
  Span(Matrix<double> y, const std::string& name);

  [[nodiscard]] const Samples& samples() const { return *samples_; }  // p of p features
  // The atoms of a dictionary in rows: D·Q.
  [[nodiscard]] RowMatrix<double> project(const RowMatrix<double>& dictionary) const;
  // A model of these samples as one of the data, each atom's largest entry positive.
  [[nodiscard]] Model lift(Model model) const;

 private:
  Matrix<double> basis_;  // Q
  Matrix<double> coordinates_;
  std::unique_ptr<Samples> samples_;
};

// Runs a method, by its name for the summary, on the samples; on those in their span where they are fewer than features
// and the dictionary is complete, or where it is orthogonal, `atoms` are asked for and n×n matrices would be large.
// What comes of it is about the samples as they are. The dictionary is decided on before that.
[[nodiscard]] FitResult learn(const Samples& samples, const Options& options, const std::string& method,
                              const std::function<FitResult(Run&)>& run_method);

}  // namespace orthodict::solver
