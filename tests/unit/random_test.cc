// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "random/stream.h"
#include "support.h"

namespace orthodict::random {
namespace {

TEST(Stream, NormalsHaveTheMomentsOfANormal) {
  const Stream stream(5, Purpose::kNoise);
  const Index count = 400000;
  double moments[7] = {};
  for (Index i = 0; i < count; ++i) {
    const double z = stream.normal(i / 100, i % 100);
    double power = 1;
    for (double& moment : moments) {
      moment += power;
      power *= z;
    }
  }
  const double expected[] = {1, 0, 1, 0, 3, 0, 15};
  const double variances[] = {0, 1, 2, 15, 96, 945, 10170};  // E z^2m − (E z^m)²
  for (int m = 1; m < 7; ++m) {
    EXPECT_NEAR(moments[m] / count, expected[m], 5 * std::sqrt(variances[m] / count)) << "moment " << m;
  }
}

TEST(Stream, NormalsFollowTheNormalDistribution) {
  const Stream stream(6, Purpose::kCoefficients);
  std::vector<double> z;
  for (Index i = 0; i < 100000; ++i) z.push_back(stream.normal(i, i % 7));
  std::sort(z.begin(), z.end());
  double distance = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double cdf = 0.5 * std::erfc(-z[i] / std::sqrt(2));
    distance = std::max(distance, std::abs(cdf - static_cast<double>(i) / static_cast<double>(z.size())));
  }
  EXPECT_LT(distance * std::sqrt(static_cast<double>(z.size())), 1.95);  // Kolmogorov–Smirnov at 0.1 %
}

TEST(Stream, NumbersDependOnSeedPurposeAndPlaceOnly) {
  std::set<double> seen;
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
    for (const Purpose purpose : {Purpose::kNoise, Purpose::kOutliers}) {
      for (Index row = 0; row < 3; ++row) {
        for (Index column = 0; column < 4; ++column) {
          EXPECT_EQ(Stream(seed, purpose).normal(row, column), Stream(seed, purpose).normal(row, column));
          seen.insert(Stream(seed, purpose).normal(row, column));
          seen.insert(Stream(seed, purpose).uniform(row, column));
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), 3U * 2 * 3 * 4 * 2);
}

TEST(Permutation, HitsEveryIndexOnceAndDependsOnTheSeed) {
  for (const Index size : {1, 2, 3, 16, 17, 1000}) {
    const Permutation order(size, Stream(5, Purpose::kSubsample));
    std::set<Index> seen;
    for (Index i = 0; i < size; ++i) {
      EXPECT_TRUE(order[i] >= 0 && order[i] < size);
      seen.insert(order[i]);
    }
    EXPECT_EQ(static_cast<Index>(seen.size()), size);
  }
  const Permutation one(1000, Stream(1, Purpose::kSubsample)), other(1000, Stream(2, Purpose::kSubsample));
  int same = 0;
  for (Index i = 0; i < 1000; ++i) same += one[i] == other[i] ? 1 : 0;
  EXPECT_LT(same, 10);
}

// A part of the samples must not lean to one end of the file: the first m of p have the mean (p − 1)/2.
TEST(Permutation, DrawsEvenly) {
  const Index p = 100000, m = 1000;
  const Permutation order(p, Stream(3, Purpose::kSubsample));
  double sum = 0;
  for (Index i = 0; i < m; ++i) sum += static_cast<double>(order[i]);
  const double deviation = static_cast<double>(p) / std::sqrt(12.0 * static_cast<double>(m));
  EXPECT_NEAR(sum / static_cast<double>(m), static_cast<double>(p - 1) / 2, 5 * deviation);
}

TEST(Orthogonal, IsOrthogonalToRounding) {
  for (const Index n : {1, 2, 3, 50, 129}) {
    const Matrix<double> q = test::random_orthogonal<double>(n, 9);
    EXPECT_LE((q.transpose() * q - test::identity(n)).norm(), 1e-15 * static_cast<double>(n)) << n;
  }
}

// Under the Haar measure all entries are alike: mean 0, E q² = 1/n, E q⁴ = 3/(n(n + 2)), and the determinant is ±1 with
// equal chances. Without the sign fix the diagonal would be of one sign.
TEST(Orthogonal, IsHaarDistributed) {
  const Index n = 4;
  const int draws = 20000;
  Matrix<double> first = Matrix<double>::Zero(n, n), second = first, fourth = first;
  int positive = 0;
  for (int i = 0; i < draws; ++i) {
    const Matrix<double> q = test::random_orthogonal<double>(n, static_cast<std::uint64_t>(i));
    first += q;
    second += q.cwiseAbs2();
    fourth += q.cwiseAbs2().cwiseAbs2();
    positive += q.determinant() > 0 ? 1 : 0;
  }
  const double nn = n, sd = std::sqrt(1.0 / draws);
  const double m2 = 1 / nn, m4 = 3 / (nn * (nn + 2)), m8 = 105 / (nn * (nn + 2) * (nn + 4) * (nn + 6));
  EXPECT_LT((first / draws).cwiseAbs().maxCoeff(), 5 * sd * std::sqrt(m2));
  EXPECT_LT(((second / draws).array() - m2).abs().maxCoeff(), 5 * sd * std::sqrt(m4 - m2 * m2));
  EXPECT_LT(((fourth / draws).array() - m4).abs().maxCoeff(), 5 * sd * std::sqrt(m8 - m4 * m4));
  EXPECT_NEAR(positive / static_cast<double>(draws), 0.5, 5 * sd / 2);
}

}  // namespace
}  // namespace orthodict::random
