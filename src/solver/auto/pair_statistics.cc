// SPDX-License-Identifier: Apache-2.0
#include "solver/auto/pair_statistics.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "linalg/blas.h"
#include "linalg/complex.h"
#include "solver/auto/constants.h"
#include "stretch/built_in.h"

namespace orthodict::solver {
namespace {

using linalg::multiply;
using linalg::Op;

constexpr double kTiny = 1e-300;

template <typename Number>
constexpr bool kIsComplex = !std::is_same_v<Number, double>;

// Scales rows to unit mean square.
template <typename Number>
void to_unit_variance(Matrix<Number>* z) {
  const Vector<double> squares = z->rowwise().squaredNorm() / static_cast<double>(z->cols());
  *z = squares.cwiseMax(kTiny).cwiseSqrt().cwiseInverse().asDiagonal() * *z;
}

// Centres rows, scales them to unit variance, and shortens samples longer than √(2d). Returns the squared factor that
// shortens each sample.
template <typename Number>
Vector<double> tame(Matrix<Number>* z) {
  z->colwise() -= z->rowwise().mean().eval();
  to_unit_variance(z);
  const double most = std::sqrt(2.0 * static_cast<double>(z->rows()));
  Vector<double> cuts = Vector<double>::Ones(z->cols());
  for (Index j = 0; j < z->cols(); ++j) {
    const double length = z->col(j).norm();
    if (length <= most) continue;
    z->col(j) *= most / length;
    cuts[j] = most * most / (length * length);
  }
  to_unit_variance(z);
  return cuts;
}

// The contrast g(z), tanh z or tanh|z|·z/|z|.
template <typename Number>
Matrix<Number> bend(Matrix<Number> z) {
  static const auto kLogCosh = stretch::log_cosh();
  const Index rows = linalg::reals(kIsComplex<Number>) * z.rows();
  Vector<double> unused = Vector<double>::Zero(3 * rows);
  double* sums = unused.data();
  auto* data = reinterpret_cast<double*>(z.data());
  const StretchSums<double> to{sums, sums + rows, sums + 2 * rows};
  if constexpr (kIsComplex<Number>) {
    kLogCosh->apply_to_complex(data, rows, z.cols(), to);
  } else {
    kLogCosh->apply(data, rows, z.cols(), to);
  }
  return z;
}

// g' for g = g(z), or half of the divergence of g.
Matrix<double> slope_of(const Matrix<double>& g, const Matrix<double>& /*z*/) { return 1 - g.array().square(); }
Matrix<double> slope_of(const Matrix<std::complex<double>>& g, const Matrix<std::complex<double>>& z) {
  const Eigen::ArrayXXd size = z.array().abs();
  const Eigen::ArrayXXd ratio = (size > 0).select(g.array().abs() / size, 1);
  return (1 - g.array().abs2() + ratio) / 2;
}

// ∂g/∂z̄: by how much g changes with the angle of a change of z. Zero for real coefficients.
Matrix<double> tilt_of(const Matrix<double>& /*g*/, const Matrix<double>& z) {
  return Matrix<double>::Zero(z.rows(), z.cols());
}
Matrix<std::complex<double>> tilt_of(const Matrix<std::complex<double>>& g, const Matrix<std::complex<double>>& z) {
  const Eigen::ArrayXXd size = z.array().abs(), bent = g.array().abs();
  const Eigen::ArrayXXd half = (size > 0).select((1 - bent.square() - bent / size) / 2, 0);
  const Eigen::ArrayXXd length = size.max(kTiny);
  return half.cast<std::complex<double>>() * (z.array() / length.cast<std::complex<double>>()).square();
}

// The mean of (z·∂/∂z)(g' − g z) of each row: by how much it changes where coefficients grow.
Vector<double> mean_by_size(const Matrix<double>& g, const Matrix<double>& z) {
  const auto slope = 1 - g.array().square();
  const auto by_size = -2 * g.array() * slope * z.array() - slope * z.array().square() - g.array() * z.array();
  return by_size.rowwise().mean();
}
Vector<double> mean_by_size(const Matrix<std::complex<double>>& g, const Matrix<std::complex<double>>& z) {
  const Eigen::ArrayXXd size = z.array().abs(), bent = g.array().abs();
  const Eigen::ArrayXXd ratio = (size > 0).select(bent / size, 1);
  const Eigen::ArrayXXd slope = 1 - bent.square();
  const Eigen::ArrayXXd by_size = -bent * slope * size + (slope - ratio) / 2 - slope * size.square() - bent * size;
  return by_size.rowwise().mean();
}

// Re(a·b̄), entry by entry.
template <typename Number>
auto products(const Matrix<Number>& a, const Matrix<Number>& b) {
  return a.cwiseProduct(b.conjugate()).real();
}

Matrix<double> mean_products(const Matrix<double>& a, const Matrix<double>& b) {
  return multiply(a, Op::kNone, b, Op::kTranspose) / static_cast<double>(a.cols());
}
Matrix<std::complex<double>> mean_products(const Matrix<std::complex<double>>& a,
                                           const Matrix<std::complex<double>>& b) {
  const auto parts = [](const Matrix<std::complex<double>>& m) -> Matrix<double> {
    return Eigen::Map<const Matrix<double>>(reinterpret_cast<const double*>(m.data()), 2 * m.rows(), m.cols());
  };
  const Matrix<double> form = linalg::complex_products(mean_products(parts(a), parts(b)));
  return Matrix<std::complex<double>>::NullaryExpr(
      a.rows(), b.rows(), [&](Index i, Index j) { return std::complex(form(2 * i, 2 * j), form(2 * i + 1, 2 * j)); });
}

// The weighted mean of the batches' values, and the variance of that mean. Weights must add up to 1.
template <typename Dense>
class Mean {
 public:
  using Real = Eigen::Matrix<double, Dense::RowsAtCompileTime, Dense::ColsAtCompileTime>;
  void add(const Dense& value, double weight) {
    if (weights_ == 0) {
      sum_ = weight * value;
      weighted_ = weight * weight * value;
      squares_ = weight * weight * value.cwiseAbs2();
    } else {
      sum_ += weight * value;
      weighted_ += weight * weight * value;
      squares_ += weight * weight * value.cwiseAbs2();
    }
    weights_ += weight * weight;
    ++count_;
  }
  [[nodiscard]] const Dense& value() const { return sum_; }
  [[nodiscard]] Real variance() const {
    const double correction = static_cast<double>(count_) / static_cast<double>(std::max<Index>(count_ - 1, 1));
    const Real about = squares_ - 2 * sum_.cwiseProduct(weighted_.conjugate()).real() + weights_ * sum_.cwiseAbs2();
    return correction * about.cwiseMax(0);
  }

