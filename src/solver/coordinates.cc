// SPDX-License-Identifier: Apache-2.0
#include "solver/coordinates.h"

#include <fmt/format.h>

#include <cmath>

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

}  // namespace

template <typename Scalar>
Coordinates<Scalar>::Coordinates(const engine::Moments& moments, const Samples& samples, const Options& options)
    : dimension_(samples.dimension()),
      whitened_(options.whiten != Whitening::kNone),
      mean_(options.center ? moments.mean : Vector<double>(Vector<double>::Zero(samples.dimension()))),
      second_moment_(moments.second_moment) {
  const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(second_moment_);
  if (!(eigen.values[dimension_ - 1] > 0)) {
    throw data_error(samples.name(),
                     options.center
                         ? "all samples are equal: there is nothing to learn"
                         : "all values are zero, or so small that their squares underflow: there is nothing to learn");
  }
  rank_ = numerical_rank(eigen.values);
  atoms_ = options.atoms.value_or(whitened_ ? rank_ : dimension_);
  if (options.atoms && *options.atoms > rank_) {
    throw option_error("atoms", fmt::format("{}", *options.atoms),
                       fmt::format("1 … {}, the rank of {}", rank_, samples.name()));
  }
  if (whitened_) {
    whiten(eigen.values, eigen.vectors, options);
    rms_ = std::sqrt(options.theta.value_or(1.0));
  } else {
    rms_ = std::sqrt(second_moment_.trace() / static_cast<double>(dimension_));
  }
  const Matrix<double> covariance =
      whitened_ ? multiply(multiply(whitener_, second_moment_), Op::kNone, whitener_, Op::kTranspose) : second_moment_;
  unit_covariance_ = (covariance / (rms_ * rms_)).template cast<Scalar>();
}

// W = S·diag(√(θ/λ))·Uᵀ over the eigenpairs that are kept: S = U for ZCA, the paper's ((1/pθ)YYᵀ)^(−1/2), and the
// identity for PCA, which keeps the leading `atoms` pairs only.
template <typename Scalar>
void Coordinates<Scalar>::whiten(const Vector<double>& values, const Matrix<double>& vectors, const Options& options) {
  const bool pca = options.whiten == Whitening::kPca;
  const Index kept = pca ? atoms_ : rank_;
  const Index n = vectors.rows();
  const Matrix<double> u = vectors.rightCols(kept).rowwise().reverse();  // largest first
  const Vector<double> scale = (options.theta.value_or(1.0) / values.tail(kept).reverse().array()).sqrt();
  Matrix<double> components = scale.asDiagonal() * u.transpose();  // kept×n
  Matrix<double> inverse = u * scale.cwiseInverse().asDiagonal();  // n×kept
  whitener_ = pca ? std::move(components) : multiply(u, components);
  unwhitener_ = pca ? std::move(inverse) : multiply(inverse, Op::kNone, u, Op::kTranspose);
  dimension_ = pca ? kept : n;
  working_whitener_ = whitener_.template cast<Scalar>();
}

template <typename Scalar>
Matrix<Scalar> Coordinates<Scalar>::matcher(const Matrix<Scalar>& a) const {
  return (whitened_ ? multiply(a, working_whitener_) : a) * static_cast<Scalar>(1 / rms_);
}

template <typename Scalar>
Vector<Scalar> Coordinates<Scalar>::offset(const Matrix<Scalar>& b) const {
  return (b.template cast<double>() * mean_).template cast<Scalar>();
}

template <typename Scalar>
Matrix<Scalar> Coordinates<Scalar>::pull_back(const Matrix<Scalar>& correlation,
                                              const Vector<double>& derivative_sums) const {
  const Matrix<Scalar> centred = correlation - (derivative_sums * mean_.transpose()).template cast<Scalar>();
  return whitened_ ? multiply(centred, Op::kNone, working_whitener_, Op::kTranspose) : centred;
}

template <typename Scalar>
Matrix<Scalar> Coordinates<Scalar>::times_unit_covariance(const Matrix<Scalar>& a) const {
  return multiply(a, unit_covariance_);
}

template <typename Scalar>
Matrix<Scalar> Coordinates<Scalar>::from_dictionary(const RowMatrix<double>& dictionary) const {
  const Matrix<double> atoms = dictionary;
  return (whitened_ ? multiply(atoms, Op::kNone, whitener_, Op::kTranspose) : atoms).template cast<Scalar>();
}

template <typename Scalar>
Model Coordinates<Scalar>::model(const Matrix<Scalar>& a) const {
  const Matrix<double> rows = a.template cast<double>();
  Model model;
  model.mean = mean_;
  model.analysis = whitened_ ? multiply(rows, whitener_) : rows;
  model.dictionary = whitened_ ? multiply(rows, Op::kNone, unwhitener_, Op::kTranspose) : rows;
  make_canonical(second_moment_, &model);
  if (!whitened_) model.analysis = model.dictionary;
  return model;
}

template class Coordinates<float>;
template class Coordinates<double>;

}  // namespace orthodict::solver
