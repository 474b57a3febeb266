// SPDX-License-Identifier: Apache-2.0
// The atoms that method auto reports as established: none in noise, and the true ones, sparse or not.
#include <algorithm>
#include <functional>

#include "support.h"

namespace orthodict {
namespace {

using test::fit_columns;

constexpr Index kAtoms = 8, kSamples = 4000;

// Sources of unit variance from uniform numbers.
Matrix<double> sources(const std::function<double(double)>& quantile, Index rows, Index columns, std::uint64_t seed) {
  const random::Stream stream(seed, random::Purpose::kCoefficients);
  return Matrix<double>::NullaryExpr(rows, columns, [&](Index i, Index j) { return quantile(stream.uniform(i, j)); });
}

double laplace(double u) { return (u < 0.5 ? 1 : -1) * std::log(1 - 2 * std::abs(u - 0.5)) / std::sqrt(2.0); }
double uniform(double u) { return std::sqrt(12.0) * (u - 0.5); }
double exponential(double u) { return -std::log(1 - u) - 1; }
double binary(double u) { return u < 0.5 ? -1 : 1; }

void expect_nothing(const FitResult& result) {
  EXPECT_EQ(result.summary.established, 0);
  EXPECT_LT(result.model.confidence.maxCoeff(), 0.5);
  EXPECT_EQ(result.summary.termination, Termination::kNotEstablished);
}

// Samples that depend on their neighbours count less.
TEST(Null, GaussianSamplesThatDependOnTheirNeighboursEstablishNothing) {
  constexpr double kRho = 0.99;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    Matrix<double> y = test::random_gaussian(kAtoms, 8000, seed);
    for (Index j = 1; j < y.cols(); ++j) y.col(j) = kRho * y.col(j - 1) + std::sqrt(1 - kRho * kRho) * y.col(j);
    expect_nothing(fit_columns(y, {}));
  }
}

TEST(Null, ARoundDistributionWithHeavyTailsEstablishesNothing) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    Matrix<double> y = test::random_gaussian(kAtoms, kSamples, seed);
    const Matrix<double> logarithms = test::random_gaussian(1, kSamples, seed + 10);
    for (Index j = 0; j < kSamples; ++j) y.col(j) *= std::exp(0.7 * logarithms(0, j));
    expect_nothing(fit_columns(y, {}));
  }
}

// One after the other, and in any order.
TEST(Null, RepeatedGaussianSamplesEstablishNothing) {
  constexpr Index kTimes = 5;
  const Matrix<double> once = test::random_gaussian(kAtoms, kSamples / kTimes, 3);
  const random::Permutation order(kSamples, random::Stream(1, random::Purpose::kSubsample));
  for (const bool shuffled : {false, true}) {
    const Matrix<double> y = Matrix<double>::NullaryExpr(
        kAtoms, kSamples, [&](Index i, Index j) { return once(i, (shuffled ? order[j] : j) / kTimes); });
    expect_nothing(fit_columns(y, {}));
  }
}

// Two starts on the explored part are enough to conclude this, for an orthogonal and for a complete dictionary.
TEST(Null, GaussianSamplesAreGivenUpSoon) {
  const FitResult result = fit_columns(test::random_gaussian(20, 5000, 4), {});
  expect_nothing(result);
  EXPECT_LT(result.summary.iterations, 1000);
}

// An error of cos² = 0.98 is twenty times the error expected from this number of samples.
TEST(Established, SourcesOfManyKindsAreFound) {
  for (const auto& quantile : {laplace, uniform, exponential}) {
    const Matrix<double> atoms = test::random_orthogonal<double>(kAtoms, 5) + 0.2 * test::random_gaussian(8, 8, 6);
    const FitResult result = fit_columns(atoms * sources(quantile, kAtoms, kSamples, 7), {});
    EXPECT_EQ(result.summary.established, kAtoms);
    EXPECT_NE(result.summary.termination, Termination::kNotEstablished);
    EXPECT_GT(std::pow(compare(result.model, atoms.transpose()).worst_cosine, 2), 0.98);
  }
}

// Ten samples for each atom, judged by folds.
TEST(Established, FewNoisySamplesAreEnough) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Synthetic synthetic({.dimension = 40, .samples = 400, .theta = 0.3, .noise = 0.05, .seed = seed});
    const FitResult result = fit_columns(synthetic.samples().transpose(), {});
    EXPECT_EQ(result.summary.established, 40) << seed;
    EXPECT_GT(compare(result.model, synthetic.dictionary()).worst_cosine, 0.9) << seed;
  }
}

// The sum and the difference of two have more zeros than either, which has none.
TEST(Established, BinarySourcesAreNotTurnedIntoSumsAndDifferences) {
  constexpr Index kMany = 16;  // so that few samples coincide
  const Matrix<double> atoms = test::random_orthogonal<double>(kMany, 8);
  const FitResult result = fit_columns(atoms * sources(binary, kMany, kSamples, 9), {});
  EXPECT_EQ(result.summary.established, kMany);
  EXPECT_GT(std::pow(compare(result.model, atoms.transpose()).worst_cosine, 2), 0.98);
}

