// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/types.h"

namespace orthodict::solver {

// Through a lens T·x is seen instead of x, for a square T. The default is the identity, and costs nothing.
class Lens {
 public:
  Lens() = default;
  // The lens through which samples with this second moment are white. Directions in which they don't vary stay as they
  // are.
  static Lens whitening(const Matrix<double>& second_moment);

  // B·T, the matrix whose coefficients of x are those of B through the lens.
  [[nodiscard]] Matrix<double> matcher(const Matrix<double>& b) const;
  // What is seen of a correlation with x, whose rows are vectors of x: C·Tᵀ.
  [[nodiscard]] Matrix<double> correlation(const Matrix<double>& c) const;
  [[nodiscard]] Vector<double> mean(const Vector<double>& mean) const;
  [[nodiscard]] Matrix<double> second_moment(const Matrix<double>& second_moment) const;

 private:
  [[nodiscard]] bool is_identity() const { return t_.size() == 0; }

  Matrix<double> t_;  // T; empty for the identity
};

}  // namespace orthodict::solver
