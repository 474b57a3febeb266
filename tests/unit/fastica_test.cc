// SPDX-License-Identifier: Apache-2.0
#include "baselines/fastica.h"

#include <gtest/gtest.h>

#include "support.h"

namespace orthodict {
namespace {

using baselines::fit_fastica;
using baselines::fit_fastica_deflation;

Synthetic synthetic(Index n, Index p, std::uint64_t seed, double condition) {
  SyntheticOptions options;
  options.dimension = n;
  options.samples = p;
  options.seed = seed;
  options.condition = condition;
  return Synthetic(options);
}

FitResult symmetric(const Matrix<double>& y, const Options& options = {}) {
  return fit_fastica(*samples_in_columns(y), options);
}

FitResult deflation(const Matrix<double>& y, const Options& options = {}) {
  return fit_fastica_deflation(*samples_in_columns(y), options);
}

double error_against(const FitResult& result, const Synthetic& data) {
  return compare(result.model, data.dictionary()).error;
}

// Codes of centred samples, by their atoms and back: A·D = I.
void expect_inverse(const Model& model) {
  const Matrix<double> product = model.analysis * model.dictionary.transpose();
  EXPECT_TRUE(product.allFinite());
  EXPECT_LE((product - test::identity(model.atoms())).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(FasticaTest, SymmetricIsMatchStretchProjectWithLogcosh) {
  const Matrix<double> y = test::sparse_samples(15, 5000, 1, 4);
  Options options;
  options.seed = 3;
  const FitResult fastica = symmetric(y, options);
  options.stretch = "logcosh";
  options.remove_bias = true;
  options.whiten = Whitening::kPca;
  options.center = true;
  const FitResult msp = fit(*samples_in_columns(y), options);
  EXPECT_EQ(fastica.model.dictionary, msp.model.dictionary);
  EXPECT_EQ(fastica.model.analysis, msp.model.analysis);
  EXPECT_EQ(fastica.summary.iterations, msp.summary.iterations);
  EXPECT_EQ(fastica.summary.termination, Termination::kConverged);
  EXPECT_EQ(fastica.summary.method, "fastica");
}

// The error is a statistical floor, 1.6e-3 to 1.75e-3 at these sizes; that of deflation is twice as large for atoms of
// equal law (Tichavský, Koldovský, Oja 2006).
TEST(FasticaTest, RecoversCompleteDictionaries) {
  for (const std::uint64_t seed : {1U, 2U}) {
    const Synthetic data = synthetic(25, 10000, seed, 5);
    const double floor = error_against(symmetric(data.samples().transpose()), data);
    EXPECT_LE(floor, 2.2e-3);
    const FitResult result = deflation(data.samples().transpose());
    EXPECT_GE(error_against(result, data), 1.4 * floor);
    EXPECT_LE(error_against(result, data), 2.8 * floor);
    expect_inverse(result.model);
    EXPECT_EQ(result.summary.termination, Termination::kConverged);
    EXPECT_EQ(result.summary.method, "fastica_deflation");
    EXPECT_EQ(result.summary.iterations, 25);
    EXPECT_EQ(result.summary.dictionary, Dictionary::kComplete);
    EXPECT_TRUE(result.summary.center);
  }
}

// The iteration that the header describes, for whitened samples and the first atom.
TEST(FasticaTest, DeflationFindsAFixedPointOfTheIteration) {
  const Synthetic data = synthetic(6, 4000, 1, 3);
  const Matrix<double> y = data.samples().transpose();
  Options options;
  options.tolerance = 1e-11;
  options.atoms = 6;
  RowMatrix<double> first;
  options.callback = [&](const Iterate& iterate) {
    if (iterate.record().iteration == 1) first = iterate.model().analysis;
    return false;
  };
  const FitResult result = deflation(y, options);
  // Its coefficients have unit variance, in the sample too, and the update of the atom is a multiple of it.
  const Matrix<double> centred = y.colwise() - Vector<double>(y.rowwise().mean());
  const Matrix<double> covariance = centred * centred.transpose() / 4000;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(covariance);
  const Matrix<double> x = eigen.operatorInverseSqrt() * centred;
  double least = 1;
  for (Index i = 0; i < first.rows(); ++i) {
    const Vector<double> w = (eigen.operatorSqrt() * first.row(i).transpose()).normalized();
    const Eigen::ArrayXd z = (x.transpose() * w).array();
    Vector<double> update = x * z.tanh().matrix() / 4000 - (1 - z.tanh().square()).mean() * w;
    update.normalize();
    least = std::min(least, std::min((update - w).norm(), (update + w).norm()));
  }
  EXPECT_LE(least, 1e-9);
  EXPECT_EQ(result.summary.termination, Termination::kConverged);
}

TEST(FasticaTest, OrthogonalDictionariesAreNotWhitened) {
  const Synthetic data = synthetic(12, 6000, 1, 1);
  Options options;
  options.dictionary = Dictionary::kOrthogonal;
  options.center = false;
  for (const auto& method : {symmetric, deflation}) {
    const FitResult result = method(data.samples().transpose(), options);
    EXPECT_LE(error_against(result, data), 5e-3);
    EXPECT_EQ(result.model.analysis, result.model.dictionary);
    EXPECT_EQ(result.summary.dictionary, Dictionary::kOrthogonal);
    EXPECT_FALSE(result.summary.center);
    EXPECT_TRUE(result.model.mean.isZero(0));
  }
}

TEST(FasticaTest, FewerAtomsAreTrueOnes) {
  const Synthetic data = synthetic(12, 20000, 1, 1);
  Options options;
  options.atoms = 5;
  options.dictionary = Dictionary::kOrthogonal;  // with whitening, five components would be kept
  const FitResult result = deflation(data.samples().transpose(), options);
  EXPECT_EQ(result.model.atoms(), 5);
  EXPECT_LE(error_against(result, data), 3e-3);
}

TEST(FasticaTest, StopsWithACompleteModel) {
  const Matrix<double> y = test::sparse_samples(20, 3000);
  Options options;
  options.time_limit = 1e-9;
  const FitResult late = deflation(y, options);
  EXPECT_EQ(late.summary.termination, Termination::kTimeLimit);
  expect_inverse(late.model);

  options.time_limit.reset();
  options.callback = [](const Iterate& iterate) {
    expect_inverse(iterate.model());
    return iterate.record().iteration == 3;
  };
  const FitResult called = deflation(y, options);
  EXPECT_EQ(called.summary.termination, Termination::kStopped);
  EXPECT_EQ(called.summary.iterations, 3);

  std::stop_source source;
  options.stop = source.get_token();
  options.callback = [&](const Iterate&) { return !source.request_stop(); };
  const FitResult stopped = deflation(y, options);
  EXPECT_EQ(stopped.summary.termination, Termination::kStopped);
  EXPECT_EQ(stopped.summary.iterations, 1);
  expect_inverse(stopped.model);

  options = {};
  options.max_iterations = 1;
  EXPECT_EQ(deflation(y, options).summary.termination, Termination::kMaxIterations);
}

TEST(FasticaTest, StartsFromDependentAtomsToo) {
  const Synthetic data = synthetic(8, 4000, 1, 1);
  Options options;
  options.init = Initialization::kGiven;
  options.dictionary = Dictionary::kOrthogonal;
  options.initial_dictionary = RowMatrix<double>::Zero(8, 8);
  options.initial_dictionary.col(3).setOnes();
  const FitResult result = deflation(data.samples().transpose(), options);
  EXPECT_LE(error_against(result, data), 5e-3);
  expect_inverse(result.model);
  options.max_iterations = 0;
  expect_inverse(deflation(data.samples().transpose(), options).model);
  options.initial_dictionary = RowMatrix<double>::Ones(7, 8);
  EXPECT_TRUE(test::error_of([&] {
                (void)deflation(data.samples().transpose(), options);
              }).second.starts_with("initial_dictionary = "));
}

TEST(FasticaTest, OddSamplesGiveFiniteResults) {
  const Matrix<double> rank_3 = test::random_gaussian(8, 3, 1) * test::sparse_samples(3, 200);
  const Matrix<double> few = test::random_gaussian(8, 4, 2);
  const Matrix<double> duplicates = test::random_gaussian(8, 4, 3).replicate(1, 20);
  Matrix<double> mostly_zero = Matrix<double>::Zero(8, 100);
  mostly_zero.col(5).setOnes();
  Options orthogonal;
  orthogonal.dictionary = Dictionary::kOrthogonal;
  for (const Matrix<double>& y : {rank_3, few, duplicates, mostly_zero, test::identity(8)}) {
    for (const auto& method : {symmetric, deflation}) {
      const FitResult whitened = method(y, {});
      EXPECT_TRUE(whitened.model.dictionary.allFinite() && whitened.model.analysis.allFinite());
      EXPECT_EQ(whitened.model.atoms(), whitened.summary.rank);
      expect_inverse(whitened.model);
      const FitResult plain = method(y, orthogonal);
      EXPECT_EQ(plain.model.atoms(), 8);
      expect_inverse(plain.model);
    }
  }
  for (const double scale : {1e-150, 1e150}) {
    EXPECT_TRUE(deflation(scale * test::sparse_samples(5, 500)).model.analysis.allFinite());
  }
  EXPECT_EQ(test::error_of([] { (void)deflation(Matrix<double>::Ones(4, 10)); }).first, Fault::kData);
}

}  // namespace
}  // namespace orthodict
