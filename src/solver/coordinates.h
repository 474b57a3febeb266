// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/moments.h"
#include "linalg/complex.h"
#include "linalg/lapack.h"
#include "orthodict/fit.h"
#include "orthodict/types.h"

namespace orthodict::solver {

// The preprocessing of samples before they are matched.
struct Preprocessing {
  Whitening whiten = Whitening::kNone;
  bool center = false;
  // Scale features to unit variance before whitening, if all components are kept; the result then doesn't depend on
  // their units.
  bool equilibrate = false;
  std::optional<Atoms> atoms = {};
  double theta = 1;         // variance of whitened samples
  bool is_complex = false;  // of complex samples, which interleave real and imaginary parts
  bool square = false;      // A is square in the range of the samples: as many coefficients as their rank
};

// The cut-off of principal components: the last one kept and the first one dropped.
struct Cut {
  Vector<double> kept;     // unit vector in the coordinates of the data
  Vector<double> dropped;  // likewise
  double kept_variance = 0;
  double dropped_variance = 0;
};

// How well each atom comes again in other runs, as in Model. Empty where there is a single run.
struct Repetition {
  Vector<double> stability = {};
  Vector<double> found = {};
  Vector<double> resampled_stability = {};
  Vector<double> resampled_found = {};

  // Of these atoms, in this order.
  void keep(const std::vector<Index>& atoms);
};

// How many eigenvalues of a computed covariance can be told from zero.
[[nodiscard]] Index numerical_rank(const Vector<double>& rising_eigenvalues);

// The smallest number of these non-negative descending values that has a given share of their sum.
[[nodiscard]] Index number_for_share(double share, const Vector<double>& falling);

// The coordinates of complex samples are complex: all matrices are in real form (linalg/complex.h), with two rows per
// atom, and second moments are those of y·yᴴ. Units are the rms of complex numbers.
//
// The coordinates in which A is orthogonal: x = W(y − m), with W (d×n) and its pseudo-inverse. Centring and whitening
// are never applied to the data; they are folded into the step:
//
//   match with        B = A·W/rms and offset B·m
//   the step's matrix is   (Σφ'(z)yᵀ − (Σφ'(z))mᵀ)·Wᵀ
class Coordinates {
 public:
  // The second moment must be about the mean if samples are centred, and about zero otherwise. Throws Error, naming the
  // samples, if they are constant or if `atoms` exceeds their rank. Whitened samples have one coordinate per atom,
  // along the leading principal components. Otherwise all coordinates are kept; if A is square or `atoms` is a share,
  // the model keeps the atoms with the most energy.
  Coordinates(const engine::Moments& moments, const std::string& name, const Preprocessing& how);

  [[nodiscard]] bool is_complex() const { return is_complex_; }
  [[nodiscard]] Index reals() const { return linalg::reals(is_complex_); }  // rows of A per atom
  [[nodiscard]] Index features() const { return mean_.size(); }             // n
  [[nodiscard]] const Vector<double>& mean() const { return mean_; }        // m; zero if samples aren't centred

  [[nodiscard]] Index dimension() const { return dimension_; }  // d, the columns of A
  [[nodiscard]] Index atoms() const { return atoms_; }          // k, the rows of A
  // The number of atoms that a given start must have: those of A, or the number kept in the model.
  [[nodiscard]] Index given_atoms() const { return (kept_ ? kept_->count() : std::nullopt).value_or(atoms_ / reals()); }
  [[nodiscard]] Index rank() const { return rank_; }
  [[nodiscard]] bool is_whitened() const { return whitened_; }
  [[nodiscard]] const std::optional<Cut>& cut() const { return cut_; }  // set if components < rank
  // Whether the data are unwhitened and rank-deficient, for a square dictionary. Then the coordinates are those of the
  // data's range, A (n×rank) has orthonormal columns, and model() completes it. The step is that of the square A: the
  // part outside the range doesn't influence it and would be determined by rounding only.
  [[nodiscard]] bool is_restricted() const { return complement_.cols() > 0; }
  [[nodiscard]] double mean_to_rms() const;          // rms of the entries of W·m, divided by rms()
  [[nodiscard]] double rms() const { return rms_; }  // root mean square of the entries of A·W(y − m)

  [[nodiscard]] Matrix<double> matcher(const Matrix<double>& a) const;  // B
  [[nodiscard]] Vector<double> offset(const Matrix<double>& b) const;   // B·m
  [[nodiscard]] Matrix<double> pull_back(const Matrix<double>& correlation,
                                         const Vector<double>& derivative_sums) const;
  [[nodiscard]] Matrix<double> times_unit_covariance(const Matrix<double>& a) const;  // A·Cov(x)/rms²

