// SPDX-License-Identifier: Apache-2.0
#include "solver/coordinates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/blas.h"
#include "linalg/lapack.h"
#include "orthodict/error.h"
#include "solver/canonical.h"

namespace orthodict::solver {
namespace {

using linalg::multiply;
using linalg::Op;

// Eigenvalues of a computed covariance err by about n·ε of the largest: below that they can't be told from zero.
Index numerical_rank(const Vector<double>& rising_eigenvalues) {
  const Index n = rising_eigenvalues.size();
  const double least = static_cast<double>(n) * std::numeric_limits<double>::epsilon() * rising_eigenvalues[n - 1];
  return (rising_eigenvalues.array() > least).count();
}

// What makes k×r columns a square orthogonal matrix, in the coordinates of the data: an orthonormal basis of the rest
// of R^k, which spans the eigenvalue 1 of I − AAᵀ, against the basis of what is outside the range.
Matrix<double> complete(const Matrix<double>& columns, const Matrix<double>& complement) {
  const Index k = columns.rows();
  const Matrix<double> projector =
      Matrix<double>::Identity(k, k) - multiply(columns, Op::kNone, columns, Op::kTranspose);
  const Matrix<double> rest = linalg::symmetric_eigen(projector).vectors.rightCols(complement.cols());
  return multiply(rest, Op::kNone, complement, Op::kTranspose);
}

// One over the standard deviation of each feature; constant ones are left as they are.
Vector<double> to_unit_variance(const Matrix<double>& second_moment) {
  return second_moment.diagonal().unaryExpr([](double variance) { return variance > 0 ? 1 / std::sqrt(variance) : 1; });
}

}  // namespace

Coordinates::Coordinates(const engine::Moments& moments, const std::string& name, const Preprocessing& how)
    : dimension_(moments.mean.size()),
      whitened_(how.whiten != Whitening::kNone),
      feature_scale_(how.equilibrate ? to_unit_variance(moments.second_moment)
                                     : Vector<double>(Vector<double>::Ones(moments.mean.size()))),
      mean_(how.center ? moments.mean : Vector<double>(Vector<double>::Zero(moments.mean.size()))),
      second_moment_(moments.second_moment) {
  const linalg::SymmetricEigen eigen =
      linalg::symmetric_eigen(feature_scale_.asDiagonal() * second_moment_ * feature_scale_.asDiagonal());
  constexpr double kLeast = 1e-303;  // of a square whose last digits don't underflow much
  if (!(eigen.values[dimension_ - 1] > 0 && second_moment_.diagonal().maxCoeff() > kLeast)) {
    throw data_error(
        name, how.center
                  ? "all samples are equal, or differ by so little that squares underflow: there is nothing to learn"
                  : "all values are zero, or so small that their squares underflow: there is nothing to learn");
  }
  rank_ = numerical_rank(eigen.values);
  atoms_ = how.atoms.value_or(whitened_ ? rank_ : dimension_);
  require_atoms(how.atoms, name);
  rms_ =
      std::sqrt(whitened_ ? how.theta : second_moment_.trace() / static_cast<double>(how.square ? rank_ : dimension_));
  if (whitened_) {
    whiten(eigen.values, eigen.vectors, how);
  } else if (rank_ < atoms_) {
    restrict_to_range(eigen.vectors);
  }
  const Matrix<double> covariance =
      is_identity() ? second_moment_
                    : multiply(multiply(whitener_, second_moment_), Op::kNone, whitener_, Op::kTranspose);
  unit_covariance_ = covariance / (rms_ * rms_);
}

void Coordinates::require_atoms(std::optional<Index> atoms, const std::string& name) const {
  if (!atoms || *atoms <= rank_) return;
  throw option_error("atoms", fmt::format("{}", *atoms), fmt::format("1 … {}, the rank of {}", rank_, name));
}

// W = S·diag(√(θ/λ))·Uᵀ over the eigenpairs that are kept: S = U for ZCA, the paper's ((1/pθ)YYᵀ)^(−1/2), and the
// identity for PCA, which keeps the leading `atoms` pairs only. Where rank is lost ZCA has S = I too: A then lives in
// the range of the data, and no atom can fall outside.
void Coordinates::whiten(const Vector<double>& values, const Matrix<double>& vectors, const Preprocessing& how) {
  const bool pca = how.whiten == Whitening::kPca;
  const Index kept = pca ? atoms_ : rank_;
  const bool symmetric = !pca && rank_ == vectors.rows();
  const Matrix<double> u = vectors.rightCols(kept).rowwise().reverse();  // largest first
  const Vector<double> scale = (how.theta / values.tail(kept).reverse().array()).sqrt();
  Matrix<double> components = scale.asDiagonal() * u.transpose();  // kept×n
  Matrix<double> inverse = u * scale.cwiseInverse().asDiagonal();  // n×kept
  whitener_ = symmetric ? multiply(u, components) : std::move(components);
  unwhitener_ = symmetric ? multiply(inverse, Op::kNone, u, Op::kTranspose) : std::move(inverse);
  whitener_ *= feature_scale_.asDiagonal();
  unwhitener_ = feature_scale_.cwiseInverse().asDiagonal() * unwhitener_;
  dimension_ = kept;
}

void Coordinates::restrict_to_range(const Matrix<double>& vectors) {
  unwhitener_ = vectors.rightCols(rank_).rowwise().reverse();
  whitener_ = unwhitener_.transpose();
  complement_ = vectors.leftCols(vectors.cols() - rank_);
  dimension_ = rank_;
}

double Coordinates::mean_to_rms() const {
  const Vector<double> mean = is_identity() ? mean_ : Vector<double>(whitener_ * mean_);
  return mean.norm() / std::sqrt(static_cast<double>(mean.size())) / rms_;
}

Matrix<double> Coordinates::matcher(const Matrix<double>& a) const {
  return (is_identity() ? a : multiply(a, whitener_)) * (1 / rms_);
}

Vector<double> Coordinates::offset(const Matrix<double>& b) const { return b * mean_; }

Matrix<double> Coordinates::pull_back(const Matrix<double>& correlation, const Vector<double>& derivative_sums) const {
  const Matrix<double> centred = correlation - derivative_sums * mean_.transpose();
  return is_identity() ? centred : multiply(centred, Op::kNone, whitener_, Op::kTranspose);
}

Matrix<double> Coordinates::times_unit_covariance(const Matrix<double>& a) const {
  return multiply(a, unit_covariance_);
}

Matrix<double> Coordinates::from_dictionary(const RowMatrix<double>& dictionary) const {
  const Matrix<double> atoms = dictionary;
  return is_identity() ? atoms : multiply(atoms, Op::kNone, whitener_, Op::kTranspose);
}

double Coordinates::code_rms(const Model& model) const {
  const Matrix<double> analysis = model.analysis;
  const double energy = multiply(analysis, second_moment_).cwiseProduct(analysis).sum();
  return std::sqrt(energy / static_cast<double>(std::min(rank_, model.atoms())));
}

Matrix<double> Coordinates::apply(const Matrix<double>& y) const {
  const Matrix<double> centred = y.colwise() - mean_;
  return (is_identity() ? centred : multiply(whitener_, centred)) / rms_;
}

Model Coordinates::model(const Matrix<double>& a) const {
  Model model;
  model.mean = mean_;
  model.analysis = is_identity() ? a : multiply(a, whitener_);
  if (is_restricted()) model.analysis += complete(a, complement_);
  const bool orthogonal = is_identity() || is_restricted();
  model.dictionary =
      orthogonal ? model.analysis : RowMatrix<double>(multiply(a, Op::kNone, unwhitener_, Op::kTranspose));
  make_canonical(second_moment_, &model);
  if (orthogonal) model.analysis = model.dictionary;
  return model;
}

Model Coordinates::model(const Matrix<double>& b, const Matrix<double>& inverse, const Vector<double>& shift,
                         const Vector<double>& confidence) const {
  const Index d = b.rows();
  const Index rest = complement_.cols();
  Model model;
  model.mean = mean_ + rms_ * (is_identity() ? shift : Vector<double>(unwhitener_ * shift));
  model.analysis.resize(d + rest, features());
  model.dictionary.resize(d + rest, features());
  model.analysis.topRows(d) = is_identity() ? b : multiply(b, whitener_);
  model.dictionary.topRows(d) = is_identity() ? Matrix<double>(inverse.transpose())
                                              : multiply(inverse, Op::kTranspose, unwhitener_, Op::kTranspose);
  if (rest > 0) {
    model.analysis.bottomRows(rest) = complement_.transpose();
    model.dictionary.bottomRows(rest) = complement_.transpose();
  }
  model.confidence = Vector<double>::Zero(d + rest);
  model.confidence.head(d) = confidence;
  make_canonical(second_moment_, &model);
  if (!whitened_) model.analysis = model.dictionary;
  return model;
}

}  // namespace orthodict::solver
