// SPDX-License-Identifier: Apache-2.0
// Learning from samples that are scaled to one length.
#include "solver/normalize.h"

#include "solver/options.h"
#include "support.h"

namespace orthodict::solver {
namespace {

template <typename Scalar>
class ScaledSamples : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(ScaledSamples, Scalars);

// For samples in place, and for samples that are converted to the scratch buffer.
TYPED_TEST(ScaledSamples, AreAtOtherDistancesFromThePoint) {
  constexpr Index kFeatures = 4, kCount = 7;
  const Vector<double> point{{1, -2, 0.5, 4}};
  const Matrix<double> y = test::random_gaussian(kFeatures, kCount, 1);
  const Matrix<float> single = y.cast<float>();
  const std::vector<double> factors = {1, 2, 0, 0.5, 3, 1, 0.1};
  for (const bool is_single : {false, true}) {
    const std::unique_ptr<Samples> given = is_single ? samples_in_columns(single) : samples_in_columns(y);
    const std::unique_ptr<Samples> scaled = scale_samples(*given, point, factors);
    Vector<TypeParam> scratch(kFeatures * (kCount - 1));
    const Block<TypeParam> block = scaled->block(1, kCount - 1, scratch.data());
    for (Index j = 1; j < kCount; ++j) {
      const Eigen::Map<const Vector<TypeParam>> x(block.data + (j - 1) * block.stride, kFeatures);
      const Vector<double> expected = point + factors[static_cast<std::size_t>(j)] * (y.col(j) - point);
      EXPECT_LT((x.template cast<double>() - expected).norm(), 1e-5) << j;
    }
  }
}

// Lengths of columns about a point, in whitened coordinates, as a share of their root mean square.
Vector<double> whitened_lengths(const Matrix<double>& y, const Vector<double>& point) {
  const Matrix<double> x = y.colwise() - point;
  const Matrix<double> covariance = x * x.transpose() / static_cast<double>(x.cols());
  const Matrix<double> white = covariance.llt().matrixL().solve(x);
  return white.colwise().norm().transpose() / std::sqrt(static_cast<double>(y.rows()));
}

TEST(NormalizeSamples, GivesAllOneLengthAndThoseSetAsideNone) {
  const Matrix<double> y = test::random_gaussian(3, 50, 2).array() * 4 + 1;
  const std::unique_ptr<Samples> given = samples_in_columns(y);
  const Options options;
  solver::Run run(*given, options, "auto");
  const engine::Moments moments = run.measure(true);
  run.set_aside(samples_in_columns(y), {1, 4});
  (void)normalize_samples(run, true, moments, true);
  const Vector<double> lengths = whitened_lengths(y, moments.mean);
  Vector<double> scratch(3 * 50);
  const Block<double> block = run.learned_from().block(0, 50, scratch.data());
  for (Index j = 0; j < 50; ++j) {
    const Eigen::Map<const Vector<double>> x(block.data + j * block.stride, 3);
    const double factor = j == 1 || j == 4 ? 0 : 1 / lengths[j];
    EXPECT_LT((x - moments.mean - factor * (y.col(j) - moments.mean)).norm(), 1e-11) << j;
  }
}

// A direction of large variance: at unit length in the samples' own units, its coefficients would be nearly ±1.
TEST(Normalize, MakesNoStructureOfGaussianSamples) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Matrix<double> y = test::random_gaussian(8, 4000, seed);
    y.row(0) *= 20;
    for (const Normalization normalize : {Normalization::kSamples, Normalization::kAuto}) {
      Options options;
      options.normalize = normalize;
      EXPECT_EQ(test::fit_columns(y, options).summary.established, 0) << seed;
    }
  }
}

constexpr Index kFeatures = 20, kSamples = 5000;

// Sparse sources with noise: each sample is then multiplied by a contrast of its own, or only its sources are.
struct Problem {
  Matrix<double> y;
  Matrix<double> atoms;
};
Problem make_problem(std::uint64_t seed, bool noise_has_contrast) {
  const Matrix<double> atoms = test::random_orthogonal<double>(kFeatures, seed);
  const Matrix<double> sources = test::coefficients(kFeatures, kSamples, 0.3, 0.0, seed);
  const Vector<double> contrast = (1.5 * test::random_gaussian(kSamples, 1, seed + 100)).array().exp();
  const double level = noise_has_contrast ? 0.1 : 1;
  const Matrix<double> noise = level * test::random_gaussian(kFeatures, kSamples, seed + 200);
  const Matrix<double> clean = atoms * sources;
  return {noise_has_contrast ? Matrix<double>((clean + noise) * contrast.asDiagonal())
                             : Matrix<double>(clean * contrast.asDiagonal() + noise),
          atoms};
}

FitResult learn(const Problem& problem, Normalization normalize) {
  Options options;
  options.normalize = normalize;
  return test::fit_columns(problem.y, options);
}
double error_of(const FitResult& result, const Problem& problem) {
  return compare(result.model, problem.atoms.transpose()).error;
}

