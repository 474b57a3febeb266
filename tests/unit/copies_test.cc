// SPDX-License-Identifier: Apache-2.0
#include "solver/copies.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "solver/run.h"
#include "support.h"

namespace orthodict::solver {
namespace {

std::optional<Distinct> distinct_of(const Matrix<double>& columns) {
  const std::unique_ptr<Samples> samples = samples_in_columns(columns);
  const Options options;
  Run run(*samples, options, "auto");
  const Coordinates coordinates(run.measure(true), "y", Preprocessing{.center = true});
  return find_distinct(run, coordinates);
}

// 200 samples three times, in another order each time, and zeros.
Matrix<double> repeated() {
  const Matrix<double> once = test::random_gaussian(3, 200, 1);
  Matrix<double> y = Matrix<double>::Zero(3, 610);
  for (Index j = 0; j < 600; ++j) y.col(j) = once.col(j * (j < 200 ? 1 : 7) % 200);
  y(1, 605) = -0.0;
  return y;
}

TEST(Distinct, AreTheFirstOfEachAndAllZeros) {
  const auto found = distinct_of(repeated());
  ASSERT_TRUE(found);
  ASSERT_EQ(found->samples.size(), 210U);
  for (Index i = 0; i < 210; ++i) EXPECT_EQ(found->samples[static_cast<std::size_t>(i)], i < 200 ? i : i + 400);
  EXPECT_DOUBLE_EQ(found->effective, 210);
}

TEST(Distinct, TellLessWhereSomeComeMoreOftenThanOthers) {
  const Matrix<double> once = test::random_gaussian(5, 100, 1);
  Matrix<double> y(5, 300);
  y.leftCols(100) = once;
  for (Index j = 100; j < 300; ++j) y.col(j) = once.col(j % 10);
  const auto found = distinct_of(y);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->samples.size(), 100U);
  EXPECT_DOUBLE_EQ(found->effective, 20);  // ten samples occur 21 times: 300²/(10·21² + 90)
}

// A blank sample that makes up a third of all doesn't count, and doesn't affect the others.
TEST(Distinct, KeepFrequentSamples) {
  Matrix<double> y = test::random_gaussian(4, 900, 1);
  for (Index j = 0; j < 600; ++j) y.col(j) = y.col(j % 300);
  for (Index j = 600; j < 900; ++j) y.col(j).setConstant(255);
  const auto found = distinct_of(y);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->samples.size(), 600U);
  EXPECT_DOUBLE_EQ(found->effective, 301);
}

TEST(TakeFrequent, TakesOnlyWhatComesFarMoreOftenThanOthers) {
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t hash = 0; hash < 10; ++hash) hashes.insert(hashes.end(), hash < 2 ? 31 : 10, hash);
  EXPECT_EQ(take_frequent(&hashes).size(), 2U);
  EXPECT_EQ(hashes.size(), 80U);
  // Frequent repetition of many samples, or few distinct samples, are copies.
  EXPECT_TRUE(take_frequent(&hashes).empty());
  std::vector<std::uint64_t> few = {1, 1, 1, 1, 2, 3};
  EXPECT_TRUE(take_frequent(&few).empty());
}

TEST(FirstEqual, NamesTheFirstColumnThatIsTheSame) {
  Matrix<double> y = test::random_gaussian(3, 5, 1);
  y.col(3) = y.col(1);
  y.col(4) = y.col(1);
  EXPECT_EQ(first_equal(y), (std::vector<Index>{0, 1, 2, 1, 1}));
}

TEST(Distinct, AreNotLookedForWhereFewAreCopies) {
  Matrix<double> y = test::random_gaussian(3, 1000, 1);
  y.rightCols(40) = y.leftCols(40);
  EXPECT_FALSE(distinct_of(y));
  y.rightCols(80) = y.leftCols(80);
  EXPECT_TRUE(distinct_of(y));
}

// Of 160000 samples, three copies each, the probe has 3200: 32 pairs.
TEST(Distinct, AreFoundWhereTheProbeHasFewPairs) {
  Matrix<double> y(2, 160000);
  const Matrix<double> once = test::random_gaussian(2, 40000, 1);
  y << once, once, once, once;
  const auto found = distinct_of(y);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->samples.size(), 40000U);
}

// Discrete samples coincide as often as chance predicts, mixed or not.
TEST(Distinct, AreNotLookedForAmongDiscreteValues) {
  EXPECT_FALSE(distinct_of((2 * test::random_gaussian(2, 3000, 1)).array().round()));
  const Matrix<double> binary = (test::random_gaussian(8, 2000, 1).array() > 0.5).cast<double>();
  EXPECT_FALSE(distinct_of(binary));
  EXPECT_FALSE(distinct_of(test::random_gaussian(8, 8, 2) * binary));
  const Matrix<float> single = (test::random_gaussian(8, 8, 2) * binary).cast<float>();
  EXPECT_FALSE(distinct_of(single.cast<double>()));
}

TEST(AreDiscrete, WhereOneDifferenceOfAHundredRecurs) {
  // Of k pairs with the same difference, k(k − 1)/2 + k − 1 differences are repetitions.
  const auto with_pairs = [](Index k) {
    Matrix<double> columns = test::random_gaussian(3, 60, 1);  // 1770 differences
    for (Index j = 0; j < k; ++j) columns.col(2 * j) = columns.col(2 * j + 1) + Vector<double>::Ones(3);
    return columns;
  };
  EXPECT_FALSE(are_discrete(with_pairs(0)));
  EXPECT_FALSE(are_discrete(with_pairs(5)));
  EXPECT_TRUE(are_discrete(with_pairs(6)));
}

}  // namespace
}  // namespace orthodict::solver
