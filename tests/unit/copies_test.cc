// SPDX-License-Identifier: Apache-2.0
#include "solver/copies.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

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

TEST(Distinct, AreNotLookedForWhereFewAreCopies) {
  EXPECT_FALSE(distinct_of(repeated(), 0.05, 610));  // of all
  EXPECT_FALSE(distinct_of(repeated(), 0.5, 10));    // two pairs
  EXPECT_TRUE(distinct_of(repeated(), 0.05, 200));   // three times as many in all as in the probe
}

}  // namespace
}  // namespace orthodict::solver
