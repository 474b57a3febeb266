// SPDX-License-Identifier: Apache-2.0
// Shared by tests: random matrices and samples, short forms of fit(), and helpers for errors.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "orthodict/orthodict.h"
#include "random/stream.h"

namespace orthodict::test {

template <typename Scalar>
Matrix<Scalar> random_orthogonal(Index n, std::uint64_t seed) {
  return random::orthogonal(n, random::Stream(seed, random::Purpose::kInitialization)).cast<Scalar>();
}

inline Matrix<double> random_gaussian(Index rows, Index columns, std::uint64_t seed) {
  const random::Stream stream(seed, random::Purpose::kNoise);
  return Matrix<double>::NullaryExpr(rows, columns, [&](Index i, Index j) { return stream.normal(i, j); });
}

inline Matrix<double> identity(Index n) { return Matrix<double>::Identity(n, n); }

// ‖W − P‖_F for the nearest signed permutation P.
inline double distance_to_signed_permutation(const Matrix<double>& w) {
  const std::vector<Index> match = best_assignment(w.cwiseAbs());
  Matrix<double> p = Matrix<double>::Zero(w.rows(), w.cols());
  for (Index i = 0; i < w.rows(); ++i) {
    const Index j = match[static_cast<std::size_t>(i)];
    p(i, j) = w(i, j) < 0 ? -1 : 1;
  }
  return (w - p).norm();
}

inline double l4_norm4(const Matrix<double>& w) { return w.array().square().square().sum(); }

// Rows of coefficients with unit variance: a share theta carries signal, and all have noise of standard deviation
// `noise`.
inline Matrix<double> coefficients(Index rows, Index columns, double theta, double noise, std::uint64_t seed = 1) {
  const random::Stream stream(seed, random::Purpose::kCoefficients);
  const Matrix<double> clean = Matrix<double>::NullaryExpr(
      rows, columns, [&](Index i, Index j) { return stream.uniform(i, j) < theta ? stream.normal(i + rows, j) : 0.0; });
  const Matrix<double> z = clean + noise * random_gaussian(rows, columns, seed);
  return z / std::sqrt(theta + noise * noise);
}

// Bernoulli–Gaussian samples, in columns.
inline Matrix<double> sparse_samples(Index n, Index p, std::uint64_t seed = 1, double condition = 1) {
  SyntheticOptions options;
  options.dimension = n;
  options.samples = p;
  options.seed = seed;
  options.condition = condition;
  return Synthetic(options).samples().transpose();
}

// Options of the paper's Algorithm 2.
inline Options msp() {
  Options options;
  options.method = Method::kMsp;
  return options;
}

inline FitResult fit_columns(const Matrix<double>& y, const Options& options) {
  return fit(*samples_in_columns(y), options);
}

// The columns of y. The `calls`-th request for samples in double precision requests a stop.
class StoppingSamples final : public Samples {
 public:
  StoppingSamples(const Matrix<double>& y, std::stop_source stop, int calls)
      : inner_(samples_in_columns(y)), stop_(std::move(stop)), calls_left_(calls) {}
  [[nodiscard]] Index dimension() const override { return inner_->dimension(); }
  [[nodiscard]] Index size() const override { return inner_->size(); }
  [[nodiscard]] const std::string& name() const override { return inner_->name(); }
  Block<float> block(Index first, Index count, float* scratch) const override {
    return inner_->block(first, count, scratch);
  }
  Block<double> block(Index first, Index count, double* scratch) const override {
    if (--calls_left_ == 0) stop_.request_stop();
    return inner_->block(first, count, scratch);
  }

 private:
  std::unique_ptr<Samples> inner_;
  mutable std::stop_source stop_;
  mutable int calls_left_;
};

// The fault and message of the Error that `call` throws; fails the test if it throws none.
template <typename Call>
std::pair<Fault, std::string> error_of(Call&& call) {
  try {
    std::forward<Call>(call)();
  } catch (const Error& error) {
    return {error.fault(), error.what()};
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

}  // namespace orthodict::test
