// SPDX-License-Identifier: Apache-2.0
// Samples that differ in contrast, learned from at unit length.
#include "solver/normalize.h"

#include "solver/options.h"
#include "support.h"

namespace orthodict::solver {
namespace {

template <typename Scalar>
class SamplesAtDistance : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(SamplesAtDistance, Scalars);

// Of samples that are given out as they lie, and of such that are converted into the scratch.
TYPED_TEST(SamplesAtDistance, KeepTheirDirectionsFromThePoint) {
  constexpr Index kFeatures = 4, kCount = 7;
  constexpr double kDistance = 3;
  const Vector<double> point{{1, -2, 0.5, 4}};
  Matrix<double> y = test::random_gaussian(kFeatures, kCount, 1);
  y.col(2) = point;
  const Matrix<float> single = y.cast<float>();
  for (const bool is_single : {false, true}) {
    const std::unique_ptr<Samples> given = is_single ? samples_in_columns(single) : samples_in_columns(y);
    const std::unique_ptr<Samples> normalized = samples_at_distance(*given, point, kDistance);
    Vector<TypeParam> scratch(kFeatures * (kCount - 1));
    const Block<TypeParam> block = normalized->block(1, kCount - 1, scratch.data());
    for (Index j = 1; j < kCount; ++j) {
      const Eigen::Map<const Vector<TypeParam>> x(block.data + (j - 1) * block.stride, kFeatures);
      const Vector<double> from_point = x.template cast<double>() - point;
      const Vector<double> before = y.col(j) - point;
      const double length = j == 2 ? 0 : kDistance;
      EXPECT_NEAR(from_point.norm(), length, 1e-5) << j;
      EXPECT_NEAR(from_point.dot(before), length * before.norm(), 1e-4) << j;
    }
  }
}

TEST(SamplesSetAside, BecomeThePoint) {
  const Vector<double> point{{1, -2, 3}};
  const Matrix<double> y = test::random_gaussian(3, 6, 2);
  const std::unique_ptr<Samples> given = samples_in_columns(y);
  const std::unique_ptr<Samples> normalized = samples_at_distance(*given, point, 2, {1, 4});
  Vector<double> scratch(3 * 6);
  const Block<double> block = normalized->block(0, 6, scratch.data());
  for (Index j = 0; j < 6; ++j) {
    const Eigen::Map<const Vector<double>> x(block.data + j * block.stride, 3);
    EXPECT_NEAR((x - point).norm(), j == 1 || j == 4 ? 0 : 2, 1e-12) << j;
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

// Exact zeros are there as they are: no second attempt.
TEST(Normalize, LeavesExactlySparseSamplesAlone) {
  const Matrix<double> y = test::sparse_samples(10, 2000);
  Options options;
  const FitResult expected = test::fit_columns(y, options);
  options.normalize = Normalization::kAuto;
  const FitResult result = test::fit_columns(y, options);
  EXPECT_EQ(result.summary.iterations, expected.summary.iterations);
  EXPECT_EQ(result.model.dictionary, expected.model.dictionary);
}

// Of msp: learning from samples at unit length is what it does.
TEST(Normalize, OfMspIsAFitOfUnitSamples) {
  const Problem problem = make_problem(1, true);
  for (const bool center : {false, true}) {
    const Vector<double> point = center ? Vector<double>(problem.y.rowwise().mean()) : Vector<double>::Zero(kFeatures);
    Matrix<double> unit = (problem.y.colwise() - point).colwise().normalized();
    unit.colwise() += point;
    Options options;
    options.stretch = "l4";
    options.center = center;
    const FitResult expected = test::fit_columns(unit, options);
    options.normalize = Normalization::kSamples;
    const FitResult result = test::fit_columns(problem.y, options);
    // The distance, which isn't 1, moves the mean of those about the point.
    if (!center) {
      EXPECT_LT((result.model.dictionary - expected.model.dictionary).norm(), 1e-9);
    }
    EXPECT_LT(compare(result.model, expected.model.dictionary).error, 1e-3);
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
