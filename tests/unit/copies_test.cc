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

std::optional<Distinct> distinct_of(const Matrix<double>& columns, double share, Index probed) {
  const std::unique_ptr<Samples> samples = samples_in_columns(columns);
  const Options options;
  Run run(*samples, options, "auto");
  return distinct_samples(run, share, probed);
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
  const auto found = distinct_of(repeated(), 0.5, 610);
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
  const auto found = distinct_of(y, 0.5, 300);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->samples.size(), 100U);
  EXPECT_DOUBLE_EQ(found->effective, 20);  // ten are there 21 times: 300²/(10·21² + 90)
}

// A blank sample that makes up a third of all tells nothing, and costs the others nothing.
TEST(Distinct, KeepFrequentSamples) {
  Matrix<double> y = test::random_gaussian(4, 900, 1);
  for (Index j = 0; j < 600; ++j) y.col(j) = y.col(j % 300);
  for (Index j = 600; j < 900; ++j) y.col(j).setConstant(255);
  const auto found = distinct_of(y, 0.5, 900);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->samples.size(), 600U);
  EXPECT_DOUBLE_EQ(found->effective, 301);
}

TEST(TakeFrequent, TakesOnlyWhatComesFarMoreOftenThanOthers) {
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t hash = 0; hash < 10; ++hash) hashes.insert(hashes.end(), hash < 2 ? 31 : 10, hash);
  EXPECT_EQ(take_frequent(&hashes).size(), 2U);
  EXPECT_EQ(hashes.size(), 80U);
  // Many that are as frequent, or few samples at all, are copies.
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
  EXPECT_FALSE(distinct_of(repeated(), 0.05, 610));  // of all
  EXPECT_FALSE(distinct_of(repeated(), 0.5, 10));    // two pairs
  EXPECT_TRUE(distinct_of(repeated(), 0.05, 200));   // three times as many in all as in the probe
}

}  // namespace
}  // namespace orthodict::solver
