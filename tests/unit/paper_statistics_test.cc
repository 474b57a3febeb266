// SPDX-License-Identifier: Apache-2.0
// The statistical facts of the paper, on Bernoulli–Gaussian data.
#include <gtest/gtest.h>

#include "msp_step.h"
#include "stretches.h"
#include "support.h"

namespace orthodict {
namespace {

SyntheticOptions bernoulli_gaussian(Index n, Index p, double theta, std::uint64_t seed) {
  SyntheticOptions options;
  options.dimension = n;
  options.samples = p;
  options.theta = theta;
  options.seed = seed;
  return options;
}

FitResult fit_synthetic(const Synthetic& data, const Options& options) {
  const Matrix<double> y = data.samples().transpose();
  return fit(*samples_in_columns(y), options);
}

double error_of(const FitResult& result, const Synthetic& data) {
  return compare(result.model, data.dictionary()).error;
}

// Means over independent batches, held to five standard errors as the batches themselves show them.
constexpr int kBatches = 60;

TEST(Expectation, OfTheObjectiveIsThatOfTheLemma) {
  const Index n = 6, p = 4000;
  const double theta = 0.3;
  const Matrix<double> a = test::random_orthogonal<double>(n, 123);
  double sum = 0, sum_of_squares = 0;
  Matrix<double> d;
  for (int batch = 0; batch < kBatches; ++batch) {
    SyntheticOptions options = bernoulli_gaussian(n, p, theta, static_cast<std::uint64_t>(batch));
    options.dictionary = RowMatrix<double>(test::random_orthogonal<double>(n, 7));
    const Synthetic data(options);
    d = data.dictionary().transpose();
    const double f = test::l4_norm4(a * data.samples().transpose());
    sum += f;
    sum_of_squares += f * f;
  }
  const double mean = sum / kBatches;
  const double standard_error = std::sqrt((sum_of_squares / kBatches - mean * mean) / (kBatches - 1));
  const double expected = 3 * p * theta * ((1 - theta) * test::l4_norm4(a * d) + theta * n);
  EXPECT_NEAR(mean, expected, 5 * standard_error);
  EXPECT_LT(standard_error, 0.01 * expected);  // or the line above would say nothing
}

TEST(Expectation, OfTheGradientHasTheBiasOfTheProposition) {
  const Index n = 4, p = 4000;
  const double theta = 0.4;
  const Matrix<double> a = test::random_orthogonal<double>(n, 321);
  const RowMatrix<double> atoms = test::random_orthogonal<double>(n, 8);
  Matrix<double> sum = Matrix<double>::Zero(n, n), sum_of_squares = sum;
  for (int batch = 0; batch < kBatches; ++batch) {
    SyntheticOptions options = bernoulli_gaussian(n, p, theta, static_cast<std::uint64_t>(batch));
    options.dictionary = atoms;
    const Matrix<double> gradient = test::correlation(a, Synthetic(options).samples().transpose(), "l4");
    sum += gradient;
    sum_of_squares += gradient.cwiseAbs2();
  }
  const Matrix<double> mean = sum / kBatches;
  const Matrix<double> variance = (sum_of_squares / kBatches - mean.cwiseAbs2()) / (kBatches - 1);
  const Matrix<double> d = atoms.transpose();
  const Matrix<double> gradient_of_g = 4 * Matrix<double>((a * d).array().cube()) * d.transpose();
  const Matrix<double> expected = 3 * p * theta * (1 - theta) * gradient_of_g + 12 * p * theta * theta * a;
  EXPECT_LT(((mean - expected).array().abs() / variance.array().sqrt()).maxCoeff(), 5);
  EXPECT_LT(variance.maxCoeff(), std::pow(0.1 * 12 * p * theta * theta, 2));
}

TEST(Learning, RecoversTheDictionaryFromEverySeed) {
  Options options = test::msp();
  options.max_iterations = 30;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    options.seed = 1000 + seed;
    const Synthetic data(bernoulli_gaussian(50, 20000, 0.3, seed));
    EXPECT_LT(error_of(fit_synthetic(data, options), data), 0.005) << "seed " << seed;
  }
}

TEST(Learning, RecoversALargerDictionary) {
  Options options = test::msp();
  options.max_iterations = 30;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    options.seed = seed;
    const Synthetic data(bernoulli_gaussian(100, 40000, 0.3, seed));
    EXPECT_LT(error_of(fit_synthetic(data, options), data), 0.005) << "seed " << seed;
  }
}

TEST(Learning, WorksInSinglePrecision) {
  Options options = test::msp();
  options.precision = Precision::kF32;
  const Synthetic data(bernoulli_gaussian(50, 20000, 0.3, 5));
  const FitResult in_f32 = fit_synthetic(data, options);
  EXPECT_EQ(in_f32.summary.termination, Termination::kConverged);
  options.precision = Precision::kF64;
  EXPECT_NEAR(error_of(in_f32, data), error_of(fit_synthetic(data, options), data), 1e-5);
}

class MonotoneObjective : public testing::TestWithParam<const char*> {};

