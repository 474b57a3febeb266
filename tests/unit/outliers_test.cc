// SPDX-License-Identifier: Apache-2.0
// A few samples that are far larger than all others.
#include "solver/outliers.h"

#include <array>

#include "support.h"

namespace orthodict::solver {
namespace {

template <typename Scalar>
class ReplacedSamples : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(ReplacedSamples, Scalars);

// Blocks of any range, of samples in place and of samples that are converted.
TYPED_TEST(ReplacedSamples, HaveThePointInPlaceOfSomeSamples) {
  constexpr Index kFeatures = 3, kCount = 12;
  const Matrix<double> y = test::random_gaussian(kFeatures, kCount, 1).cast<float>().template cast<double>();
  const Matrix<float> single = y.cast<float>();
  const Vector<double> point{{0.5, -2, 8}};
  Matrix<double> expected = y;
  for (const Index j : {0, 4, 5, 11}) expected.col(j) = point;
  for (const bool is_single : {false, true}) {
    const std::unique_ptr<Samples> given = is_single ? samples_in_columns(single) : samples_in_columns(y);
    const std::unique_ptr<Samples> replaced = replace_samples(*given, {0, 4, 5, 11}, point);
    EXPECT_EQ(replaced->size(), kCount);
    EXPECT_EQ(replaced->dimension(), kFeatures);
    EXPECT_EQ(replaced->name(), given->name());
    for (Index first = 0; first < kCount; ++first) {
      for (Index count = 1; first + count <= kCount; ++count) {
        Vector<TypeParam> scratch(kFeatures * count);
        const Block<TypeParam> block = replaced->block(first, count, scratch.data());
        const Eigen::Map<const Matrix<TypeParam>, 0, Eigen::OuterStride<>> columns(block.data, kFeatures, count,
                                                                                   Eigen::OuterStride<>(block.stride));
        EXPECT_EQ(columns.template cast<double>(), expected.middleCols(first, count)) << first << ", " << count;
      }
    }
  }
  EXPECT_EQ(y.col(0), single.col(0).template cast<double>());  // the argument isn't modified
}

struct SetAside {
  Index count = 0;
  engine::Moments moments;
};

SetAside set_aside(const Matrix<double>& y) {
  const auto samples = samples_in_columns(y);
  const Options options;
  Run run(*samples, options, "auto");
  SetAside result{.moments = run.measure(true)};
  set_aside_outliers(run, &result.moments);
  result.count = run.summary().set_aside;
  return result;
}

TEST(Outliers, AreNoneAmongGaussianAndSparseSamples) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    EXPECT_EQ(set_aside(test::random_gaussian(20, 5000, seed)).count, 0);
    for (const Index features : {2, 20}) {
      EXPECT_EQ(set_aside(test::coefficients(features, 5000, 0.05, 0, seed)).count, 0) << features;
    }
  }
}

// The moments are those of the samples with their mean in place of the outliers.
TEST(Outliers, AreReplacedByTheMeanOfTheOthers) {
  constexpr Index kCount = 2000;
  Matrix<double> y = test::random_gaussian(5, kCount, 2).array() + 3;
  y.col(7) *= 1000;
  y.col(1300) *= -400;  // masked by the first outlier
  const SetAside found = set_aside(y);
  EXPECT_EQ(found.count, 2);
  // The mean of 2000 samples of unit variance and mean 3, in which 2 are something else, of about their size.
  EXPECT_LE((found.moments.mean.array() - 3).matrix().norm(), 5 * std::sqrt(5.0 / kCount));
  EXPECT_LE((found.moments.second_moment - test::identity(5)).norm(), 5 * std::sqrt(25.0 / kCount));
}

// Few extreme samples that carry all the signal aren't outliers, though they are less than a twentieth.
TEST(Outliers, AreNotTheFewSamplesThatAreNotZero) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    EXPECT_EQ(set_aside(test::coefficients(2, 5000, 0.02, 0, seed)).count, 0) << seed;
    EXPECT_EQ(set_aside(test::coefficients(5, 2000, 0.006, 0, seed)).count, 0) << seed;
  }
}

// Never more than a twentieth.
TEST(Outliers, AreFew) {
  Matrix<double> y = test::random_gaussian(5, 1000, 2);
  y.leftCols(100) *= 1e3;
  EXPECT_LE(set_aside(y).count, 50);
  y.leftCols(60) *= 1e-3;
  y.col(0) *= 1e6;
  EXPECT_GE(set_aside(y).count, 1);
  EXPECT_LE(set_aside(y).count, 50);
}

TEST(Outliers, DoNotKeepSparseSamplesFromBeingExact) {
  for (const double condition : {1.0, 10.0}) {
    SyntheticOptions how{.dimension = 15, .samples = 3000, .condition = condition, .seed = 5};
    const Synthetic synthetic(how);
    Matrix<double> y = synthetic.samples().transpose();
    for (const Index j : {17, 800, 2999}) y.col(j) = 100 * std::sqrt(15.0) * test::random_gaussian(15, 1, j);
    const FitResult result = test::fit_columns(y, {});
    EXPECT_EQ(result.summary.set_aside, 3);
    EXPECT_EQ(result.summary.established, 15);
    EXPECT_LE(1 - compare(result.model, synthetic.dictionary()).worst_cosine, 1e-12) << condition;
    EXPECT_EQ(result.summary.noise, 0);
  }
}

}  // namespace
}  // namespace orthodict::solver
