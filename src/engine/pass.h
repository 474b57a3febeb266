// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>

#include "engine/pass_result.h"
#include "engine/workers.h"
#include "orthodict/samples.h"
#include "orthodict/stretch.h"
#include "orthodict/types.h"

namespace orthodict::engine {

enum class Arithmetic { kF32, kF64 };

// One pass over the samples: match, stretch, accumulate. Each block goes through all three steps while it is in cache,
// so Y is read once and AY is never stored as a whole. The result has the same bits for any number of workers.
class Pass {
 public:
  // Samples, stretch and workers must outlive the pass.
  Pass(const Samples& samples, const Stretch& stretch, Arithmetic arithmetic, Workers& workers, std::stop_token stop);

  // `matcher` is B (k×n); `offset` has k entries. For complex samples both are in real form
  // (linalg/complex.h). Returns nothing if a stop was requested.
  [[nodiscard]] std::optional<PassResult> run(const Matrix<double>& matcher, const Vector<double>& offset,
                                              PassOutput output) const;

 private:
  template <typename Scalar>
  [[nodiscard]] std::optional<PassResult> run_in(const Matrix<double>& matcher, const Vector<double>& offset,
                                                 PassOutput output) const;

  const Samples& samples_;
  const Stretch& stretch_;
  Arithmetic arithmetic_;
  Workers& workers_;
  std::stop_token stop_;
};

}  // namespace orthodict::engine
