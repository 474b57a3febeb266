// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/stretch.h"
#include "orthodict/types.h"

namespace orthodict::solver {

// From this confidence on an atom counts as established.
constexpr double kEstablished = 0.5;

// How well directions are determined by samples, judged on coefficients of samples that weren't used to find them.
//
// For coefficients of unit variance and h = φ', the angle between atoms i and j that solves the estimating equation
// Σ h(z_i)z_j = Σ h(z_j)z_i has the variance
//   ω_ij² = E(h_i z_j − h_j z_i)² / (p·κ_ij²),   κ_ij = E(h_i z_i − h'_i z_j²) + E(h_j z_j − h'_j z_i²)
// (the asymptotic variance of an M-estimator; with independent coefficients and the posterior mean of their own mixture
// it is the Cramér–Rao bound). The curvature κ_ij is zero where turning the pair makes no difference: for two Gaussian
// coefficients, and for any whose joint distribution is round, however heavy its tails. It is negative at a saddle, and
// for coefficients that are less sparse than Gaussian ones.
class Determination {
 public:
  static constexpr Index kMatrices = 7;  // of the size of the codes, that are made of them

  // `codes` are the coefficients, a row per atom.
  Determination(Matrix<double> codes, const Stretch& stretch);

  // 1 − Σ_j ω_ij², the cos² to be expected of each atom that p samples determine; between 0 and 1. κ is taken at the
  // lower end of its range of error, so that chance doesn't make structure.
  [[nodiscard]] Vector<double> confidence(Index samples) const;

 private:
  Matrix<double> scatter_;    // E(h_i z_j − h_j z_i)²
  Matrix<double> curvature_;  // κ_ij at the lower end of its range of error
};

}  // namespace orthodict::solver
