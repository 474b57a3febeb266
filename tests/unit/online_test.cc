// SPDX-License-Identifier: Apache-2.0
#include "baselines/online.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

#include "lasso_support.h"
#include "support.h"

namespace orthodict::baselines {
namespace {

using test::error_of;
using test::exact_lasso;
using test::lasso_objective;
using test::random_gaussian;

// Options with one of them set.
template <typename Value>
Options with(Value Options::*option, const std::type_identity_t<Value>& value, Options options = {}) {
  options.*option = value;
  return options;
}

Options start_at(const RowMatrix<double>& dictionary) {
  return with(&Options::initial_dictionary, dictionary, with(&Options::init, Initialization::kGiven));
}

SyntheticOptions synthetic(Index dimension, Index samples, std::uint64_t seed) {
  SyntheticOptions data;
  data.dimension = dimension;
  data.samples = samples;
  data.seed = seed;
  return data;
}

FitResult fit_synthetic(const SyntheticOptions& data, const Options& options, const OnlineOptions& how = {}) {
  const Matrix<double> y = Synthetic(data).samples().transpose();
  return fit_online(*samples_in_columns(y), options, how);
}

double recovery(const SyntheticOptions& data, const FitResult& result) {
  return compare(result.model, Synthetic(data).dictionary()).error;
}

double penalty_of(const FitResult& result) {
  const auto& parameters = result.summary.parameters;
  EXPECT_EQ(parameters.size(), 1U);
  EXPECT_EQ(parameters.at(0).first, "penalty");
  return parameters.at(0).second;
}

// λ falls to the tolerance, atoms err by about λ, and the error is the square of that.
TEST(OnlineTest, RecoversAnOrthogonalDictionaryExactly) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const SyntheticOptions data = synthetic(25, 4000, seed);
    const FitResult result = fit_synthetic(data, with(&Options::seed, seed));
    EXPECT_EQ(result.summary.termination, Termination::kConverged);
    EXPECT_EQ(penalty_of(result), 1e-6);
    EXPECT_LT(recovery(data, result), 1e-12) << "seed " << seed;
    EXPECT_LT(result.summary.iterations, 60);
  }
}

TEST(OnlineTest, RecoversADictionaryThatIsNotOrthogonal) {
  SyntheticOptions data = synthetic(20, 4000, 1);
  data.theta = 0.2;
  data.condition = 3;
  EXPECT_LT(recovery(data, fit_synthetic(data, {})), 1e-12);
}

// Four times smaller λ, sixteen times smaller error. SPAMS with λ = .5 and p = 10⁴ has 1.5e-3.
// The rounds use so few samples that the last ones have no codes to start from, and atoms are nearly dependent.
TEST(OnlineTest, KeepsWhatItFoundOfAnIllConditionedDictionary) {
  const RowMatrix<double> truth = test::random_gaussian(20, 20, 3).rowwise().normalized();
  const Matrix<double> codes = test::coefficients(20, 8000, 0.2, 0);
  const Matrix<double> y = truth.transpose() * codes;
  const FitResult result = fit_online(*samples_in_columns(y), {});
  EXPECT_EQ(result.summary.termination, Termination::kConverged);
  EXPECT_LT(compare(result.model, truth).error, 1e-8);
}

TEST(OnlineTest, GivenPenaltyIsTheLast) {
  const SyntheticOptions data = synthetic(25, 10000, 1);
  const FitResult coarse = fit_synthetic(data, {}, {.penalty = 0.5});
  const FitResult fine = fit_synthetic(data, {}, {.penalty = 0.125});
  EXPECT_EQ(penalty_of(coarse), 0.5);
  EXPECT_EQ(coarse.summary.termination, Termination::kConverged);
  EXPECT_LT(recovery(data, coarse), 1.5e-3);
  EXPECT_GT(recovery(data, coarse), 1e-4);
  EXPECT_NEAR(recovery(data, coarse) / recovery(data, fine), 16, 8);
  EXPECT_EQ(penalty_of(fit_synthetic(data, with(&Options::max_iterations, 1), {.penalty = 3})), 3);
}