 private:
  Dense sum_, weighted_;
  Real squares_;
  double weights_ = 0;
  Index count_ = 0;
};

using Scalar = Eigen::Matrix<double, 1, 1>;

// The mean of the off-diagonal entries.
double mean_of_pairs(const Matrix<double>& m) {
  const auto d = static_cast<double>(m.rows());
  return (m.sum() - m.trace()) / (d * (d - 1));
}

Matrix<double> sums_of_pairs(const Vector<double>& v) {
  return v.replicate(1, v.size()) + v.transpose().replicate(v.size(), 1);
}

// The sums g_i + g_j closest to the off-diagonal entries of a symmetric matrix, in least squares.
Matrix<double> nearest_sums(const Matrix<double>& m) {
  const auto d = static_cast<double>(m.rows());
  if (d < 3) return m;
  const Vector<double> rows = m.rowwise().sum() - m.diagonal();
  return sums_of_pairs((rows.array() - rows.sum() / (2 * (d - 1))) / (d - 2));
}

// The sums over batches. Coefficients have unit variance over all batches, but not in each. For fresh samples each
// batch is corrected for that to first order, which keeps means unchanged: loud and quiet stretches of a recording are
// not errors of its curvature.
template <typename Number>
struct PairSums {
  Mean<Matrix<Number>> torque, residual;
  Mean<Matrix<double>> covariance, expected;
  Mean<Matrix<Number>> turning;    // m_ij, of complex coefficients
  Mean<Matrix<Number>> conjugate;  // E z_i z_j, of complex coefficients
  Mean<Vector<double>> own;        // k_i
  Mean<Scalar> mean_curvature;     // over pairs
  Vector<double> signs;
  Vector<double> mean_slope;    // E g'_i over all samples
  Vector<Number> mean_tilt;     // E ∂g_i/∂z̄_i over all samples
  Vector<Number> mean_square;   // E z_i² over all samples
  Vector<double> own_by_scale;  // ∂E(g'_i − g_i z_i)/∂(variance of z_i)
  Vector<double> slowness;
  double mean_cut;
  Vector<double> slope_by_cut;  // the regression of g'_i on cuts
  bool is_fresh;

