// SPDX-License-Identifier: Apache-2.0
#include "solver/mixture.h"

#include "support.h"

namespace orthodict::solver {
namespace {

TEST(Mixture, FindsShareAndScales) {
  for (const double theta : {0.1, 0.3, 0.6}) {
    for (const double noise : {0.05, 0.2, 0.4}) {
      const double unit = std::sqrt(theta + noise * noise);
      const Mixture m = fit_mixture(test::coefficients(50, 10000, theta, noise), Mixture());
      // Some twenty standard errors of 500000 coefficients, and the width of a bin.
      EXPECT_NEAR(m.theta, theta, 0.03) << theta << " " << noise;
      EXPECT_NEAR(m.noise * unit, noise, 0.03 * noise + 0.003) << theta << " " << noise;
      EXPECT_NEAR(m.signal * unit, std::sqrt(1 + noise * noise), 0.03) << theta << " " << noise;
    }
  }
}

TEST(Mixture, ExactZerosLeaveNoNoise) {
  const Mixture m = fit_mixture(test::coefficients(50, 1000, 0.3, 0), Mixture());
  EXPECT_LE(m.noise, 1e-5);
  EXPECT_NEAR(m.theta, 0.3, 0.02);
}

TEST(Mixture, StaysAMixtureOnAnyCoefficients) {
  for (const Matrix<double>& z :
       {Matrix<double>(Matrix<double>::Zero(3, 5)), Matrix<double>(Matrix<double>::Ones(3, 5)),
        test::random_gaussian(20, 2000, 3), Matrix<double>(Matrix<double>::Constant(1, 1, 1e30))}) {
    const Mixture m = fit_mixture(z, Mixture());
    EXPECT_TRUE(m.theta > 0 && m.theta < 1 && m.noise > 0 && m.noise < m.signal) << m.theta << " " << m.noise;
    EXPECT_NO_THROW((void)m.stretch());
  }
}

}  // namespace
}  // namespace orthodict::solver