TEST(Normalize, HelpsWhereAllOfASampleHasItsContrast) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Problem problem = make_problem(seed, true);
    const FitResult as_it_is = learn(problem, Normalization::kNone);
    const FitResult normalized = learn(problem, Normalization::kSamples);
    EXPECT_LT(error_of(normalized, problem), 0.5 * error_of(as_it_is, problem)) << seed;
    EXPECT_EQ(as_it_is.summary.normalize, Normalization::kNone);
    EXPECT_EQ(normalized.summary.normalize, Normalization::kSamples);
    const FitResult chosen = learn(problem, Normalization::kAuto);
    EXPECT_EQ(chosen.summary.normalize, Normalization::kSamples);
    EXPECT_EQ(chosen.model.dictionary, normalized.model.dictionary);
  }
}

TEST(Normalize, IsNotChosenWhereItWouldRaiseNoise) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Problem problem = make_problem(seed, false);
    const FitResult as_it_is = learn(problem, Normalization::kNone);
    EXPECT_LT(error_of(as_it_is, problem), error_of(learn(problem, Normalization::kSamples), problem)) << seed;
    const FitResult chosen = learn(problem, Normalization::kAuto);
    EXPECT_EQ(chosen.summary.normalize, Normalization::kNone);
    EXPECT_EQ(chosen.model.dictionary, as_it_is.model.dictionary);
  }
}

// A feature that only one outlier makes vary. A rejected normalization must leave no trace.
TEST(Normalize, NotChosenIsNotAskedFor) {
  Problem problem = make_problem(1, false);
  problem.y.row(3).setConstant(2);
  problem.y.col(11) *= 1000;
  const FitResult expected = learn(problem, Normalization::kNone);
  const FitResult chosen = learn(problem, Normalization::kAuto);
  ASSERT_EQ(chosen.summary.normalize, Normalization::kNone);
  EXPECT_EQ(chosen.summary.rank, expected.summary.rank);
  EXPECT_EQ(chosen.model.dictionary, expected.model.dictionary);
}

// A run that ends during its attempt with normalized samples returns the earlier result.
TEST(Normalize, AnEarlyEndKeepsWhatWasEstablished) {
  const Problem problem = make_problem(1, false);
  const FitResult as_it_is = learn(problem, Normalization::kNone);
  ASSERT_GT(as_it_is.summary.established, 0);
  Options options;
  options.normalize = Normalization::kAuto;
  options.max_iterations = as_it_is.summary.iterations + 5;
  const FitResult ended = test::fit_columns(problem.y, options);
  EXPECT_EQ(ended.summary.termination, Termination::kMaxIterations);
  EXPECT_EQ(ended.summary.normalize, Normalization::kNone);
  EXPECT_GE(ended.summary.established, as_it_is.summary.established / 2);
  EXPECT_LT(error_of(ended, problem), 2 * error_of(as_it_is, problem));
}

// Samples with exact zeros aren't normalized: there is no second attempt.
TEST(Normalize, LeavesExactlySparseSamplesAlone) {
  const Matrix<double> y = test::sparse_samples(10, 2000);
  Options options;
  const FitResult expected = test::fit_columns(y, options);
  options.normalize = Normalization::kAuto;
  const FitResult result = test::fit_columns(y, options);
  EXPECT_EQ(result.summary.iterations, expected.summary.iterations);
  EXPECT_EQ(result.model.dictionary, expected.model.dictionary);
}

// Method msp with this option is msp on scaled samples.
TEST(Normalize, OfMspIsAFitOfScaledSamples) {
  const Problem problem = make_problem(1, true);
  for (const bool center : {false, true}) {
    const Vector<double> point = center ? Vector<double>(problem.y.rowwise().mean()) : Vector<double>::Zero(kFeatures);
    Matrix<double> scaled = problem.y.colwise() - point;
    scaled *= whitened_lengths(problem.y, point).cwiseInverse().asDiagonal();
    scaled.colwise() += point;
    Options options;
    options.stretch = "l4";
    options.center = center;
    const FitResult expected = test::fit_columns(scaled, options);
    options.normalize = Normalization::kSamples;
    const FitResult result = test::fit_columns(problem.y, options);
    EXPECT_LT((result.model.dictionary - expected.model.dictionary).norm(), 1e-9);
    EXPECT_EQ(result.summary.normalize, Normalization::kSamples);
  }
}

TEST(Normalize, AutoIsForMethodAuto) {
  Options options;
  options.stretch = "l4";
  options.normalize = Normalization::kAuto;
  const auto [fault, message] = test::error_of([&] { options.validate(); });
  EXPECT_NE(message.find("normalize = auto: must be none or samples"), std::string::npos) << message;
}

}  // namespace
}  // namespace orthodict::solver
