// SPDX-License-Identifier: Apache-2.0
#include "solver/coordinates.h"

#include <fmt/format.h>

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

}  // namespace

Coordinates::Coordinates(const engine::Moments& moments, const Samples& samples, const Options& options)
    : dimension_(samples.dimension()),
      mean_(options.center ? moments.mean : Vector<double>(Vector<double>::Zero(samples.dimension()))),
      second_moment_(moments.second_moment) {
  const bool whitens = options.whiten != Whitening::kNone;
  const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(second_moment_);
  if (!(eigen.values[dimension_ - 1] > 0)) {
    throw data_error(
        samples.name(),
        options.center
            ? "all samples are equal, or differ by so little that squares underflow: there is nothing to learn"
            : "all values are zero, or so small that their squares underflow: there is nothing to learn");
  }
  rank_ = numerical_rank(eigen.values);
  atoms_ = options.atoms.value_or(whitens ? rank_ : dimension_);
  if (options.atoms && *options.atoms > rank_) {
    throw option_error("atoms", fmt::format("{}", *options.atoms),
                       fmt::format("1 … {}, the rank of {}", rank_, samples.name()));
  }
  rms_ = std::sqrt(whitens ? options.theta.value_or(1.0) : second_moment_.trace() / static_cast<double>(dimension_));
  if (whitens) {
    whiten(eigen.values, eigen.vectors, options);
  } else if (rank_ < atoms_) {
    restrict_to_range(eigen.vectors);
  }
  const Matrix<double> covariance =
      is_identity() ? second_moment_
                    : multiply(multiply(whitener_, second_moment_), Op::kNone, whitener_, Op::kTranspose);
  unit_covariance_ = covariance / (rms_ * rms_);
}

// W = S·diag(√(θ/λ))·Uᵀ over the eigenpairs that are kept: S = U for ZCA, the paper's ((1/pθ)YYᵀ)^(−1/2), and the
// identity for PCA, which keeps the leading `atoms` pairs only. Where rank is lost ZCA has S = I too: A then lives in
// the range of the data, and no atom can fall outside.
void Coordinates::whiten(const Vector<double>& values, const Matrix<double>& vectors, const Options& options) {
  const bool pca = options.whiten == Whitening::kPca;
  const Index kept = pca ? atoms_ : rank_;
  const bool symmetric = !pca && rank_ == vectors.rows();
  const Matrix<double> u = vectors.rightCols(kept).rowwise().reverse();  // largest first
  const Vector<double> scale = (options.theta.value_or(1.0) / values.tail(kept).reverse().array()).sqrt();
  Matrix<double> components = scale.asDiagonal() * u.transpose();  // kept×n
  Matrix<double> inverse = u * scale.cwiseInverse().asDiagonal();  // n×kept
  whitener_ = symmetric ? multiply(u, components) : std::move(components);
  unwhitener_ = symmetric ? multiply(inverse, Op::kNone, u, Op::kTranspose) : std::move(inverse);
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

}  // namespace orthodict::solver
