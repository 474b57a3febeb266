// SPDX-License-Identifier: Apache-2.0
// One step of the algorithm from the library's own parts.
#pragma once

#include <string>

#include "engine/pass.h"
#include "engine/workers.h"
#include "orthodict/orthodict.h"

namespace orthodict::test {

// φ'(AY)Yᵀ by the engine.
inline Matrix<double> correlation(const Matrix<double>& a, const Matrix<double>& y, const std::string& stretch) {
  engine::Workers workers(1);
  const auto samples = samples_in_columns(y);
  const auto phi = make_stretch(stretch);
  const engine::Pass pass(*samples, *phi, engine::Arithmetic::kF64, workers, {});
  return pass.run(a, Vector<double>::Zero(a.rows()), engine::PassOutput::kCorrelation)->correlation;
}

// One step of match, stretch, project: polar(φ'(AY)Yᵀ).
inline Matrix<double> msp_step(const Matrix<double>& a, const Matrix<double>& y, const std::string& stretch = "l4") {
  return project_orthogonal(correlation(a, y, stretch));
}

}  // namespace orthodict::test
