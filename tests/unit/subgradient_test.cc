// SPDX-License-Identifier: Apache-2.0
#include "baselines/subgradient.h"

#include <gtest/gtest.h>

#include "baselines/reduced_samples.h"
#include "simd_targets.h"
#include "support.h"

namespace orthodict {
namespace {

using baselines::fit_subgradient;
using baselines::ReducedSamples;
using baselines::SubgradientOptions;

Synthetic synthetic(Index n, Index p, double theta = 0.3, double condition = 1, std::uint64_t seed = 1) {
  SyntheticOptions options;
  options.dimension = n;
  options.samples = p;
  options.theta = theta;
  options.condition = condition;
  options.seed = seed;
  return Synthetic(options);
}

FitResult fit_to(const Matrix<double>& y, const Options& options = {}, const SubgradientOptions& how = {}) {
  return fit_subgradient(*samples_in_columns(y), options, how);
}

double error_against(const FitResult& result, const Synthetic& data) {
  return compare(result.model, data.dictionary()).error;
}

void expect_orthonormal(const RowMatrix<double>& rows) {
  const Matrix<double> gram = rows * rows.transpose();
  EXPECT_TRUE(gram.allFinite());
  EXPECT_LE((gram - test::identity(rows.rows())).cwiseAbs().maxCoeff(), 1e-15 * static_cast<double>(50 + rows.cols()));
}

// The result of ReducedSamples, by its definition.
void expect_mean_and_subgradient(ReducedSamples& reduced, const Matrix<double>& x, const Vector<double>& q) {
  const auto value = reduced.evaluate(q);
  ASSERT_TRUE(value);
  const Matrix<double> left = reduced.basis().transpose() * x;
  const Vector<double> z = left.transpose() * q;
  const auto p = static_cast<double>(x.cols());
  EXPECT_NEAR(value->objective, z.cwiseAbs().sum() / p, 1e-13);
  Vector<double> g = left * z.cwiseSign() / p;
  g -= q.dot(g) * q;
  EXPECT_LE((value->gradient - g).norm(), 1e-13);
}

TEST(SubgradientTest, ReducedSamplesGiveObjectiveAndSubgradientInTheComplement) {
  constexpr Index kDimension = 11;
  const Matrix<double> y = 3 * test::coefficients(kDimension, 1001, 0.3, 0);
  test::for_each_simd_target([&](const char* target) {
    SCOPED_TRACE(target);
    const auto samples = samples_in_columns(y);
    const Options options;
    solver::Run run(*samples, options, "test");
    const solver::Coordinates coordinates(run.measure(false), "test", {});
    ReducedSamples reduced(run, coordinates);
    const Matrix<double> x = y / coordinates.rms();
    expect_mean_and_subgradient(reduced, x, Vector<double>::Unit(kDimension, 2));  // with coefficients that are zero
    Matrix<double> found(kDimension, 0);
    for (Index m = kDimension; m > 0; --m) {
      ASSERT_EQ(reduced.dimension(), m);
      Matrix<double> all(kDimension, kDimension);
      all << found, reduced.basis();
      expect_orthonormal(all);
      const Vector<double> q = test::random_gaussian(m, 1, static_cast<std::uint64_t>(m)).col(0).normalized();
      expect_mean_and_subgradient(reduced, x, q);
      found.conservativeResize(Eigen::NoChange, found.cols() + 1);
      found.rightCols(1) = reduced.basis() * q;
      reduced.leave_out(q);
    }
  });
}

// The step falls to 1e-6 and the distance with it: the error 2·distance² is some 1e-12, far below the k^(−1/2) of
// polynomially falling steps.
TEST(SubgradientTest, RecoversAnOrthogonalDictionary) {
  const Synthetic data = synthetic(25, 10000);
  const FitResult result = fit_to(data.samples().transpose());
  EXPECT_LE(error_against(result, data), 1e-11);
  expect_orthonormal(result.model.dictionary);
  EXPECT_EQ(result.model.analysis, result.model.dictionary);
  EXPECT_EQ(result.summary.termination, Termination::kConverged);
  EXPECT_EQ(result.summary.method, "subgradient");
  EXPECT_EQ(result.summary.iterations, 25);
  EXPECT_EQ(result.summary.history.size(), 25U);
  // log(½/1e-6)/log(1/0.7) = 37 falling steps, ten without gain and a few that reach the atom.
  EXPECT_LE(result.summary.passes, 25 * 60);
}

// Sparser coefficients make balanced pairs of atoms attractive: the other starts find the way out.
TEST(SubgradientTest, LeavesSaddlesOfVerySparseSamplesByOtherStarts) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const Synthetic data = synthetic(50, 1000, 0.1, 1, seed);
    EXPECT_LE(error_against(fit_to(data.samples().transpose()), data), 1e-11) << seed;
  }
}

