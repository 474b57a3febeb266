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

// A coefficient carries signal with probability r, and then a share 1 − (noise/signal)² of its variance is signal.
TEST(Mixture, ItsStretchIsThePosteriorMean) {
  const Mixture m{.theta = 0.25, .noise = 0.5, .signal = 2};
  EXPECT_DOUBLE_EQ(m.noise_to_signal(), 0.25);
  const auto stretch = m.stretch();
  for (const double z : {0.1, 1.0, 3.0}) {
    const auto density = [&](double s) { return std::exp(-z * z / (2 * s * s)) / s; };
    const double r = 0.25 * density(2) / (0.25 * density(2) + 0.75 * density(0.5));
    const double signal_share = 1 - 0.25 * 0.25;
    EXPECT_NEAR(stretch->derivative(z), r * signal_share * z, 1e-12) << z;
  }
}

TEST(Mixture, IsLegalWhereItHasADensity) {
  EXPECT_TRUE(Mixture().is_legal());
  const double nan = std::nan("");
  for (const Mixture& m :
       {Mixture{.theta = 0, .noise = 0.1, .signal = 1}, Mixture{.theta = 1, .noise = 0.1, .signal = 1},
        Mixture{.theta = 0.5, .noise = 0, .signal = 1}, Mixture{.theta = 0.5, .noise = 1, .signal = 1},
        Mixture{.theta = 0.5, .noise = 2, .signal = 1}, Mixture{.theta = nan, .noise = 0.1, .signal = 1},
        Mixture{.theta = 0.5, .noise = 0.1, .signal = HUGE_VAL}}) {
    EXPECT_FALSE(m.is_legal()) << m.theta << " " << m.noise << " " << m.signal;
  }
}

}  // namespace
}  // namespace orthodict::solver
