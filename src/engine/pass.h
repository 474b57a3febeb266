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

// Match, stretch, accumulate: blocks of samples go through all three while they sit in cache, so Y is read once and
// AY never exists as a whole. The same bits come out for any number of workers.
class Pass {
 public:
  // Samples, stretch and workers must outlive the pass.
  Pass(const Samples& samples, const Stretch& stretch, Arithmetic arithmetic, Workers& workers, std::stop_token stop);

  // `matcher` is B (k×n), `offset` has k entries. Nothing is returned when a stop was requested on the way.
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
