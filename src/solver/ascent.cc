// SPDX-License-Identifier: Apache-2.0
#include "solver/ascent.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/blas.h"
#include "linalg/complex.h"
#include "orthodict/array.h"

namespace orthodict::solver {
namespace {

using linalg::multiply;
using linalg::Op;

constexpr double kLeastCurvature = 0.01;  // of a coordinate, in units of ⟨φ'(z_i)z_i⟩ + ⟨φ'(z_j)z_j⟩
constexpr double kLeastRise = 1e-4;       // of F, in units of what the slope promises (Armijo's condition)
constexpr double kFewestOfTrial = 0.1;    // a shorter trial has this share of the last one's length …
constexpr double kMostOfTrial = 0.5;      // … to this
constexpr int kTrials = 20;               // along a direction
constexpr Index kFreeChanges = 20;        // of the sign of an atom, on average. After these …
constexpr double kClearSign = 0.01;       // … another one must be better by this, in units of ⟨φ'(z_i)z_i⟩

// The sum of the variances of the coefficients outside the range of A's rows, over their number.
double variance_outside(const Matrix<double>& unit_covariance, const Vector<double>& variances) {
  const Index outside = unit_covariance.cols() - variances.size();
  return outside > 0 ? (unit_covariance.trace() - variances.sum()) / static_cast<double>(outside) : 0;
}

// The magnitude of a curvature, at least a share of its scale.
double positive(double curvature, double scale) {
  const double least = kLeastCurvature * scale;
  return least > 0 ? std::max(std::abs(curvature), least) : 1;  // without scale there is no gradient either
}

double relative(double gradient, double scale) { return scale > 0 ? std::abs(gradient) / scale : 0; }

}  // namespace

Derivatives derivatives(const Matrix<double>& unit_covariance, const Vector<double>& signs, const Matrix<double>& a,
                        const Slope& slope) {
  const Index k = a.rows(), d = a.cols(), pairs = k * (k - 1) / 2, size = pairs + (k < d ? k * d : 0);
  const Matrix<double> products = multiply(slope.correlation, Op::kNone, a, Op::kTranspose);  // ⟨φ'(z_i)z_j⟩
  const Vector<double> variances = multiply(a, unit_covariance).cwiseProduct(a).rowwise().sum();
  const Vector<double> scale = products.diagonal();
  // Of more atoms than dimensions some have next to no length, and turn freely among themselves.
  const Vector<double> units = k > d ? Vector<double>(Vector<double>::Constant(k, scale.mean())) : scale;
  Derivatives at{signs.dot(slope.values), Vector<double>(size), Vector<double>(size)};
  Index place = 0;
  const auto set = [&](double gradient, double curvature, double unit) {
    at.gradient[place] = gradient;
    at.curvature[place++] = positive(curvature, unit);
    at.norm = std::max(at.norm, relative(gradient, unit));
  };
  for (Index j = 1; j < k; ++j) {
    for (Index i = 0; i < j; ++i) {
      const double curvature = signs[i] * (scale[i] - slope.curvatures[i] * variances[j]) +
                               signs[j] * (scale[j] - slope.curvatures[j] * variances[i]);
      set(signs[i] * products(i, j) - signs[j] * products(j, i), curvature, units[i] + units[j]);
    }
  }
  if (k >= d) return at;
  const Matrix<double> outside = slope.correlation - multiply(products, a);
  const double variance = variance_outside(unit_covariance, variances);
  for (Index j = 0; j < d; ++j) {
    for (Index i = 0; i < k; ++i) {
      set(signs[i] * outside(i, j), scale[i] - slope.curvatures[i] * variance, scale[i]);
    }
  }
  return at;
}

Matrix<double> moved(const Matrix<double>& a, const Vector<double>& step) {
  const Index k = a.rows();
  Matrix<double> turn = Matrix<double>::Zero(k, k);
  Index place = 0;
  for (Index j = 1; j < k; ++j) {
    for (Index i = 0; i < j; ++i) {
      turn(i, j) = step[place++];
      turn(j, i) = -turn(i, j);
    }
  }
  Matrix<double> to = a + multiply(turn, a);
  if (k < a.cols()) to += step.tail(a.size()).reshaped(k, a.cols());
  return to;
}

// s_i for which turns of z_i towards independent coefficients have positive curvature: the sign of ⟨φ'(z_i)z_i⟩ −
// ⟨φ''(z_i)⟩.
Vector<double> Ascent::signs_of(const Matrix<double>& a, const Slope& slope) const {
  const bool is_start = signs_.size() == 0;
  Vector<double> signs = is_start ? Vector<double>(Vector<double>::Ones(a.rows())) : signs_;
  if (!problem_.has_signs) return signs;
  const Vector<double> scale = slope.correlation.cwiseProduct(a).rowwise().sum();
  for (Index i = 0; i < signs.size(); ++i) {
    const double clear = sign_changes_ < kFreeChanges * signs.size() ? 0 : kClearSign * scale[i];
    if (signs[i] * (scale[i] - slope.curvatures[i]) < -clear) signs[i] = -signs[i];
  }
  return signs;
}

// Coordinates of complex matrices in real form have everything twice.
double Ascent::dot(const Vector<double>& a, const Vector<double>& b) const {
  return a.dot(b) / static_cast<double>(linalg::reals(problem_.is_complex));
}

// Where F changes by no more than rounding, its rise is taken from both slopes (Hager and Zhang, SIAM Journal on
// Optimization 2005, approximate Wolfe conditions).
bool Ascent::is_higher(double objective, double rounding, const Vector<double>& gradient) const {
  const double rise = objective - objective_, slope = dot(gradient_, direction_);
  if (std::abs(rise) > rounding) return rise >= kLeastRise * length_ * slope;
  return dot(gradient, direction_) >= (2 * kLeastRise - 1) * slope;
}

bool Ascent::take(const Matrix<double>& a, const Slope& slope) {
  ++taken_;
  if (!has_iterate()) signs_ = signs_of(a, slope);
  Derivatives at = derivatives(problem_.unit_covariance, signs_, a, slope);
  if (has_iterate()) {
    if (!is_higher(at.objective, slope.rounding * slope.values.cwiseAbs().sum(), at.gradient)) {
      shorten(at.objective);
      return false;
    }
    memory_.add(length_ * direction_, gradient_ - at.gradient);
  }
  if (const Vector<double> signs = signs_of(a, slope); signs != signs_) {
    sign_changes_ += (signs.array() != signs_.array()).count();
    signs_ = signs;
    memory_.forget();
    at = derivatives(problem_.unit_covariance, signs_, a, slope);
  }
  a_ = a;
  settle(std::move(at));
  return true;
}

void Ascent::reconsider(const Slope& slope) {
  ++taken_;
  is_stuck_ = false;
  settle(derivatives(problem_.unit_covariance, signs_, a_, slope));
}

void Ascent::settle(Derivatives at) {
  objective_ = at.objective;
  gradient_ = std::move(at.gradient);
  gradient_norm_ = at.norm;
  set_direction(at.curvature);
}

// To where a parabola through F at both ends, with the slope at the iterate, has its top.
void Ascent::shorten(double objective) {
  const double slope = length_ * dot(gradient_, direction_);
  const double top = slope / (2 * (slope + objective_ - objective));
  length_ *= std::isfinite(top) ? std::clamp(top, kFewestOfTrial, kMostOfTrial) : kFewestOfTrial;
  if (++trials_ < kTrials) return;
  is_stuck_ = memory_.is_empty();
  memory_.forget();
  direction_ = plain_;
  length_ = 1;
  trials_ = 0;
}

void Ascent::set_direction(const Vector<double>& curvature) {
  const auto tangent = [&](Vector<double> step) {
    if (a_.rows() >= a_.cols()) return step;
    auto outside = step.tail(a_.size()).reshaped(a_.rows(), a_.cols());
    const Matrix<double> inside = multiply(Matrix<double>(outside), Op::kNone, a_, Op::kTranspose);
    outside -= multiply(inside, a_);
    return step;
  };
  plain_ = tangent(gradient_.cwiseQuotient(curvature));
  direction_ = tangent(memory_.times(gradient_, curvature));
  if (!(dot(direction_, gradient_) > 0)) {
    memory_.forget();
    direction_ = plain_;
  }
  length_ = 1;
  trials_ = 0;
}

void Ascent::save(formats::NpzBuilder* file) const {
  if (!has_iterate()) return;
  file->add("ascent_iterate", RowMatrix<double>(a_));
  file->add("ascent_signs", signs_);
  file->add("ascent_gradient", gradient_);
  file->add("ascent_plain", plain_);
  file->add("ascent_direction", direction_);
  file->add("ascent_numbers",
            Vector<double>{{objective_, gradient_norm_, length_, static_cast<double>(trials_),
                            static_cast<double>(taken_), is_stuck_ ? 1.0 : 0.0, static_cast<double>(sign_changes_)}});
  memory_.save("ascent_memory", file);
}

void Ascent::load(Index rows, Index columns, const formats::NpzFile& file, const Checkpoint& checkpoint) {
  const Index size = rows * (rows - 1) / 2 + (rows < columns ? rows * columns : 0);
  a_ = checkpoint.matrix(file, "ascent_iterate", rows, columns);
  signs_ = checkpoint.matrix(file, "ascent_signs", rows, 1);
  gradient_ = checkpoint.matrix(file, "ascent_gradient", size, 1);
  plain_ = checkpoint.matrix(file, "ascent_plain", size, 1);
  direction_ = checkpoint.matrix(file, "ascent_direction", size, 1);
  const Matrix<double> numbers = checkpoint.matrix(file, "ascent_numbers", 7, 1);
  constexpr double kMost = 1e9;
  if (!(numbers(3) >= 0 && numbers(3) < kTrials && numbers(4) >= 0 && numbers(4) < kMost && numbers(6) >= 0 &&
        numbers(6) < kMost)) {
    checkpoint.refuse("damaged checkpoint: counts out of range");
  }
  objective_ = numbers(0);
  gradient_norm_ = numbers(1);
  length_ = numbers(2);
  trials_ = static_cast<int>(numbers(3));
  taken_ = static_cast<int>(numbers(4));
  is_stuck_ = numbers(5) != 0;
  sign_changes_ = static_cast<Index>(numbers(6));
  memory_.load("ascent_memory", size, file, checkpoint);
}

}  // namespace orthodict::solver
