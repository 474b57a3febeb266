// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orthodict/types.h"

namespace orthodict::solver {

// What samples that weren't used to find atoms say of them, through the fixed contrast g(z) = tanh z.
//
// Coefficients have unit variance here, and a sample whose coefficients are longer than √(2d) is cut to that length: a
// round distribution stays round, and heavy tails weigh no more than the rest. The sign s_i is −1 for an atom whose
// coefficients are less sparse than Gaussian ones. Three facts are measured for each pair of atoms, by means over
// contiguous batches, so that their errors count the dependence of neighbouring samples:
//
//   residual   r_ij = E g_i z_j − E g'_i · E z_i z_j. It is zero for the true atoms even if the samples have Gaussian
//              noise of any covariance, by Stein's identity, and k_i times the share of atom j in atom i otherwise. So
//              it measures the errors that atoms have, whatever their cause.
//   torque     t_ij = s_i r_ij − s_j r_ji: zero where steps with bias removed come to rest. Its variance over
//              the curvature squared is the variance of the angle between the pair (an M-estimator's).
//   curvature  κ_ij = k_i + k_j + c_ij with k_i = s_i E(g'_i − g_i z_i) of each atom by itself and
//              c_ij = s_i cov(g'_i, z_j²) + s_j cov(g'_j, z_i²). It is zero where turning the pair makes no difference:
//              for two Gaussian coefficients, and for any whose joint distribution is round. The covariances are shrunk
//              towards what cuts make of them and a term for each atom, by as much as their own errors explain how they
//              differ from these.
struct Testimony {
  Index samples = 0;                    // that were heard
  Index batches = 0;                    // fewer than two say nothing
  Matrix<double> torque_variance = {};  // of one sample, as if they were independent: that of the mean, times samples
  Matrix<double> curvature = {};        // κ
  Matrix<double> curvature_variance = {};  // of that estimate
  Matrix<double> residual_share = {};     // (r_ij² − its variance)/k_i²: of atom j in atom i, squared, without bias
  Matrix<double> residual_variance = {};  // of r_ij, over k_i²
  double structure = 0;  // the mean of κ over all pairs, over its standard error: above 3 there is some structure
};

// A row per atom and a column per sample held out, in the order of the recording; `ends` are where batches end.
// `signs` are those of the atoms. `slowness` is what the variance of each k_i is multiplied by: above 1 for an atom
// whose coefficients drift for longer than a batch. Samples are fresh if no stage has learned from them. Otherwise the
// variance of the coefficients' scale counts as an error too.
[[nodiscard]] Testimony hear(Matrix<double> codes, const std::vector<Index>& ends, const Vector<double>& signs,
                             const Vector<double>& slowness, bool is_fresh);

// +1 or −1 for each atom: whether its coefficients are more sparse than Gaussian ones, or less.
[[nodiscard]] Vector<double> signs_of(Matrix<double> codes);

// Several of the same atoms, from samples of their own.
[[nodiscard]] Testimony pool(const std::vector<Testimony>& testimonies);

// How much of atom j there is in atom i, squared and relative, for each unit of their angle in whitened coordinates:
// (1 − cos²(d_i, d_j))·‖d_j‖²σ_j²/(‖d_i‖²σ_i²). Atoms are columns, and `spread` has the σ of their coefficients.
[[nodiscard]] Matrix<double> leverage_of_pairs(const Matrix<double>& atoms, const Vector<double>& spread);

// 1/(1 + e_i) for the error e_i to be expected of an atom that is learned from `samples` samples: the angles that they
// leave undetermined, weighed by what they do to the atom, and what the residuals show beyond the angles that the
// `learned_from` samples of the atoms heard leave undetermined.
[[nodiscard]] Vector<double> confidence(const Testimony& testimony, const Matrix<double>& leverage, double learned_from,
                                        double samples);

// The error that the residuals show, at most 1 for an atom, as a mean over atoms: what finishes are compared by. An
// estimate without bias, which may be negative, and the variance that chance gives it.
struct ErrorShown {
  double mean = 0;
  double variance = 0;
};
[[nodiscard]] ErrorShown error_shown(const Testimony& testimony, const Matrix<double>& leverage);

}  // namespace orthodict::solver
