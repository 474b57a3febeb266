// SPDX-License-Identifier: Apache-2.0
#include "solver/coordinates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "linalg/blas.h"
#include "orthodict/error.h"
#include "solver/beyond_rank.h"
#include "solver/canonical.h"

namespace orthodict::solver {
namespace {

using linalg::multiply;
using linalg::Op;

constexpr double kLeastGap = 1e-6;  // least relative gap between eigenvalues; closer ones count as equal

// Completes k×r orthonormal columns A to a square orthogonal matrix, in the coordinates of the data: pairs an
// orthonormal basis of the rest of R^k (the eigenspace of I − AAᵀ for the eigenvalue 1) with the basis outside the
// range.
Matrix<double> complete(const Matrix<double>& columns, const Matrix<double>& complement, bool is_complex) {
  const Index k = columns.rows();
  const Matrix<double> projector =
      Matrix<double>::Identity(k, k) - multiply(columns, Op::kNone, columns, Op::kTranspose);
  const Matrix<double> rest = linalg::eigen(projector, is_complex).vectors.rightCols(complement.cols());
  return multiply(rest, Op::kNone, complement, Op::kTranspose);
}

// The values of the first atoms, and zeros for the others; nothing if there are none.
Vector<double> with_zeros(const Vector<double>& values, Index atoms) {
  if (values.size() == 0) return values;
  Vector<double> all = Vector<double>::Zero(atoms);
  all.head(values.size()) = values;
  return all;
}

void describe(const Repetition& repetition, Model* model) {
  model->stability = with_zeros(repetition.stability, model->atoms());
  model->found = with_zeros(repetition.found, model->atoms());
  model->resampled_stability = with_zeros(repetition.resampled_stability, model->atoms());
  model->resampled_found = with_zeros(repetition.resampled_found, model->atoms());
}

// The last columns in reverse order, and of complex ones both columns in theirs.
Matrix<double> largest_first(const Matrix<double>& vectors, Index columns, bool is_complex) {
  Matrix<double> reversed = vectors.rightCols(columns).rowwise().reverse();
  for (Index j = 0; is_complex && j < columns; j += 2) reversed.col(j).swap(reversed.col(j + 1));
  return reversed;
}

// The inverse standard deviation of each feature; 1 for constant features.
Vector<double> to_unit_variance(const Matrix<double>& second_moment) {
  return second_moment.diagonal().unaryExpr([](double variance) { return variance > 0 ? 1 / std::sqrt(variance) : 1; });
}

}  // namespace

void Repetition::keep(const std::vector<Index>& atoms) {
  for (Vector<double>* values : {&stability, &found, &resampled_stability, &resampled_found}) {
    if (values->size() > 0) *values = Vector<double>((*values)(atoms));
  }
}

// Eigenvalues have errors of about n·ε times the largest.
Index numerical_rank(const Vector<double>& rising_eigenvalues) {
  const Index n = rising_eigenvalues.size();
  const double least = static_cast<double>(n) * std::numeric_limits<double>::epsilon() * rising_eigenvalues[n - 1];
  return (rising_eigenvalues.array() > least).count();
}

Index number_for_share(double share, const Vector<double>& falling) {
  const double enough = share * falling.sum();
  double held = 0;
  Index number = 0;
  while (number < falling.size() && (number == 0 || held < enough)) held += falling[number++];
  return number;
}

Coordinates::Coordinates(const engine::Moments& moments, const std::string& name, const Preprocessing& how)
    : is_complex_(how.is_complex),
      dimension_(moments.mean.size()),
      whitened_(how.whiten != Whitening::kNone),
      mean_(how.center ? moments.mean : Vector<double>(Vector<double>::Zero(moments.mean.size()))),
      second_moment_(of_products(moments.second_moment)) {
  const Components components = components_for(how);
  const linalg::SymmetricEigen& eigen = components.eigen;
  constexpr double kLeast = 1e-303;  // least square whose last digits don't underflow
  if (!(eigen.values[dimension_ - 1] > 0 && second_moment_.diagonal().maxCoeff() > kLeast)) {
    throw data_error(
        name, how.center ? "all samples are equal, or their differences are so small that squares underflow: there is "
                           "nothing to learn"
                         : "all values are zero, or so small that their squares underflow: there is nothing to learn");
  }
  rank_ = components.rank;
  require_atoms(how.atoms, name);
  atoms_ = atoms_for(how, components);
  if (!whitened_ && how.atoms && how.atoms->count() != atoms_ / reals()) kept_ = how.atoms;
  rms_ =
      std::sqrt(whitened_ ? how.theta : second_moment_.trace() / static_cast<double>(how.square ? rank_ : dimension_));
  if (whitened_) {
    whiten(components, how);
  } else if (rank_ < atoms_) {
    restrict_to_range(eigen.vectors);
  }
  const Matrix<double> covariance =
      is_identity() ? second_moment_
                    : multiply(multiply(whitener_, second_moment_), Op::kNone, whitener_, Op::kTranspose);
  unit_covariance_ = covariance / (rms_ * rms_);
}

// The second moment of complex samples, from that of their real and imaginary parts.
Matrix<double> Coordinates::of_products(const Matrix<double>& moment) const {
  return is_complex_ ? linalg::complex_products(moment) : moment;
}

Coordinates::Components Coordinates::decompose(bool equilibrate) const {
  Components components;
  components.feature_scale =
      equilibrate ? to_unit_variance(second_moment_) : Vector<double>(Vector<double>::Ones(features()));
  const auto scale = components.feature_scale.asDiagonal();
  components.eigen = linalg::eigen(scale * second_moment_ * scale, is_complex_);
  components.rank = numerical_rank(components.eigen.values);
  return components;
}

// The leading components depend on the units of features. Only if all components are kept, the units don't matter.
Coordinates::Components Coordinates::components_for(const Preprocessing& how) const {
  if (!whitened_ || !how.atoms) return decompose(how.equilibrate);
  Components own = decompose(false);
  const Index atoms = atoms_for(how, own);
  if (!how.equilibrate || atoms < own.rank) return own;
  Components equilibrated = decompose(true);
  return atoms == equilibrated.rank ? std::move(equilibrated) : std::move(own);
}

Index Coordinates::atoms_for(const Preprocessing& how, const Components& components) const {
  const Index all = whitened_ ? components.rank : features();
  if (!how.atoms || (!whitened_ && how.square)) return all;
  if (how.atoms->count()) return *how.atoms->count() * reals();
  if (!whitened_) return all;
  const Index enough = number_for_share(*how.atoms->share(), components.eigen.values.cwiseMax(0).reverse());
  return std::min(enough + enough % reals(), all);
}

void Coordinates::require_atoms(const std::optional<Atoms>& asked, const std::string& name) const {
  const Index most = rank_ / reals();
  if (!asked || asked->count().value_or(1) <= most) return;
  throw BeyondRank(option_error("atoms", asked->text(), fmt::format("1 … {}, the rank of {}", most, name)), most);
}

// W = S·diag(√(θ/λ))·Uᵀ over the leading eigenpairs, one per atom. S = U for ZCA, the paper's ((1/pθ)YYᵀ)^(−1/2), and S
// = I for PCA. ZCA on a subset of the pairs also has S = I: A then lives in their span, and no atom can leave it.
void Coordinates::whiten(const Components& components, const Preprocessing& how) {
  const auto& [values, vectors] = components.eigen;
  const Index kept = atoms_;
  const bool symmetric = how.whiten == Whitening::kZca && kept == vectors.rows();
  const Matrix<double> u = largest_first(vectors, kept, is_complex_);
  const Vector<double> scale = (how.theta / values.tail(kept).reverse().array()).sqrt();
  Matrix<double> to_unit = scale.asDiagonal() * u.transpose();     // kept×n
  Matrix<double> inverse = u * scale.cwiseInverse().asDiagonal();  // n×kept
  whitener_ = symmetric ? multiply(u, to_unit) : std::move(to_unit);
  unwhitener_ = symmetric ? multiply(inverse, Op::kNone, u, Op::kTranspose) : std::move(inverse);
  whitener_ *= components.feature_scale.asDiagonal();
  unwhitener_ = components.feature_scale.cwiseInverse().asDiagonal() * unwhitener_;
  dimension_ = kept;
  if (kept < rank_) {
    const Index last = values.size() - kept;
    cut_ = Cut{vectors.col(last), vectors.col(last - 1), values[last], values[last - 1]};
    kept_variances_ = values.tail(kept).reverse();
    dropped_variances_ = values.segment(values.size() - rank_, rank_ - kept);
  }
}

void Coordinates::restrict_to_range(const Matrix<double>& vectors) {
  unwhitener_ = largest_first(vectors, rank_, is_complex_);
  whitener_ = unwhitener_.transpose();
  complement_ = vectors.leftCols(vectors.cols() - rank_);
  dimension_ = rank_;
}

// Keeps the first atoms, which have the most energy in canonical order.
void Coordinates::leave_most_energy(Model* model) const {
  if (!kept_) return;
  const Vector<double> energies = energies_of(*model, second_moment_);
  const Index atoms = kept_->count() ? *kept_->count() : number_for_share(*kept_->share(), energies);
  std::vector<Index> first(static_cast<std::size_t>(atoms));
  std::iota(first.begin(), first.end(), 0);
  keep_atoms(first, model);
}

double Coordinates::mean_to_rms() const {
  const Vector<double> mean = is_identity() ? mean_ : Vector<double>(whitener_ * mean_);
  return mean.norm() / std::sqrt(static_cast<double>(mean.size() / reals())) / rms_;
}

Matrix<double> Coordinates::matcher(const Matrix<double>& a) const {
  return (is_identity() ? a : multiply(a, whitener_)) * (1 / rms_);
}

Vector<double> Coordinates::offset(const Matrix<double>& b) const { return b * mean_; }

Matrix<double> Coordinates::pull_back(const Matrix<double>& correlation, const Vector<double>& derivative_sums) const {
  const Matrix<double> centred = correlation - linalg::outer(derivative_sums, mean_, is_complex_);
  return is_identity() ? centred : multiply(centred, Op::kNone, whitener_, Op::kTranspose);
}

Matrix<double> Coordinates::times_unit_covariance(const Matrix<double>& a) const {
  return multiply(a, unit_covariance_);
}

Matrix<double> Coordinates::from_dictionary(const RowMatrix<double>& dictionary) const {
  return from_rows(is_complex_ ? linalg::with_multiples_by_i(dictionary) : dictionary);
}

Matrix<double> Coordinates::from_rows(const Matrix<double>& rows) const {
  return is_identity() ? rows : multiply(rows, Op::kNone, whitener_, Op::kTranspose);
}

Matrix<double> Coordinates::atoms_of(const Matrix<double>& inverse) const {
  return is_identity() ? inverse : multiply(unwhitener_, inverse);
}

Vector<double> Coordinates::strongest_direction() const {
  constexpr int kPowerSteps = 30;
  Vector<double> v = Vector<double>::Ones(dimension_);
  for (int i = 0; i < kPowerSteps; ++i) {
    v.normalize();
    v = unit_covariance_ * v;
    if (!is_identity()) v = unwhitener_.transpose() * (unwhitener_ * v);
  }
  return v.normalized();
}

// The squared tangent of the angle between component a of the sample covariance and that of the population, towards
// components j, is Σ λ_a λ_j/(λ_a − λ_j)²/p (Anderson 1963). With eigenvalues of the samples this also holds for many
// components, where it underestimates certainty. It doesn't hold for sample eigenvalues that differ by chance alone:
// they keep apart by about their standard error, λ√(2/p), however many samples there are.
Vector<double> Coordinates::certainty_of_components(const Matrix<double>& inverse, double samples,
                                                    bool cut_is_arbitrary) const {
  constexpr double kApart = 3;  // standard errors
  if (!cut_) return Vector<double>::Ones(inverse.cols());
  Vector<double> cosines2(kept_variances_.size());
  for (Index a = 0; a < cosines2.size(); ++a) {
    const double kept = kept_variances_[a];
    const auto gaps = (kept - dropped_variances_.array()).max(kLeastGap * kept);
    const double errors = (kept * dropped_variances_.array() / gaps.square()).sum() / static_cast<double>(reals());
    cosines2[a] = 1 / (1 + errors / samples);
    const double chance = std::sqrt(2 * (kept * kept + cut_->dropped_variance * cut_->dropped_variance) / samples);
    if (cut_is_arbitrary && kept - cut_->dropped_variance < kApart * chance) cosines2[a] = 0;
  }
  const Matrix<double> energies = (kept_variances_.cwiseSqrt().asDiagonal() * inverse).cwiseAbs2();
  return (energies.transpose() * cosines2).cwiseQuotient(energies.colwise().sum().transpose());
}

double Coordinates::code_rms(const Model& model) const {
  const double energy = energies_of(model, second_moment_).sum();
  return std::sqrt(energy / static_cast<double>(std::min(rank_ / reals(), model.atoms())));
}

Matrix<double> Coordinates::apply(const Matrix<double>& y) const {
  const Matrix<double> centred = y.colwise() - mean_;
  return (is_identity() ? centred : multiply(whitener_, centred)) / rms_;
}

Matrix<double> Coordinates::unit_covariance_of(const engine::Moments& moments) const {
  const Matrix<double> cross = moments.mean * mean_.transpose();
  const Matrix<double> second =
      of_products(moments.second_moment - cross - cross.transpose() + mean_ * mean_.transpose());
  const Matrix<double> covariance =
      is_identity() ? second : multiply(multiply(whitener_, second), Op::kNone, whitener_, Op::kTranspose);
  return covariance / (rms_ * rms_);
}

Model Coordinates::model_of(const Matrix<double>& analysis, const Matrix<double>& dictionary) const {
  Model model;
  model.is_complex = is_complex_;
  model.analysis =
      is_complex_ ? linalg::conjugate(linalg::without_multiples_by_i(analysis)) : RowMatrix<double>(analysis);
  model.dictionary = is_complex_ ? linalg::without_multiples_by_i(dictionary) : RowMatrix<double>(dictionary);
  return model;
}

Model Coordinates::model(const Matrix<double>& a, const Repetition& repetition) const {
  Matrix<double> analysis = is_identity() ? a : multiply(a, whitener_);
  if (is_restricted()) analysis += complete(a, complement_, is_complex_);
  const bool orthogonal = is_identity() || is_restricted();
  Model model = model_of(analysis, orthogonal ? analysis : multiply(a, Op::kNone, unwhitener_, Op::kTranspose));
  model.mean = mean_;
  describe(repetition, &model);
  make_canonical(second_moment_, &model);
  if (orthogonal) model.analysis = analysis_of_orthogonal(model);
  leave_most_energy(&model);
  return model;
}

Model Coordinates::model(const Matrix<double>& b, const Matrix<double>& inverse, const Vector<double>& shift,
                         const Vector<double>& confidence, const Repetition& repetition) const {
  const Index d = b.rows();
  const Index rest = complement_.cols();
  Matrix<double> analysis(d + rest, features()), dictionary(d + rest, features());
  analysis.topRows(d) = is_identity() ? b : multiply(b, whitener_);
  dictionary.topRows(d) = is_identity() ? Matrix<double>(inverse.transpose())
                                        : multiply(inverse, Op::kTranspose, unwhitener_, Op::kTranspose);
  if (rest > 0) {
    analysis.bottomRows(rest) = complement_.transpose();
    dictionary.bottomRows(rest) = complement_.transpose();
  }
  Model model = model_of(analysis, dictionary);
  model.mean = mean_ + rms_ * (is_identity() ? shift : Vector<double>(unwhitener_ * shift));
  const Vector<double> judged = with_zeros(confidence, d + rest);
  model.confidence = is_complex_ ? linalg::one_of_two(judged) : judged;
  describe(repetition, &model);
  make_canonical(second_moment_, &model);
  if (!whitened_) model.analysis = analysis_of_orthogonal(model);
  leave_most_energy(&model);
  return model;
}

}  // namespace orthodict::solver
