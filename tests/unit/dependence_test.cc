// SPDX-License-Identifier: Apache-2.0
// The number of neighbouring samples that count as one, for data for which it is known.
#include "solver/auto/dependence.h"

#include "support.h"

namespace orthodict::solver {
namespace {

constexpr Index kRows = 6, kWindow = 4096, kSamples = 4 * kWindow;

// z_t = ρz_{t−1} + √(1 − ρ²)·white.
Matrix<double> autoregression(double rho, std::uint64_t seed) {
  Matrix<double> z = test::random_gaussian(kRows, kSamples, seed);
  for (Index j = 1; j < kSamples; ++j) z.col(j) = rho * z.col(j - 1) + std::sqrt(1 - rho * rho) * z.col(j);
  return z;
}

// Correlations are known to 1/√(pairs · samples) = 0.0014, far below the 0.03 that count.
TEST(Dependence, OfWhiteNoiseIsNone) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    EXPECT_EQ(dependence_of(test::random_gaussian(kRows, kSamples, seed), kWindow), 1);
    EXPECT_EQ(dependence_of(test::coefficients(kRows, kSamples, 0.1, 0, seed), kWindow), 1);
  }
}

// Products of two independent autoregressions have the correlations ρ^(2·lag), and 1 + 2Σρ^(2·lag) is
// (1 + ρ²)/(1 − ρ²). Less of that is seen: lags that grow by half, each standing for those since the one before, take
// about a fifth of an exponential; clipping one of the two to its spread, correlations below 0.03 and the means of
// windows take another one.
TEST(Dependence, OfAnAutoregressionIsItsAutocorrelationTime) {
  for (const double rho : {0.8, 0.95, 0.99}) {
    const double time = (1 + rho * rho) / (1 - rho * rho);
    const double seen = dependence_of(autoregression(rho, 2), kWindow);
    EXPECT_GT(seen, 0.8 * 0.8 * time) << rho;
    EXPECT_LT(seen, 1.1 * time) << rho;
  }
}

// Each sample k times over: 1 + 2Σ(1 − lag/k) = k. The lags 1, 2, 3 and 4 are all looked at.
TEST(Dependence, OfRepeatedSamplesIsHowOftenTheyCome) {
  const Matrix<double> once = test::random_gaussian(kRows, kSamples, 3);
  const auto repeated = [&](Index times) -> Matrix<double> {
    return Matrix<double>::NullaryExpr(kRows, kSamples, [&](Index i, Index j) { return once(i, j / times); });
  };
  EXPECT_NEAR(dependence_of(repeated(5), kWindow), 5, 0.2);
  EXPECT_NEAR(dependence_of(repeated(2), kWindow), 2, 0.1);
}

TEST(Dependence, IsNoneWhereThereIsNothingToTellItBy) {
  EXPECT_EQ(dependence_of(autoregression(0.9, 1).topRows(1), kWindow), 1);
  EXPECT_EQ(dependence_of(Matrix<double>::Zero(3, 100), 100), 1);
  EXPECT_EQ(dependence_of(Matrix<double>::Ones(3, 100), 100), 1);
  EXPECT_EQ(dependence_of(test::random_gaussian(3, 7, 1), 7), 1);
}

// The product of a slow row and a quick one is quick.
TEST(Dependence, OfRowsIsOfEachByItself) {
  constexpr double kRho = 0.99;
  Matrix<double> z = test::random_gaussian(kRows, kSamples, 7);
  z.row(2) = autoregression(kRho, 8).row(2);
  EXPECT_EQ(dependence_of(z, kWindow), 1);
  const Vector<double> rows = dependence_of_rows(z, kWindow);
  const double time = (1 + kRho * kRho) / (1 - kRho * kRho);
  EXPECT_GT(rows[2], 0.6 * time);
  EXPECT_LT(rows[2], 1.2 * time);
  for (const Index i : {0, 1, 3, 4, 5}) EXPECT_LT(rows[i], 1.2) << i;
}

}  // namespace
}  // namespace orthodict::solver
