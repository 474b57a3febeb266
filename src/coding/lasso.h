// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/types.h"

namespace orthodict::coding {

// When the descent for a lasso ends.
struct LassoEnd {
  double accuracy =
      0.01;  // after a sweep that leaves no condition violated by more than accuracy·λ, or changes nothing
  int max_sweeps = 100;  // or after so many sweeps
};

// The lasso, x = argmin ½‖y − Dx‖² + λ‖x‖₁, by cyclic coordinate descent on the Gram matrix (Friedman, Hastie, Höfling,
// Tibshirani 2007), for one sample after the other. x is optimal when
//
//   d_jᵀ(y − Dx) = λ·sign(x_j)  where x_j ≠ 0,      |d_jᵀ(y − Dx)| ≤ λ  elsewhere.
//
// With conditions violated by δλ at most, the duality gap is at most (2δ + δ²)·(½‖y − Dx‖² + λ‖x‖₁): y − Dx shrunk by
// 1 + δ is feasible for the dual problem. It starts from any code, and takes rough answers; for exact ones from nothing
// see active_set.h.
template <typename Scalar>
class Lasso {
 public:
  // `gram` is G = DᵀD, `atoms` columns of `stride` entries; λ > 0.
  Lasso(const Scalar* gram, Index atoms, Index stride, double penalty, LassoEnd end = {})
      : gram_(gram), atoms_(atoms), stride_(stride), penalty_(penalty), end_(end) {}

  // Starts from any code x. `correlations` is Dᵀ(y − Dx) and is kept up to date. Returns the number of sweeps; another
  // call continues. Zero atoms keep their coefficients.
  int solve(Scalar* code, Scalar* correlations) const;

 private:
  [[nodiscard]] double largest_violation(const Scalar* code, const Scalar* correlations) const;

  const Scalar* gram_;
  Index atoms_;
  Index stride_;
  double penalty_;
  LassoEnd end_;
};

extern template class Lasso<float>;
extern template class Lasso<double>;

}  // namespace orthodict::coding