TEST_P(MonotoneObjective, NeverFallsWithoutBiasRemoval) {
  Options options = test::msp();
  options.stretch = GetParam();
  options.remove_bias = false;
  options.max_iterations = 60;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    options.seed = seed;
    for (const double step : {std::numeric_limits<double>::infinity(), 1e-4}) {
      options.step = step;
      const Summary summary = fit_synthetic(Synthetic(bernoulli_gaussian(12, 2000, 0.3, seed)), options).summary;
      ASSERT_GT(summary.history.size(), 3U);
      for (std::size_t i = 1; i < summary.history.size(); ++i) {
        // Rounding of a sum over 24000 terms.
        EXPECT_GE(summary.history[i].objective, summary.history[i - 1].objective * (1 - 1e-12)) << "iteration " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, MonotoneObjective, testing::ValuesIn(test::stretch_kinds()));

class EveryStretchLearns : public testing::TestWithParam<const char*> {};

TEST_P(EveryStretchLearns, ASparseDictionary) {
  Options options = test::msp();
  options.stretch = GetParam();
  options.seed = 3;
  const Synthetic data(bernoulli_gaussian(15, 10000, 0.2, 4));
  EXPECT_LT(error_of(fit_synthetic(data, options), data), 0.02);
}

INSTANTIATE_TEST_SUITE_P(, EveryStretchLearns, testing::ValuesIn(test::stretch_kinds()));

TEST(BiasRemoval, TakesFewerIterations) {
  for (const char* stretch : {"l4", "l3", "soft"}) {
    Options options = test::msp();
    options.stretch = stretch;
    const Synthetic data(bernoulli_gaussian(40, 16000, 0.3, 6));
    const FitResult plain = fit_synthetic(data, options);
    options.remove_bias = true;
    const FitResult unbiased = fit_synthetic(data, options);
    EXPECT_LT(unbiased.summary.iterations, plain.summary.iterations) << stretch;
    EXPECT_LT(error_of(unbiased, data), 0.005) << stretch;
  }
}

// One step from `a` must give the rows of polar(`direction`), in canonical order and sign.
void expect_step(const Matrix<double>& y, const Matrix<double>& a, Options options, const Matrix<double>& direction) {
  options.init = Initialization::kGiven;
  options.initial_dictionary = a;
  options.max_iterations = 1;
  const RowMatrix<double> got = fit(*samples_in_columns(y), options).model.dictionary;
  EXPECT_LE(test::distance_to_signed_permutation(got * project_orthogonal(direction).transpose()), 1e-12);
}

TEST(BiasRemoval, WithThetaSubtractsThePapersTerm) {
  const Matrix<double> y = Synthetic(bernoulli_gaussian(5, 3000, 0.3, 9)).samples().transpose();
  const Matrix<double> a = test::random_orthogonal<double>(5, 10);
  Options options = test::msp();
  options.remove_bias = true;
  options.theta = 0.3;
  options.bias_fraction = 0.8;
  const Matrix<double> gradient = 4 * Matrix<double>((a * y).array().cube()) * y.transpose();
  expect_step(y, a, options, gradient - 0.8 * 12 * 3000 * 0.3 * 0.3 * a);
}

TEST(BiasRemoval, WithoutThetaSubtractsTheEstimate) {
  const Matrix<double> y = Synthetic(bernoulli_gaussian(5, 3000, 0.3, 9)).samples().transpose();
  const Matrix<double> a = test::random_orthogonal<double>(5, 10);
  Options options = test::msp();
  options.remove_bias = true;
  const Matrix<double> z = a * y;
  const Matrix<double> gradient = 4 * Matrix<double>(z.array().cube()) * y.transpose();
  const Vector<double> curvature = 12 * z.cwiseAbs2().rowwise().sum();
  const Matrix<double> bias = curvature.asDiagonal() * (a * (y * y.transpose() / 3000.0));
  expect_step(y, a, options, gradient - bias);
}

// Whitening makes D orthogonal up to O(1/√p), so the floor is that of ℓ4 on the orthogonal problem plus a term of the
// same order.
TEST(CompleteDictionary, OfCondition100IsRecoveredToTheStatisticalFloor) {
  for (const Whitening whiten : {Whitening::kZca, Whitening::kPca}) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      SyntheticOptions problem = bernoulli_gaussian(20, 20000, 0.3, seed);
      Options options = test::msp();
      options.seed = seed;
      const Synthetic orthogonal(problem);
      const double floor = error_of(fit_synthetic(orthogonal, options), orthogonal);
      problem.condition = 100;
      const Synthetic complete(problem);
      options.whiten = whiten;
      const FitResult result = fit_synthetic(complete, options);
      EXPECT_EQ(result.summary.termination, Termination::kConverged);
      EXPECT_LT(error_of(result, complete), 3 * floor) << name_of(whiten) << ", floor " << floor;
      EXPECT_GT(compare(result.model, complete.dictionary()).worst_cosine, 0.995);
    }
  }
}

}  // namespace
}  // namespace orthodict