TEST(SubgradientTest, RecoversFromFewSamples) {
  const Synthetic data = synthetic(25, 500);
  EXPECT_LE(error_against(fit_to(data.samples().transpose()), data), 1e-8);
}

// Whitened atoms are orthogonal only up to 1/√p in each of the n − 1 others, so that an orthonormal answer has an error
// of about 2·n/p·constant: 3e-3 at these sizes, over three seeds.
TEST(SubgradientTest, RecoversACompleteDictionaryByWhitening) {
  const Synthetic data = synthetic(25, 10000, 0.3, 5);
  Options options;
  options.dictionary = Dictionary::kComplete;
  const FitResult result = fit_to(data.samples().transpose(), options);
  EXPECT_LE(error_against(result, data), 6e-3);
  EXPECT_GE(compare(result.model, data.dictionary()).worst_cosine, 0.99);
  EXPECT_EQ(result.summary.dictionary, Dictionary::kComplete);
  // Without whitening the problem is different.
  EXPECT_GE(error_against(fit_to(data.samples().transpose()), data), 0.1);
}

TEST(SubgradientTest, TruthEndsTheSearchForAnAtom) {
  const Synthetic data = synthetic(25, 10000);
  SubgradientOptions how;
  how.truth = data.dictionary();
  const FitResult result = fit_to(data.samples().transpose(), {}, how);
  EXPECT_EQ(result.summary.method, "subgradient_oracle");
  EXPECT_EQ(result.summary.termination, Termination::kConverged);
  EXPECT_LE(error_against(result, data), 2 * how.found_error);
  EXPECT_GE(error_against(result, data), how.found_error / 10);
  EXPECT_LE(result.summary.passes, 25 * 25);
  expect_orthonormal(result.model.dictionary);
  how.found_error = 1e-8;
  EXPECT_LE(error_against(fit_to(data.samples().transpose(), {}, how), data), 2e-8);
}

TEST(SubgradientTest, FewerAtomsAreTrueOnes) {
  const Synthetic data = synthetic(20, 4000);
  Options options;
  options.atoms = 6;
  const FitResult result = fit_to(data.samples().transpose(), options);
  EXPECT_EQ(result.model.atoms(), 6);
  EXPECT_LE(error_against(result, data), 1e-11);
}

TEST(SubgradientTest, CentredSamplesKeepTheirAtoms) {
  const Synthetic data = synthetic(15, 5000);
  Matrix<double> y = data.samples().transpose();
  y.colwise() -= Vector<double>(y.rowwise().mean());
  y.colwise() += Vector<double>::Constant(15, 7);
  Options options;
  options.center = true;
  // The mean of the sparse samples is zero up to 1/√p only: what is centred is sparse up to that.
  const FitResult result = fit_to(y, options);
  EXPECT_LE(error_against(result, data), 1e-3);
  EXPECT_LE((result.model.mean - Vector<double>::Constant(15, 7)).norm(), 1e-12);
}

TEST(SubgradientTest, StartsWhereItIsTold) {
  const Synthetic data = synthetic(15, 2000);
  Options options;
  options.init = Initialization::kGiven;
  options.initial_dictionary = 3 * data.dictionary();
  options.max_iterations = 0;
  const FitResult untouched = fit_to(data.samples().transpose(), options);
  EXPECT_LE(error_against(untouched, data), 1e-13);
  EXPECT_EQ(untouched.summary.passes, 1);  // the moments
  EXPECT_EQ(untouched.summary.termination, Termination::kMaxIterations);
  options.init = Initialization::kIdentity;
  EXPECT_LE((fit_to(data.samples().transpose(), options).model.dictionary.cwiseAbs2().rowwise().maxCoeff().array() - 1)
                .maxCoeff(),
            1e-13);
  options.max_iterations = 1000;
  EXPECT_LE(error_against(fit_to(data.samples().transpose(), options), data), 1e-11);
}

TEST(SubgradientTest, MaxIterationsArePassesPerAtom) {
  const Synthetic data = synthetic(10, 1000);
  Options options;
  options.max_iterations = 7;
  const FitResult result = fit_to(data.samples().transpose(), options);
  EXPECT_EQ(result.summary.termination, Termination::kMaxIterations);
  EXPECT_LE(result.summary.passes, 1 + 7 * 10);
  expect_orthonormal(result.model.dictionary);
}

