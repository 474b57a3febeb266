// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include "orthodict/types.h"

namespace orthodict::baselines {

// Rounds a size up to whole SIMD vectors.
[[nodiscard]] Index padded(Index size);

// The data of a pursuit that all samples share.
class BatchOmp {
 public:
  // Atoms of unit norm in columns.
  explicit BatchOmp(const Matrix<double>& dictionary);

  [[nodiscard]] Index atoms() const { return atoms_; }
  [[nodiscard]] Index stride() const { return stride_; }  // padded(atoms): vectors over atoms are padded with zeros
  // DᵀD, atoms × atoms, in columns of that stride.
  [[nodiscard]] const double* gram(Index atom) const { return gram_.data() + atom * stride_; }

  // DᵀY for `count` samples, in columns of stride(): correlations has stride()·count entries.
  void correlate(const double* samples, Index count, double* correlations) const;

 private:
  const Matrix<double>& dictionary_;
  Index atoms_;
  Index stride_;
  Matrix<double> gram_;
};

// Orthogonal matching pursuit for one sample after the other, in terms of inner products only (Rubinstein, Zibulevsky,
// Elad 2008): given DᵀD, Dᵀy and ‖y‖², each step picks the atom with the largest correlation to the residual, and
// projects y to the span of the picked atoms.
//
// With Q the orthonormal basis that Gram–Schmidt makes of the picked atoms S, the columns w_i = Dᵀq_i are stored. Row s
// of them, for s in S, is a row of the Cholesky factor L of D_SᵀD_S, so a step costs 2·atoms·(picked so far)
// operations:
//
//   w_i = (DᵀD e_s − Σ_{j<i} L_ij w_j) / L_ii,   c_i = q_iᵀy,   Dᵀr ← Dᵀr − c_i w_i,   ‖r‖² ← ‖r‖² − c_i²
class Pursuit {
 public:
  // `omp` must outlive the pursuit.
  explicit Pursuit(const BatchOmp& omp);

  // Starts with a sample: Dᵀy in a column of omp.stride() entries, and ‖y‖².
  void start(const double* correlations, double squared_norm);

  static constexpr double kNoError = -std::numeric_limits<double>::infinity();
  // Picks atoms until there are `sparsity` of them, or ‖r‖² ≤ squared_error, or the residual is at the level of
  // rounding, or the next atom depends linearly on those picked.
  void extend(Index sparsity, double squared_error);

  [[nodiscard]] Index size() const { return static_cast<Index>(picked_.size()); }
  [[nodiscard]] const std::vector<Index>& picked() const { return picked_; }

  // The coefficients of the picked atoms, in the order of picked(): x = L⁻ᵀc, the least squares solution. Valid until
  // the next call.
  [[nodiscard]] const std::vector<double>& coefficients();

 private:
  [[nodiscard]] const double* basis(Index i) const { return basis_.data() + i * omp_.stride(); }
  bool pick(Index atom);

  const BatchOmp& omp_;
  std::vector<double> correlations_;  // Dᵀr
  std::vector<double> basis_;         // w_0, w_1, …
  std::vector<double> row_;           // row of L for the atom being picked
  std::vector<double> weights_;       // c
  std::vector<double> coefficients_;
  std::vector<Index> picked_;
  double squared_residual_ = 0;
  double smallest_ = 0;  // smaller correlations are rounding
};

}  // namespace orthodict::baselines
