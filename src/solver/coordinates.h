// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "engine/moments.h"
#include "linalg/lapack.h"
#include "orthodict/fit.h"
#include "orthodict/types.h"

namespace orthodict::solver {

// What happens to the samples before they are matched.
struct Preprocessing {
  Whitening whiten = Whitening::kNone;
  bool center = false;
  // Whiten features at unit variance where all components are kept: their units then don't matter, whatever they are.
  bool equilibrate = false;
  std::optional<Atoms> atoms = {};
  double theta = 1;     // the variance of whitened samples
  bool square = false;  // A is square in the range of the samples, and its coefficients are as many as their rank
};

// Where principal components are cut off: the last one that is kept and the first one that isn't.
struct Cut {
  Vector<double> kept;     // a unit vector in the coordinates of the data
  Vector<double> dropped;  // likewise
  double kept_variance = 0;
  double dropped_variance = 0;
};

// How many of these falling numbers, which are no less than zero, it takes to hold a share of their sum.
[[nodiscard]] Index number_holding(double share, const Vector<double>& falling);

// The coordinates in which A is orthogonal: x = W(y − m), with W (d×n) and its pseudo-inverse. Centring and whitening
// are never applied to the data, they are folded into the step:
//
//   match with        B = A·W/rms and offset B·m
//   the step's matrix is   (Σφ'(z)yᵀ − (Σφ'(z))mᵀ)·Wᵀ
class Coordinates {
 public:
  // The second moment must be about the mean if samples are centred, and about zero otherwise. Throws Error, naming the
  // samples, when they are constant, and when `atoms` is beyond their rank.
  // Whitened samples have as many coordinates as atoms, those of the leading principal components. Others have all: of
  // a square A, and where atoms are to hold a share, those of most energy are left in a model.
  Coordinates(const engine::Moments& moments, const std::string& name, const Preprocessing& how);

  [[nodiscard]] Index features() const { return mean_.size(); }       // n
  [[nodiscard]] const Vector<double>& mean() const { return mean_; }  // m; zero where samples aren't centred

  [[nodiscard]] Index dimension() const { return dimension_; }  // d, the columns of A
  [[nodiscard]] Index atoms() const { return atoms_; }          // k, the rows of A
  // How many atoms a start that is given has: the rows of A, or as many as are left in a model.
  [[nodiscard]] Index given_atoms() const { return (kept_ ? kept_->count() : std::nullopt).value_or(atoms_); }
  [[nodiscard]] Index rank() const { return rank_; }
  [[nodiscard]] bool is_whitened() const { return whitened_; }
  [[nodiscard]] const std::optional<Cut>& cut() const { return cut_; }  // where there are fewer components than rank
  // Unwhitened data of less than full rank, and a square dictionary to learn: the coordinates are those of the data's
  // range, A (n×rank) has orthonormal columns, and model() completes it. The step is that of the square A, whose part
  // outside the range has no influence on it and would be chosen anew by rounding each time.
  [[nodiscard]] bool is_restricted() const { return complement_.cols() > 0; }
  [[nodiscard]] double mean_to_rms() const;          // rms of the entries of W·m, over rms()
  [[nodiscard]] double rms() const { return rms_; }  // root mean square of the entries of A·W(y − m)

  [[nodiscard]] Matrix<double> matcher(const Matrix<double>& a) const;  // B
  [[nodiscard]] Vector<double> offset(const Matrix<double>& b) const;   // B·m
  [[nodiscard]] Matrix<double> pull_back(const Matrix<double>& correlation,
                                         const Vector<double>& derivative_sums) const;
  [[nodiscard]] Matrix<double> times_unit_covariance(const Matrix<double>& a) const;  // A·Cov(x)/rms²

  // The atoms of a dictionary in the data's coordinates (rows), as rows of A before projection: D·Wᵀ.
  [[nodiscard]] Matrix<double> from_dictionary(const RowMatrix<double>& dictionary) const;
  // The atoms of an inverse of B, in the data's coordinates: its columns, before they are scaled.
  [[nodiscard]] Matrix<double> atoms_of(const Matrix<double>& inverse) const;
  // The model of A: unit-norm atoms in canonical order and sign.
  [[nodiscard]] Model model(const Matrix<double>& a) const;
  // The same for a square B that need not be orthogonal, for its inverse, and for a point of the coordinates, in units
  // of rms(), that is to be the mean. Where restricted, atoms outside the range complete it, with confidence zero.
  [[nodiscard]] Model model(const Matrix<double>& b, const Matrix<double>& inverse, const Vector<double>& shift,
                            const Vector<double>& confidence) const;

  // The unit vector of the coordinates along which the samples vary most, in the units of the data; nearly.
  [[nodiscard]] Vector<double> strongest_direction() const;
  // cos² to be expected between the part of each atom in the principal components that are kept, and that part in the
  // components of all data of this kind: so many samples tell them from those that are dropped only so far. 1 where
  // none are dropped. Where the cut is arbitrary, components that can't be told from the first one dropped have none.
  // Of atoms as the columns of an inverse of B.
  [[nodiscard]] Vector<double> certainty_of_components(const Matrix<double>& inverse, double samples,
                                                       bool cut_is_arbitrary) const;

  // Root mean square of the codes that a model gives to the samples, over the atoms that carry energy.
  [[nodiscard]] double code_rms(const Model& model) const;

  // W·(y − m)/rms, in place of Y's columns.
  [[nodiscard]] Matrix<double> apply(const Matrix<double>& y) const;
  [[nodiscard]] const Matrix<double>& unit_covariance() const { return unit_covariance_; }  // Cov(x)/rms²

 private:
  struct Components {
    Vector<double> feature_scale;
    linalg::SymmetricEigen eigen;
    Index rank = 0;
  };
  [[nodiscard]] Components decompose(bool equilibrate) const;
  [[nodiscard]] Components components_for(const Preprocessing& how) const;
  [[nodiscard]] Index atoms_for(const Preprocessing& how, const Components& components) const;
  void require_atoms(const std::optional<Atoms>& asked, const std::string& name) const;
  void whiten(const Components& components, const Preprocessing& how);
  void restrict_to_range(const Matrix<double>& vectors);
  void leave_most_energy(Model* model) const;
  [[nodiscard]] bool is_identity() const { return whitener_.size() == 0; }

  Index dimension_ = 0;
  Index atoms_ = 0;
  Index rank_ = 0;
  double rms_ = 0;
  bool whitened_ = false;
  std::optional<Atoms> kept_;  // what is left in a model of the atoms that are learned, where not all are
  std::optional<Cut> cut_;
  Vector<double> kept_variances_;     // of the principal components, where some are dropped
  Vector<double> dropped_variances_;  // likewise
  Vector<double> mean_;               // m
  Matrix<double> second_moment_;      // of y − m, n×n
  Matrix<double> whitener_;           // W, d×n; empty when it is the identity
  Matrix<double> unwhitener_;         // W's pseudo-inverse, n×d; empty when it is the identity
  Matrix<double> complement_;       // orthonormal basis of what is outside the range, n×(n − rank), when restricted
  Matrix<double> unit_covariance_;  // W·second_moment·Wᵀ/rms²
};

}  // namespace orthodict::solver
