// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include <algorithm>
#include <cmath>

#include "problem.h"
#include "random/stream.h"

namespace orthodict::experiments {
namespace {

constexpr Index kDimension = 10;
constexpr double kTheta = 0.3;

// Σ over the rows a of A of ⟨T, a⊗a⊗a⊗a⟩/n, where T is the samples' fourth moments minus their expectation, stored as
// an n²×n² matrix that acts on a⊗a. This equals (f̂(A, Y) − f(A))/np of the paper's Lemma 4, at a cost that doesn't
// depend on the number of samples.
class Deviation {
 public:
  explicit Deviation(const Problem& problem) {
    const Matrix<double>& y = problem.y();
    const Index n = y.rows();
    Matrix<double> pairs(n * n, y.cols());
    for (Index j = 0; j < y.cols(); ++j) pairs.col(j) = square(y.col(j));
    fourth_ = pairs * pairs.transpose() / static_cast<double>(y.cols());
    // E(aᵀy)⁴ = 3θ(1 − θ)·Σ_j(aᵀd_j)⁴ + 3θ²‖a‖⁴.
    for (Index j = 0; j < n; ++j) {
      const Vector<double> d = square(problem.truth().row(j).transpose());
      fourth_ -= 3 * kTheta * (1 - kTheta) * d * d.transpose();
    }
    fourth_ -= 3 * kTheta * kTheta * Matrix<double>::Identity(n * n, n * n);
  }

  [[nodiscard]] double value(const Matrix<double>& a) const {
    double sum = 0;
    for (Index i = 0; i < a.rows(); ++i) {
      const Vector<double> pair = square(a.row(i).transpose());
      sum += pair.dot(fourth_ * pair);
    }
    return sum / static_cast<double>(a.rows());
  }

  [[nodiscard]] Matrix<double> gradient(const Matrix<double>& a) const {
    const Index n = a.cols();
    Matrix<double> g(a.rows(), n);
    for (Index i = 0; i < a.rows(); ++i) {
      const Vector<double> image = fourth_ * square(a.row(i).transpose());
      const Matrix<double> m = image.reshaped(n, n);
      g.row(i) = 2 * (m + m.transpose()) * a.row(i).transpose() / static_cast<double>(a.rows());
    }
    return g;
  }

 private:
  static Vector<double> square(const Vector<double>& v) { return Matrix<double>(v * v.transpose()).reshaped(); }
  Matrix<double> fourth_;
};

// The largest value of sign·deviation that ascent on the orthogonal group reaches from A.
double climb(const Deviation& deviation, double sign, Matrix<double> a) {
  double best = sign * deviation.value(a);
  double step = 1;
  for (int iteration = 0; iteration < 200 && step > 1e-6; ++iteration) {
    const Matrix<double> trial = project_orthogonal(Matrix<double>(a + sign * step * deviation.gradient(a)));
    const double value = sign * deviation.value(trial);
    if (value > best) {
      best = value;
      a = trial;
      step *= 2;
    } else {
      step /= 4;
    }
  }
  return best;
}

std::vector<Row> supremum(Index p, std::uint64_t seed) {
  const Problem problem({.dimension = kDimension, .samples = p, .theta = kTheta, .seed = seed});
  const Deviation deviation(problem);
  double largest = 0;
  double at_truth = std::abs(deviation.value(problem.truth()));
  for (const double sign : {1.0, -1.0}) {
    largest = std::max(largest, climb(deviation, sign, problem.truth()));
    for (std::uint64_t start = 0; start < 10; ++start) {
      const random::Stream stream(seed + start, random::Purpose::kInitialization);
      largest = std::max(largest, climb(deviation, sign, random::orthogonal(kDimension, stream)));
    }
  }
  return {{{"supremum", largest}, {"at_truth", at_truth}}};
}

}  // namespace

Experiment concentration() {
  return {.name = "concentration",
          .title = "sup over A of |f^(A, Y) - f(A)|/np against p, n = 10",
          .source = "Lemma 4",
          .cells = [](const Scale& scale) {
            std::vector<Cell> cells;
            std::vector<Index> sizes = {100, 300, 1000, 3000, 10000, 30000, 100000};
            if (scale.size == Size::kTiny) sizes.resize(2);
            if (scale.size == Size::kFull) sizes.push_back(300000);
            for (const Index p : sizes) {
              for (int trial = 0; trial < scale.pick(1, 5, 20); ++trial) {
                cells.push_back({"deviations",
                                 {{"n", kDimension}, {"p", p}, {"theta", kTheta}, {"trial", trial}},
                                 3e4 + static_cast<double>(p),
                                 [=, seed = scale.seed + static_cast<std::uint64_t>(trial)](const Context&) {
                                   return supremum(p, seed);
                                 }});
              }
            }
            return cells;
          }};
}

}  // namespace orthodict::experiments