// Confidence is the expected cos²: at least ½ for established atoms.
TEST(Established, ConfidenceIsGraded) {
  const Synthetic synthetic({.dimension = 10, .samples = 4000, .theta = 0.3, .noise = 0.5, .seed = 3});
  const FitResult result = fit_columns(synthetic.samples().transpose(), {});
  EXPECT_GT(result.model.confidence.minCoeff(), 0.5);
  EXPECT_LT(result.model.confidence.maxCoeff(), 1);
  const FitResult nothing = fit_columns(test::random_gaussian(10, 2000, 1), {});
  EXPECT_GT(nothing.model.confidence.minCoeff(), 0);
}

// D = W⁻¹B⁻¹ with the condition of B at most 2, so that of D is at most twice that of the samples' covariance root, and
// unit norms change it by √n at most.
TEST(Established, FewSamplesDoNotLeadToAWorseConditionThanTheirs) {
  constexpr Index kFeatures = 30, kCount = 35;
  const auto condition_of = [](const Matrix<double>& m) {
    const Vector<double> values = Eigen::JacobiSVD<Matrix<double>>(m).singularValues();
    return values[0] / values[values.size() - 1];
  };
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Matrix<double> y = test::random_gaussian(kFeatures, kCount, seed);
    const FitResult result = fit_columns(y, {});
    ASSERT_EQ(result.model.atoms(), kFeatures);
    EXPECT_LE(condition_of(result.model.dictionary), 2 * std::sqrt(kFeatures) * condition_of(y)) << seed;
  }
}

// Atoms of features in different units are all near the strongest one, however they are turned.
TEST(Established, NothingIsInGaussianSamplesOfMixedUnits) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Matrix<double> y = Vector<double>{{1, 10, 100, 1e3, 1e4}}.asDiagonal() * test::random_gaussian(5, 2000, seed);
    EXPECT_EQ(fit_columns(y, {}).summary.established, 0) << seed;
  }
}

// Copies of all held-out samples were learned from.
TEST(Established, NothingIsInCopiesOfFewGaussianSamples) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_EQ(fit_columns(test::random_gaussian(10, 60, seed).replicate(1, 5), {}).summary.established, 0) << seed;
  }
}

// Few samples, so that the search has seen all folds. It chose the Gaussian atoms by them.
TEST(Established, GaussianSourcesBesideSparseOnesAreNot) {
  constexpr Index kSources = 32, kGaussian = 16, kCount = 640;
  Index most = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Matrix<double> x = test::coefficients(kSources, kCount, 0.2, 0, seed);
    x.topRows(kGaussian) = test::random_gaussian(kGaussian, kCount, seed + 20);
    const FitResult result = fit_columns(test::random_gaussian(kSources, kSources, seed + 40) * x, {});
    EXPECT_GE(result.summary.established, kSources - kGaussian) << seed;
    most = std::max(most, result.summary.established);
  }
  EXPECT_LE(most, kSources - kGaussian + 2);
}

// Only the outlier varies in the last feature.
TEST(Established, AFeatureThatOnlyAnOutlierHasIsNoDimension) {
  Matrix<double> y = Matrix<double>::Zero(7, 2000);
  y.topRows(6) = test::random_gaussian(6, 6, 1) * test::sparse_samples(6, 2000, 2, 2);
  y.col(0) = 1000 * test::random_gaussian(7, 1, 3);
  const FitResult result = fit_columns(y, {});
  EXPECT_EQ(result.summary.set_aside, 1);
  EXPECT_EQ(result.summary.rank, 6);
  const Model& model = result.model;
  const Matrix<double> codes = model.analysis * (y.rightCols(1999).colwise() - model.mean);
  const Matrix<double> back = (model.dictionary.transpose() * codes).colwise() + model.mean;
  EXPECT_LE((back - y.rightCols(1999)).norm(), 1e-9 * y.rightCols(1999).norm());
}

// With folds, competing finishes and outliers.
TEST(Established, HasTheSameBitsForAnyNumberOfThreads) {
  Matrix<double> y = test::sparse_samples(12, 1000, 3, 3) + 0.1 * test::random_gaussian(12, 1000, 4);
  y.col(17) *= 1000;
  Options options;
  options.threads = 1;
  const FitResult one = fit_columns(y, options);
  EXPECT_EQ(one.summary.set_aside, 1);
  options.threads = 3;
  const FitResult three = fit_columns(y, options);
  EXPECT_EQ(one.model.dictionary, three.model.dictionary);
  EXPECT_EQ(one.model.analysis, three.model.analysis);
  EXPECT_EQ(one.model.mean, three.model.mean);
  EXPECT_EQ(one.model.confidence, three.model.confidence);
}

// Windows of a random walk, whose level drifts slowly.
TEST(Established, NothingIsInWindowsOfARandomWalk) {
  constexpr Index kWindow = 12, kCount = 3000;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Matrix<double> walk = test::random_gaussian(1, kCount + kWindow, seed);
    for (Index t = 1; t < walk.cols(); ++t) walk(0, t) += walk(0, t - 1);
    Matrix<double> y(kWindow, kCount);
    for (Index t = 0; t < kCount; ++t) y.col(t) = walk.middleCols(t, kWindow).transpose();
    EXPECT_EQ(fit_columns(y, {}).summary.established, 0) << seed;
  }
}

}  // namespace
}  // namespace orthodict