TEST(SubgradientTest, StopsWithAnOrthonormalModel) {
  const Synthetic data = synthetic(20, 2000);
  Options options;
  options.time_limit = 1e-9;
  const FitResult late = fit_to(data.samples().transpose(), options);
  EXPECT_EQ(late.summary.termination, Termination::kTimeLimit);
  expect_orthonormal(late.model.dictionary);

  options.time_limit.reset();
  options.callback = [](const Iterate& iterate) {
    expect_orthonormal(iterate.model().dictionary);
    return iterate.record().iteration == 3;
  };
  const FitResult called = fit_to(data.samples().transpose(), options);
  EXPECT_EQ(called.summary.termination, Termination::kStopped);
  EXPECT_EQ(called.summary.iterations, 3);

  std::stop_source source;
  options.stop = source.get_token();
  options.callback = [&](const Iterate& iterate) {
    if (iterate.record().iteration == 2) source.request_stop();
    return false;
  };
  const FitResult stopped = fit_to(data.samples().transpose(), options);
  EXPECT_EQ(stopped.summary.termination, Termination::kStopped);
  EXPECT_EQ(stopped.summary.iterations, 2);
  expect_orthonormal(stopped.model.dictionary);
}

TEST(SubgradientTest, RefusesTruthsThatAreNone) {
  const Matrix<double> y = test::sparse_samples(5, 100);
  const auto message_for = [&](const SubgradientOptions& how) {
    return test::error_of([&] { (void)fit_to(y, {}, how); }).second;
  };
  for (const double illegal : {0.0, 1.0, std::nan("")}) {
    EXPECT_TRUE(message_for({.truth = {}, .found_error = illegal}).starts_with("found_error = "));
  }
  EXPECT_TRUE(message_for({.truth = RowMatrix<double>::Ones(5, 4)}).starts_with("truth: "));
  EXPECT_TRUE(message_for({.truth = RowMatrix<double>::Zero(5, 5)}).starts_with("truth: "));
}

void expect_finite(const Matrix<double>& y, const Options& options = {}) {
  const FitResult result = fit_to(y, options);
  EXPECT_TRUE(result.model.dictionary.allFinite() && result.model.analysis.allFinite());
  EXPECT_TRUE((result.model.dictionary.rowwise().norm().array() - 1).abs().maxCoeff() < 1e-12);
}

TEST(SubgradientTest, OddSamplesGiveFiniteResults) {
  Matrix<double> rank_3 = test::random_gaussian(8, 3, 1) * test::sparse_samples(3, 200);
  expect_finite(rank_3);
  Options options;
  options.atoms = 2;
  expect_finite(rank_3, options);
  options.atoms.reset();
  options.dictionary = Dictionary::kComplete;
  expect_finite(rank_3, options);
  EXPECT_EQ(fit_to(rank_3).model.atoms(), 8);
  expect_orthonormal(fit_to(rank_3).model.dictionary);

  expect_finite(test::random_gaussian(8, 3, 2));   // p < n
  expect_finite(test::random_gaussian(8, 1, 2));   // one sample
  expect_finite(test::random_gaussian(1, 50, 2));  // one feature
  expect_finite(Matrix<double>::Ones(8, 50));      // equal ones
  expect_finite(test::random_gaussian(8, 4, 3).replicate(1, 20));
  Matrix<double> mostly_zero = Matrix<double>::Zero(8, 100);
  mostly_zero.col(5).setOnes();
  expect_finite(mostly_zero);
  expect_finite(test::identity(8));
  EXPECT_EQ(test::error_of([] { (void)fit_to(Matrix<double>::Zero(4, 10)); }).first, Fault::kData);
  Options centred;
  centred.center = true;
  EXPECT_EQ(test::error_of([&] { (void)fit_to(Matrix<double>::Ones(4, 10), centred); }).first, Fault::kData);
}

// Fewer atoms than the samples' rank, which is less than their dimension: directions outside the range, whose
// coefficients are all zero, are no atoms.
TEST(SubgradientTest, AtomsLieInTheRange) {
  Matrix<double> y = Matrix<double>::Zero(12, 2000);
  y.topRows(6) = test::sparse_samples(6, 2000);
  y = test::random_orthogonal<double>(12, 5) * y;
  Options options;
  options.atoms = 4;
  const FitResult result = fit_to(y, options);
  const Vector<double> energies = (result.model.analysis * y).rowwise().squaredNorm() / 2000;
  EXPECT_GE(energies.minCoeff(), 0.2);
}

}  // namespace
}  // namespace orthodict