  // Atoms (rows, as in a model) in the data's coordinates, as rows of A before projection: D·Wᵀ.
  [[nodiscard]] Matrix<double> from_dictionary(const RowMatrix<double>& dictionary) const;
  // Rows of a square A in the data's coordinates, likewise.
  [[nodiscard]] Matrix<double> from_rows(const Matrix<double>& rows) const;
  // The atoms that correspond to an inverse of B, as columns in the data's coordinates, not normalised.
  [[nodiscard]] Matrix<double> atoms_of(const Matrix<double>& inverse) const;
  // The model of A, with unit-norm atoms in canonical order and sign. `repetition` is that of the rows of A.
  [[nodiscard]] Model model(const Matrix<double>& a, const Repetition& repetition = {}) const;
  // The same for a square B that need not be orthogonal, and its inverse. `shift` is the mean in these coordinates, in
  // units of rms(). If restricted, atoms outside the range, with confidence zero, complete the model.
  // `confidence` is empty where atoms aren't judged.
  [[nodiscard]] Model model(const Matrix<double>& b, const Matrix<double>& inverse, const Vector<double>& shift,
                            const Vector<double>& confidence, const Repetition& repetition = {}) const;

  // An approximation of the direction (unit vector) in which the samples vary most, in the units of the data.
  [[nodiscard]] Vector<double> strongest_direction() const;
  // The covariance in these coordinates, in units of rms()², of samples with these moments, about m; the second moment
  // is about zero.
  [[nodiscard]] Matrix<double> unit_covariance_of(const engine::Moments& moments) const;
  // The expected cos² between each atom's projections to the estimated and to the true principal components. A finite
  // number of samples distinguishes kept and dropped components only to some degree. 1 if none are dropped. If the cut
  // is arbitrary, components that can't be distinguished from the first dropped one have 0. Atoms are given as columns
  // of an inverse of B.
  [[nodiscard]] Vector<double> certainty_of_components(const Matrix<double>& inverse, double samples,
                                                       bool cut_is_arbitrary) const;

  // The root mean square of a model's codes of the samples, over the atoms that have energy.
  [[nodiscard]] double code_rms(const Model& model) const;

  // W·(y − m)/rms for the columns of Y.
  [[nodiscard]] Matrix<double> apply(const Matrix<double>& y) const;
  [[nodiscard]] const Matrix<double>& unit_covariance() const { return unit_covariance_; }  // Cov(x)/rms²

 private:
  struct Components {
    Vector<double> feature_scale;
    linalg::SymmetricEigen eigen;
    Index rank = 0;
  };
  [[nodiscard]] Matrix<double> of_products(const Matrix<double>& moment) const;
  [[nodiscard]] Model model_of(const Matrix<double>& analysis, const Matrix<double>& dictionary) const;
  [[nodiscard]] Components decompose(bool equilibrate) const;
  [[nodiscard]] Components components_for(const Preprocessing& how) const;
  [[nodiscard]] Index atoms_for(const Preprocessing& how, const Components& components) const;
  void require_atoms(const std::optional<Atoms>& asked, const std::string& name) const;
  void whiten(const Components& components, const Preprocessing& how);
  void restrict_to_range(const Matrix<double>& vectors);
  void leave_most_energy(Model* model) const;
  [[nodiscard]] bool is_identity() const { return whitener_.size() == 0; }

  bool is_complex_ = false;
  Index dimension_ = 0;
  Index atoms_ = 0;
  Index rank_ = 0;
  double rms_ = 0;
  bool whitened_ = false;
  std::optional<Atoms> kept_;  // number of atoms to keep in a model, if not all are kept
  std::optional<Cut> cut_;
  Vector<double> kept_variances_;     // of the principal components, if some are dropped
  Vector<double> dropped_variances_;  // likewise
  Vector<double> mean_;               // m
  Matrix<double> second_moment_;      // of y − m, n×n
  Matrix<double> whitener_;           // W, d×n; empty if W is the identity
  Matrix<double> unwhitener_;         // W's pseudo-inverse, n×d; empty if W is the identity
  Matrix<double> complement_;         // orthonormal basis outside the range, n×(n − rank), if restricted
  Matrix<double> unit_covariance_;    // W·second_moment·Wᵀ/rms²
};

}  // namespace orthodict::solver
