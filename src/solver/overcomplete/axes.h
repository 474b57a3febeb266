// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/moments.h"
#include "engine/workers.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict::solver::overcomplete {

// The samples in the principal axes of their second moment, at unit rms. Axes whose variance is no more than rounding
// are left out. Where features have units so different that rounding in some would hide others, all are scaled to unit
// variance first.
class Axes {
 public:
  // Moments about the mean if `centred`, about zero otherwise.
  Axes(const engine::Moments& moments, bool centred);

  [[nodiscard]] Index rank() const { return scale_.size(); }
  [[nodiscard]] const Vector<double>& scale() const { return scale_; }  // that makes variances 1
  [[nodiscard]] double rms() const { return rms_; }                     // of the samples' entries
  // The mean, and a shift in these coordinates.
  [[nodiscard]] Vector<double> mean_shifted(const Vector<double>& shift) const {
    return mean_ + unit_.cwiseProduct(axes_ * shift);
  }

  // Samples in columns. Those that are zero, and those that equal one before, are left out: copies are no evidence, an
  // atom that codes one of them codes them all. `copies` is their number.
  [[nodiscard]] Matrix<double> coordinates_of(const Samples& samples, engine::Workers& workers, Index* copies) const;

  // Atoms in rows, in the coordinates of the samples.
  [[nodiscard]] RowMatrix<double> dictionary_of(const Matrix<double>& atoms) const;

 private:
  double rms_;
  Vector<double> unit_;  // of each feature: rms(), or its standard deviation where features are scaled
  Vector<double> mean_;
  Matrix<double> axes_;  // n × rank, orthonormal
  Vector<double> scale_;
};

}  // namespace orthodict::solver::overcomplete
