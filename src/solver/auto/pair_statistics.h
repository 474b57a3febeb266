// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orthodict/types.h"

namespace orthodict::solver {

// What held-out samples say about atoms, through the fixed contrast g(z) = tanh z.
//
// Complex coefficients have the contrast tanh|z|·z/|z|, half of its divergence for g', and conjugates z̄_j; residual and
// torque are complex then, and their variances those of both parts. They needn't be circular: with h = ∂g/∂z̄,
//
//   residual   E h_i · E z̄_i z̄_j is subtracted as well, so that Stein's identity holds for any complex Gaussian noise.
//              Coefficients of independent sources have E z_i z_j = 0, so |E z_i z_j|² also counts as a share.
//   curvature  k_i has s_i Re(E h_i · E z̄_i²) in addition, which makes it zero for every Gaussian coefficient. The pair
//              turns by a complex angle, whose phase matters by m_ij = s_i cov(h_i, z̄_j²) + s_j cov(h̄_j, z_i²): the
//              least curvature, κ_ij − |m_ij|, is what counts. |m_ij| is shrunk towards zero.
//
// Coefficients are scaled to unit variance, and samples with coefficients longer than √(2d) are shortened to that
// length: a round distribution stays round, and heavy tails get no more weight than the rest. The sign s_i is −1 for an
// atom whose coefficients are less sparse than Gaussian ones. Three quantities are measured for each pair of atoms, by
// means over contiguous batches, so that their errors include the dependence of neighbouring samples:
//
//   residual   r_ij = E g_i z_j − E g'_i · E z_i z_j. For the true atoms it is zero, by Stein's identity, even if the
//              samples have Gaussian noise of any covariance; otherwise it is k_i times the share of atom j in atom i.
//              So it measures the errors of atoms, whatever their cause.
//   torque     t_ij = s_i r_ij − s_j r_ji: zero at fixed points of steps with bias removed. Its variance divided by
//              the squared curvature is the variance of the angle between the pair (as for any M-estimator).
//   curvature  κ_ij = k_i + k_j + c_ij with k_i = s_i E(g'_i − g_i z_i) of each single atom and
//              c_ij = s_i cov(g'_i, z_j²) + s_j cov(g'_j, z_i²). It is zero if turning the pair makes no difference:
//              for two Gaussian coefficients, and for any pair with a round joint distribution. The covariances are
//              shrunk towards the effect of shortening plus a term for each atom, by as much as their own errors
//              explain their differences from that.
struct PairStatistics {
  Index samples = 0;                       // samples used
  Index batches = 0;                       // with fewer than two there is no result
  Matrix<double> torque_variance = {};     // of a single sample: the variance of the mean, times samples
  Matrix<double> curvature = {};           // κ
  Matrix<double> curvature_variance = {};  // variance of κ
  Matrix<double> residual_share = {};     // (r_ij² − its variance)/k_i²: unbiased squared share of atom j in atom i
  Matrix<double> residual_variance = {};  // variance of r_ij, divided by k_i²
  double structure = 0;  // mean of κ over all pairs, in standard errors: above 3 there is some structure
};

// Computes the statistics from codes with one row per atom and one column per held-out sample, in the order of the
// recording. `ends` are the ends of the batches, `signs` the signs of the atoms. `slowness` multiplies the variance of
// each k_i; it is above 1 for an atom whose coefficients drift for longer than a batch. Samples are fresh if no stage
// has learned from them; otherwise the variance of the coefficients' scale also counts as an error.
// Complex codes have two rows per atom.
[[nodiscard]] PairStatistics measure_pairs(Matrix<double> codes, const std::vector<Index>& ends,
                                           const Vector<double>& signs, const Vector<double>& slowness, bool is_fresh,
                                           bool is_complex = false);

// For each atom, +1 if its coefficients are more sparse than Gaussian ones, else −1.
[[nodiscard]] Vector<double> signs_of(Matrix<double> codes, bool is_complex = false);

// Pools statistics on the same atoms from disjoint samples.
[[nodiscard]] PairStatistics pool(const std::vector<PairStatistics>& statistics);

// The squared relative share of atom j in atom i per unit of their angle in whitened coordinates: (1 − cos²(d_i,
// d_j))·‖d_j‖²σ_j²/(‖d_i‖²σ_i²). Atoms are columns, complex ones in real form; `spread` has the σ of their
// coefficients, one per column.
[[nodiscard]] Matrix<double> leverage_of_pairs(const Matrix<double>& atoms, const Vector<double>& spread,
                                               bool is_complex = false);

// 1/(1 + e_i), where e_i is the expected error of an atom learned from `samples` samples. It has two parts: the angles
// that these samples leave undetermined, weighted by their effect on the atom; and what the residuals show beyond the
// angles left undetermined by the `learned_from` samples from which the judged atoms were learned.
[[nodiscard]] Vector<double> confidence(const PairStatistics& statistics, const Matrix<double>& leverage,
                                        double learned_from, double samples);

// The error that the residuals show, at most 1 per atom, as a mean over atoms. Finishes are compared by it. The
// estimate is unbiased, so it may be negative; `variance` is its sampling variance.
struct ErrorShown {
  double mean = 0;
  double variance = 0;
};
[[nodiscard]] ErrorShown error_shown(const PairStatistics& statistics, const Matrix<double>& leverage);

}  // namespace orthodict::solver