  PairSums(const Matrix<Number>& z, const Matrix<Number>& g, const Vector<double>& cuts, Vector<double> signs_of_atoms,
           Vector<double> slow, bool fresh)
      : signs(std::move(signs_of_atoms)),
        mean_slope(slope_of(g, z).rowwise().mean()),
        mean_tilt(tilt_of(g, z).rowwise().mean()),
        mean_square(z.cwiseProduct(z).rowwise().mean()),
        slowness(std::move(slow)),
        mean_cut(cuts.mean()),
        slope_by_cut(Vector<double>::Zero(z.rows())),
        is_fresh(fresh) {
    const Vector<double> about = cuts.array() - mean_cut;
    const double squares = about.squaredNorm();
    if (squares > 0) slope_by_cut = slope_of(g, z) * about / squares;
    own_by_scale = mean_by_size(g, z) / 2;
  }

  void add(const Matrix<Number>& z, const Matrix<Number>& g, const Vector<double>& cuts, double weight) {
    const Matrix<double> s = slope_of(g, z);
    const Matrix<Number> gz = mean_products(g, z);
    const Matrix<Number> zz = mean_products(z, z);
    const Vector<double> slopes = s.rowwise().mean();
    const Vector<double> excess = (is_fresh ? 1 : 0) * (zz.diagonal().real().array() - 1);
    Matrix<Number> r = gz - mean_slope.asDiagonal() * zz;
    Vector<double> of_squares = Vector<double>::Zero(z.rows());
    if constexpr (kIsComplex<Number>) of_squares = add_conjugates(z, g, weight, &r);
    residual.add(r, weight);
    const Matrix<Number> signed_r = signs.asDiagonal() * r;
    torque.add(signed_r - signed_r.adjoint(), weight);
    Matrix<double> c = mean_products(s, Matrix<double>(z.cwiseAbs2())) - mean_slope * excess.transpose();
    c.colwise() -= slopes;
    c = signs.asDiagonal() * c;
    c += Matrix<double>(c.transpose());
    covariance.add(c, weight);
    // What cuts alone make of it.
    const Vector<double> squares_by_cut = z.cwiseAbs2() * Vector<double>(cuts.array() - mean_cut) / z.cols();
    Matrix<double> of_cuts = signs.cwiseProduct(slope_by_cut) * squares_by_cut.transpose();
    of_cuts += Matrix<double>(of_cuts.transpose());
    expected.add(of_cuts + nearest_sums(c - of_cuts), weight);
    const Vector<double> k =
        signs.cwiseProduct(slopes + of_squares - gz.diagonal().real() - own_by_scale.cwiseProduct(excess));
    own.add(k, weight);
    mean_curvature.add(Scalar(2 * k.mean() + mean_of_pairs(c)), weight);
  }