// Noise of .2 is .34 in units of the rms. Each of n² entries of D errs by about noise/√(pθ) or a little more.
TEST(OnlineTest, StopsAtTheNoise) {
  SyntheticOptions data = synthetic(20, 8000, 2);
  data.noise = 0.2;
  const FitResult result = fit_synthetic(data, {});
  EXPECT_EQ(result.summary.termination, Termination::kConverged);
  EXPECT_GT(penalty_of(result), 0.05);
  EXPECT_LT(penalty_of(result), 0.7);
  EXPECT_LT(recovery(data, result), 3e-3);
  EXPECT_LT(recovery(data, result), 1.5 * recovery(data, fit_synthetic(data, {}, {.penalty = 0.34})));
}

TEST(OnlineTest, NothingToFindEndsSoon) {
  const Matrix<double> y = random_gaussian(10, 2000, 1);
  const FitResult result = fit_online(*samples_in_columns(y), {});
  EXPECT_GT(penalty_of(result), 0.01);
  EXPECT_TRUE(result.model.dictionary.allFinite());
}

TEST(OnlineTest, HistoryIsRoundByRound) {
  const SyntheticOptions data = synthetic(16, 4000, 3);
  const Matrix<double> y = Synthetic(data).samples().transpose();
  const FitResult result = fit_online(*samples_in_columns(y), {}, {.penalty = 0.2});
  const std::vector<IterationRecord>& history = result.summary.history;
  ASSERT_EQ(history.size(), static_cast<std::size_t>(result.summary.iterations));
  std::size_t last = 0;
  while (last < history.size() && history[last].samples == 1600) ++last;
  ASSERT_GT(last, 2U);
  ASSERT_LT(last + 2, history.size());
  for (std::size_t i = last; i < history.size(); ++i) {
    EXPECT_EQ(history[i].samples, 4000);
    EXPECT_EQ(history[i].stage, Stage::kBaseline);
    const double before = history[std::max(i, last + 1) - 1].objective;
    EXPECT_LE(history[i].objective, before * 1.0001);
  }
  // After convergence the codes, and so the objective, are those of the last D.
  const Matrix<double> d = result.model.dictionary.transpose();
  double objective = 0;
  for (Index i = 0; i < y.cols(); ++i) {
    const Vector<double> sample = y.col(i) / result.summary.rms;
    objective += lasso_objective(d, sample, 0.2, exact_lasso(d, sample, 0.2));
  }
  EXPECT_NEAR(result.summary.objective, objective, 1e-3 * objective);
}

// Nine of ten dimensions, nine atoms, one of which starts outside: no code uses it.
TEST(OnlineTest, ReplacesAtomsThatAreNotUsed) {
  const Matrix<double> basis = test::random_orthogonal<double>(10, 1);
  const Matrix<double> y = basis.leftCols(9) * test::sparse_samples(9, 2000, 1);
  const RowMatrix<double> truth =
      (basis.leftCols(9) * Synthetic(synthetic(9, 2000, 1)).dictionary().transpose()).transpose();
  Options options = with(&Options::atoms, 9, start_at(truth));
  options.initial_dictionary.row(4) = basis.col(9).transpose();
  EXPECT_LT(compare(fit_online(*samples_in_columns(y), options).model, truth).error, 1e-12);
}

TEST(OnlineTest, RefusesPenaltiesThatAreNone) {
  const auto message = [&](double penalty) {
    return error_of([&] { static_cast<void>(fit_synthetic(synthetic(8, 100, 0), {}, {.penalty = penalty})); }).second;
  };
  EXPECT_EQ(message(0).find("penalty = 0"), 0U);
  EXPECT_EQ(message(-1).find("penalty = -1"), 0U);
  EXPECT_EQ(message(std::numeric_limits<double>::infinity()).find("penalty = inf"), 0U);
  EXPECT_EQ(message(std::numeric_limits<double>::quiet_NaN()).find("penalty = nan"), 0U);
}

}  // namespace
}  // namespace orthodict::baselines
