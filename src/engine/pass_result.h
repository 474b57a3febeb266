// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "linalg/complex.h"
#include "orthodict/types.h"

namespace orthodict::engine {

// What a pass computes. Each value includes the one before it.
enum class PassOutput { kObjective, kCorrelation, kRegression };

// The sums over all samples that one pass computes, for Z = B·Y − offset (k×p). Sums over more than a few blocks are in
// double precision whatever the arithmetic of the pass. For complex samples z and y are complex, with matrices in real
// form and conjugate transposes, and two rows have the sums of half of φ(|z|), of φ'(|z|)·z/|z|, and of half of the
// Laplacian of φ(|z|) each.
struct PassResult {
  Matrix<double> correlation;  // Σ_j φ'(z_j) y_jᵀ, k×n; empty for PassOutput::kObjective
  Matrix<double> gram;        // Σ_j φ'(z_j) φ'(z_j)ᵀ, lower triangle of k×k; empty unless PassOutput::kRegression
  Vector<double> value_sums;  // Σ_j φ(z_ij), one per atom
  Vector<double> derivative_sums;  // Σ_j φ'(z_ij), one per atom
  Vector<double> curvature_sums;   // Σ_j φ''(z_ij), one per atom
  Index atoms = 0;                 // rows that aren't padding

  // `rows` ≥ `atom_count`: kernels that process several atoms at once add padding rows after the atoms.
  PassResult(Index atom_count, Index rows, Index dimension, PassOutput output)
      : correlation(output == PassOutput::kObjective ? 0 : rows, dimension),
        gram(output == PassOutput::kRegression ? rows : 0, output == PassOutput::kRegression ? rows : 0),
        value_sums(rows),
        derivative_sums(rows),
        curvature_sums(rows),
        atoms(atom_count) {
    clear();
  }
  void clear() {
    correlation.setZero();
    gram.setZero();
    value_sums.setZero();
    derivative_sums.setZero();
    curvature_sums.setZero();
  }
  [[nodiscard]] double objective() const { return value_sums.head(atoms).sum(); }  // Σ_ij φ(z_ij)
  // The Gram matrix needs no change: only the GEMM kernel computes it, and that kernel has no padding.
  void drop_padding() {
    correlation.conservativeResize(std::min(atoms, correlation.rows()), Eigen::NoChange);
    value_sums.conservativeResize(atoms);
    derivative_sums.conservativeResize(atoms);
    curvature_sums.conservativeResize(atoms);
  }
  // From products of the real and imaginary parts to those of complex numbers.
  void take_complex_products() {
    correlation = linalg::complex_products(correlation);
    gram = linalg::complex_products(gram.selfadjointView<Eigen::Lower>());
  }
  // Adds the sums over a block: columns Σφ, Σφ' and Σφ''; one row per atom, then padding.
  template <typename Scalar>
  void add_sums(const Matrix<Scalar>& sums) {
    value_sums += sums.col(0).template cast<double>();
    derivative_sums += sums.col(1).template cast<double>();
    curvature_sums += sums.col(2).template cast<double>();
  }
  void add(const PassResult& other) {
    correlation += other.correlation;
    gram += other.gram;
    value_sums += other.value_sums;
    derivative_sums += other.derivative_sums;
    curvature_sums += other.curvature_sums;
  }
  // Visits all numbers except padding.
  template <typename Visit>
  void for_each_part(const Visit& visit) {
    const auto size = static_cast<std::size_t>(atoms);
    if (correlation.rows() > 0) {
      for (Index j = 0; j < correlation.cols(); ++j) visit(std::span(correlation.col(j).data(), size));
    }
    for (Index j = 0; j < gram.cols(); ++j) visit(std::span(gram.col(j).data(), size));
    visit(std::span(value_sums.data(), size));
    visit(std::span(derivative_sums.data(), size));
    visit(std::span(curvature_sums.data(), size));
  }
};

}  // namespace orthodict::engine