  // What a batch says about non-circular coefficients: corrects its residuals, and returns E ∂g_i/∂z̄_i · E z̄_i².
  Vector<double> add_conjugates(const Matrix<Number>& z, const Matrix<Number>& g, double weight, Matrix<Number>* r) {
    const Matrix<Number> tilts = tilt_of(g, z);
    const Matrix<Number> of_conjugates = mean_products(z, Matrix<Number>(z.conjugate()));
    conjugate.add(of_conjugates, weight);
    *r -= mean_tilt.asDiagonal() * of_conjugates.conjugate();
    // Products of means to first order in the batch's, so that they vary between batches as those do.
    const Vector<Number> tilt = tilts.rowwise().mean();
    const Vector<Number> square = of_conjugates.diagonal();
    const Matrix<Number> of_means = mean_tilt * square.adjoint() + (tilt - mean_tilt) * mean_square.adjoint();
    const Matrix<Number> m = signs.asDiagonal() * (mean_products(tilts, Matrix<Number>(z.cwiseProduct(z))) - of_means);
    turning.add(m + m.adjoint(), weight);
    return of_means.diagonal().real();
  }

  // The variances of k_i and of the mean curvature, including slow drift.
  [[nodiscard]] Vector<double> own_variance() const { return own.variance().cwiseProduct(slowness); }
  [[nodiscard]] double mean_curvature_variance() const {
    const Vector<double> beyond = own_variance() - own.variance();
    const auto d = static_cast<double>(beyond.size());
    return mean_curvature.variance()[0] + 4 * beyond.sum() / (d * d);
  }
};

// Covariances of pairs with their variances, shrunk towards expected values by as much as their errors explain the
// differences. The expected value is the effect of shortening samples plus a term for each atom. Sparse atoms share
// large covariances; shrinking towards the mean of all pairs would give a Gaussian pair among them a curvature.
struct Shrunk {
  Matrix<double> value, variance;
};
template <typename Number>
Shrunk shrink(const PairSums<Number>& sums) {
  const Matrix<double>& raw = sums.covariance.value();
  const Matrix<double>& expected = sums.expected.value();
  const Matrix<double> error = sums.covariance.variance();
  const auto d = static_cast<double>(raw.rows());
  double between = 0;
  if (d > 3) {  // pairs are more than terms
    const double spread = mean_of_pairs((raw - expected).cwiseAbs2()) * (d - 1) / (d - 3);
    between = std::max(spread - mean_of_pairs(error), 0.0);
  }
  const Matrix<double> share = between / (between + error.array().max(kTiny));
  return {.value = expected.array() + share.array() * (raw - expected).array(),
          .variance = share.array() * error.array() + (1 - share.array()).square() * sums.expected.variance().array()};
}

// |m_ij| with its variance, shrunk towards zero.
template <typename Number>
Shrunk shrink_turning(const PairSums<Number>& sums) {
  const Matrix<double> error = sums.turning.variance();
  const Matrix<double> squares = sums.turning.value().cwiseAbs2();
  const double between = std::max(mean_of_pairs(squares - error), 0.0);
  const Matrix<double> share = between / (between + error.array().max(kTiny));
  return {.value = share.cwiseProduct(squares.cwiseSqrt()), .variance = share.cwiseProduct(error)};
}

// The statistics, from the sums over all batches.
template <typename Number>
PairStatistics conclude(const PairSums<Number>& sums, Index samples, Index batches) {
  PairStatistics result{.samples = samples, .batches = batches};
  const Shrunk covariance = shrink(sums);
  result.torque_variance = sums.torque.variance() * static_cast<double>(samples);
  result.curvature = sums_of_pairs(sums.own.value()) + covariance.value;
  result.curvature_variance = sums_of_pairs(sums.own_variance()) + covariance.variance;
  const Vector<double> gain = sums.own.value().cwiseAbs2().cwiseMax(kLeastGain * kLeastGain).cwiseInverse();
  const Matrix<double> variance = sums.residual.variance();
  result.residual_share = gain.asDiagonal() * (sums.residual.value().cwiseAbs2() - variance);
  result.residual_variance = gain.asDiagonal() * variance;
  if constexpr (kIsComplex<Number>) {
    const Shrunk turning = shrink_turning(sums);
    result.curvature -= turning.value;
    result.curvature_variance += turning.variance;
    const Matrix<double> of_conjugates = sums.conjugate.variance();
    result.residual_share += sums.conjugate.value().cwiseAbs2() - of_conjugates;
    result.residual_variance += of_conjugates;
  }
  const double error = std::sqrt(sums.mean_curvature_variance());
  result.structure = sums.mean_curvature.value()[0] / std::max(error, kTiny);
  return result;
}

// The expected error of each atom due to angles that `samples` samples leave undetermined.
Vector<double> undetermined(const PairStatistics& statistics, const Matrix<double>& leverage, double samples) {
  // Errors estimated from few batches have heavier tails.
  const double heavier = 1 + 2.0 / static_cast<double>(statistics.batches - 1);
  const Matrix<double> error = heavier * statistics.curvature_variance.cwiseMax(0).cwiseSqrt();
  const Matrix<double> least = statistics.curvature - kDeviationsBelowCurvature * error;
  const Matrix<double> angle = statistics.torque_variance.array() / (samples * least.array().square());
  // With few pairs, each must be more significant.
  const double deviations = kDeviationsOfCurvature * (1 + 1 / static_cast<double>(leverage.rows() - 1));
  const auto is_determined = statistics.curvature.array() > deviations * error.array() && angle.array() < kUndetermined;
  // An undetermined angle counts in full even if the other atom is weak: turning hardly changes this atom, but its
  // coefficients are arbitrary.
  const Matrix<double> shares =
      is_determined.select(leverage.array() * angle.array(), kUndetermined * leverage.array().max(1));
  return shares.rowwise().sum() - shares.diagonal();
}

template <typename Number>
Vector<double> signs_of(Matrix<Number> codes) {
  (void)tame(&codes);
  const Matrix<Number> g = bend(codes);
  const Vector<double> k = slope_of(g, codes).rowwise().mean() - products(g, codes).rowwise().mean();
  return k.unaryExpr([](double x) { return x < 0 ? -1.0 : 1.0; });
}

template <typename Number>
PairStatistics measure(Matrix<Number> codes, const std::vector<Index>& ends, const Vector<double>& signs,
                       const Vector<double>& slowness, bool is_fresh) {
  const auto batches = static_cast<Index>(ends.size());
  if (batches < 2 || codes.rows() < 2) return {.samples = codes.cols(), .batches = batches};
  const Vector<double> cuts = tame(&codes);
  const Matrix<Number> g = bend(codes);
  PairSums<Number> sums(codes, g, cuts, signs, slowness, is_fresh);
  Index first = 0;
  for (const Index end : ends) {
    sums.add(codes.middleCols(first, end - first), g.middleCols(first, end - first), cuts.segment(first, end - first),
             static_cast<double>(end - first) / static_cast<double>(codes.cols()));
    first = end;
  }
  return conclude(sums, codes.cols(), batches);
}

Matrix<std::complex<double>> as_complex(const Matrix<double>& codes) {
  using Complex = Matrix<std::complex<double>>;
  return Eigen::Map<const Complex>(reinterpret_cast<const std::complex<double>*>(codes.data()), codes.rows() / 2,
                                   codes.cols());
}

}  // namespace

Vector<double> signs_of(Matrix<double> codes, bool is_complex) {
  return is_complex ? signs_of<std::complex<double>>(as_complex(codes)) : signs_of<double>(std::move(codes));
}

PairStatistics measure_pairs(Matrix<double> codes, const std::vector<Index>& ends, const Vector<double>& signs,
                             const Vector<double>& slowness, bool is_fresh, bool is_complex) {
  return is_complex ? measure<std::complex<double>>(as_complex(codes), ends, signs, slowness, is_fresh)
                    : measure<double>(std::move(codes), ends, signs, slowness, is_fresh);
}

PairStatistics pool(const std::vector<PairStatistics>& statistics) {
  PairStatistics result = statistics.front();
  const auto count = static_cast<double>(statistics.size());
  for (std::size_t i = 1; i < statistics.size(); ++i) {
    const PairStatistics& other = statistics[i];
    result.samples += other.samples;
    result.batches = std::min(result.batches, other.batches);
    if (result.batches < 2) return result;
    result.torque_variance += other.torque_variance;
    result.curvature += other.curvature;
    result.curvature_variance += other.curvature_variance;
    result.residual_share += other.residual_share;
    result.residual_variance += other.residual_variance;
    result.structure += other.structure;
  }
  result.torque_variance /= count;
  result.curvature /= count;
  result.curvature_variance /= count * count;
  result.residual_share /= count;
  result.residual_variance /= count * std::sqrt(count);  // squares are averaged
  result.structure /= std::sqrt(count);
  return result;
}

Matrix<double> leverage_of_pairs(const Matrix<double>& atoms, const Vector<double>& spread, bool is_complex) {
  const Vector<double> norms = atoms.colwise().norm().transpose().cwiseMax(kTiny);
  const Matrix<double> unit = atoms * norms.cwiseInverse().asDiagonal();
  const Vector<double> energies = norms.cwiseProduct(spread).cwiseAbs2().cwiseMax(kTiny);
  const Vector<double> energy = is_complex ? linalg::one_of_two(energies) : energies;
  const Matrix<double> products = multiply(unit, Op::kTranspose, unit, Op::kNone);
  const Matrix<double> cosines = is_complex ? linalg::moduli_of_real_form(products) : products;
  const Matrix<double> sine2 = (1 - cosines.array().square()).max(0);
  Matrix<double> leverage = energy.cwiseInverse().asDiagonal() * sine2 * energy.asDiagonal();
  leverage.diagonal().setZero();
  return leverage;
}

Vector<double> confidence(const PairStatistics& statistics, const Matrix<double>& leverage, double learned_from,
                          double samples) {
  const Index d = leverage.rows();
  if (statistics.batches < 2) {
    return Vector<double>::Constant(d, 1 / (1 + kUndetermined * static_cast<double>(std::max<Index>(d - 1, 1))));
  }
  if (d < 2) return Vector<double>::Ones(d);
  const Vector<double> shown = leverage.cwiseProduct(statistics.residual_share).rowwise().sum();
  const Vector<double> shown_error =
      (2 * leverage.cwiseProduct(statistics.residual_variance).cwiseAbs2().rowwise().sum()).cwiseSqrt();
  const Vector<double> explained = undetermined(statistics, leverage, learned_from);
  const Vector<double> beyond = (shown - kDeviationsOfResidual * shown_error - explained).cwiseMax(0);
  return (1 + (undetermined(statistics, leverage, samples) + beyond).array()).inverse();
}

ErrorShown error_shown(const PairStatistics& statistics, const Matrix<double>& leverage) {
  if (statistics.batches < 2 || leverage.rows() < 2) return {};
  const auto d = static_cast<double>(leverage.rows());
  const Vector<double> errors = leverage.cwiseProduct(statistics.residual_share).rowwise().sum();
  // The variance of the square of a normal variable with mean m and variance v, less v: 2v² + 4m²v.
  const auto v = statistics.residual_variance.array();
  const auto of_squares = 2 * v.square() + 4 * statistics.residual_share.array().max(0) * v;
  const Vector<double> variances = (leverage.array().square() * of_squares).rowwise().sum();
  return {.mean = errors.cwiseMin(1).cwiseMax(-1).mean(), .variance = variances.cwiseMin(1).sum() / (d * d)};
}

}  // namespace orthodict::solver
