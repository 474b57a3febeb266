// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "orthodict/types.h"

namespace orthodict::engine {

// Each asks for what the one before gives, and more.
enum class Want { kObjective, kCorrelation, kRegression };

// What one pass over the samples gives, for Z = B·Y − offset (k×p). Sums over more than a few blocks are made in double
// whatever the arithmetic of the pass.
struct PassResult {
  Matrix<double> correlation;  // Σ_j φ'(z_j) y_jᵀ, k×n; empty when only the objective was asked for
  Matrix<double> gram;         // Σ_j φ'(z_j) φ'(z_j)ᵀ, lower triangle of k×k; empty unless asked for a regression
  Vector<double> derivative_sums;  // Σ_j φ'(z_ij), one per atom
  Vector<double> curvature_sums;   // Σ_j φ''(z_ij), one per atom
  double objective = 0;            // Σ_ij φ(z_ij)

  PassResult(Index atoms, Index dimension, Want want)
      : correlation(want == Want::kObjective ? 0 : atoms, dimension),
        gram(want == Want::kRegression ? atoms : 0, want == Want::kRegression ? atoms : 0),
        derivative_sums(atoms),
        curvature_sums(atoms) {
    clear();
  }
  void clear() {
    correlation.setZero();
    gram.setZero();
    derivative_sums.setZero();
    curvature_sums.setZero();
    objective = 0;
  }
  // Keeps the first `atoms` rows; there is no gram to cut where rows are padded.
  void keep_rows(Index atoms) {
    correlation.conservativeResize(std::min(atoms, correlation.rows()), Eigen::NoChange);
    derivative_sums.conservativeResize(atoms);
    curvature_sums.conservativeResize(atoms);
  }
  // Adds the sums over a block: Σφ, Σφ' and Σφ'' in the columns, a row for each atom and then those of the padding.
  template <typename Scalar>
  void add_sums(const Matrix<Scalar>& sums, Index atoms) {
    objective += sums.col(0).head(atoms).template cast<double>().sum();
    derivative_sums += sums.col(1).template cast<double>();
    curvature_sums += sums.col(2).template cast<double>();
  }
  void add(const PassResult& other) {
    correlation += other.correlation;
    gram += other.gram;
    derivative_sums += other.derivative_sums;
    curvature_sums += other.curvature_sums;
    objective += other.objective;
  }
};

}  // namespace orthodict::engine
