// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>

#include "engine/lanes.h"
#include "engine/workers.h"
#include "orthodict/samples.h"
#include "orthodict/stretch.h"
#include "orthodict/types.h"

namespace orthodict::engine {

// What one pass over the samples gives, for Z = B·Y − offset (k×p):
template <typename Scalar>
struct PassResult {
  Matrix<Scalar> correlation;      // Σ_j φ'(z_j) y_jᵀ, k×n; empty when only the objective was asked for
  Vector<double> derivative_sums;  // Σ_j φ'(z_ij), one per atom
  Vector<double> curvature_sums;   // Σ_j φ''(z_ij), one per atom
  double objective = 0;            // Σ_ij φ(z_ij)

  void add(const PassResult& other);
};

enum class Want { kObjective, kCorrelation };

// Match, stretch, accumulate: blocks of samples go through all three while they sit in cache, so Y is read once and
// AY never exists as a whole.
template <typename Scalar>
class Pass {
 public:
  // All arguments must outlive the pass.
  Pass(const Samples& samples, const Stretch& stretch, Workers& workers, std::stop_token stop);

  // `matcher` is B (k×n), `offset` has k entries. Nothing is returned when a stop was requested on the way.
  [[nodiscard]] std::optional<PassResult<Scalar>> run(const Matrix<Scalar>& matcher, const Vector<Scalar>& offset,
                                                      Want want) const;

 private:
  const Samples& samples_;
  const Stretch& stretch_;
  Workers& workers_;
  std::stop_token stop_;
  LanePlan plan_;
};

}  // namespace orthodict::engine
