// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/types.h"

namespace orthodict::baselines {

// The lasso, x = argmin ½‖y − Dx‖² + λ‖x‖₁, by cyclic coordinate descent on the Gram matrix (Friedman, Hastie, Höfling,
// Tibshirani 2007), for one sample after the other. x is optimal when
//
//   d_jᵀ(y − Dx) = λ·sign(x_j)  where x_j ≠ 0,      |d_jᵀ(y − Dx)| ≤ λ  elsewhere.
class Lasso {
 public:
  // `gram` is G = DᵀD, k×k, and must outlive the object; λ > 0.
  Lasso(const Matrix<double>& gram, double penalty) : gram_(gram), penalty_(penalty) {}

  // Starts from any code x. `correlations` is Dᵀ(y − Dx) and is kept up to date. Ends after a sweep over the atoms in
  // which no coefficient violated its condition by more than kAccuracy·λ, or after kMaxSweeps; another call continues.
  // Returns the number of sweeps. Zero atoms keep their coefficients.
  int solve(double* code, double* correlations) const;

  static constexpr double kAccuracy = 0.01;
  static constexpr int kMaxSweeps = 100;

 private:
  const Matrix<double>& gram_;
  double penalty_;
};

}  // namespace orthodict::baselines
