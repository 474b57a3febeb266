// SPDX-License-Identifier: Apache-2.0
#include "solver/confidence.h"

#include "solver/mixture.h"
#include "support.h"

namespace orthodict::solver {
namespace {

// However heavy its tails, a round distribution prefers no direction.
TEST(Confidence, RoundDistributionsHaveNone) {
  Matrix<double> z = test::random_gaussian(20, 4000, 5);
  const random::Stream stream(1, random::Purpose::kNoise);
  for (Index j = 0; j < z.cols(); ++j) z.col(j) *= std::exp(stream.normal(99, j)) / 2;
  EXPECT_LT(Determination(z, *make_stretch("mixture:0.3,0.4,2")).confidence(1000000).maxCoeff(), 0.5);
}

// The share of seeds in which chance passes for structure is what an honest answer hangs on.
TEST(Confidence, GaussianDirectionsHaveNone) {
  const auto stretch = make_stretch("mixture:0.5,0.6,1.3");
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Vector<double> confidence =
        Determination(test::random_gaussian(30, 4000, seed), *stretch).confidence(1000000);
    EXPECT_LT(confidence.maxCoeff(), 0.5) << seed;
  }
}

TEST(Confidence, DirectionsLessSparseThanGaussianHaveNone) {
  const Matrix<double> z = test::random_gaussian(10, 4000, 1).unaryExpr([](double x) { return x < 0 ? -1.0 : 1.0; });
  EXPECT_EQ(Determination(z, *make_stretch("mixture:0.5,0.6,1.3")).confidence(4000).maxCoeff(), 0);
}

// Two Gaussian directions can't be told apart, but each can from a sparse one.
TEST(Confidence, SparseAmongGaussianOnesIsEstablished) {
  Matrix<double> z = test::coefficients(10, 4000, 0.3, 0.1);
  z.bottomRows(4) = test::random_gaussian(4, 4000, 2);
  const Vector<double> confidence = Determination(z, *make_stretch("mixture:0.3,0.2,1.7")).confidence(20000);
  EXPECT_GT(confidence.head(6).minCoeff(), 0.95);
  EXPECT_LT(confidence.tail(4).maxCoeff(), 0.5);
}

// For equal coefficients and the posterior mean of their own mixture the angles meet the Cramér–Rao bound
// 1/(2p(I − 1)), I the Fisher information; here by quadrature.
TEST(Confidence, MeetsTheCramerRaoBound) {
  const double theta = 0.3, noise = 0.3, unit = std::sqrt(theta + noise * noise);
  const double s0 = noise / unit, s1 = std::sqrt(1 + noise * noise) / unit;
  double information = 0;
  const double step = 1e-3;
  for (double z = -15; z < 15; z += step) {
    const double quiet = (1 - theta) / s0 * std::exp(-z * z / (2 * s0 * s0));
    const double loud = theta / s1 * std::exp(-z * z / (2 * s1 * s1));
    const double slope = -z * (quiet / (s0 * s0) + loud / (s1 * s1));
    if (quiet + loud > 0) information += slope * slope / (quiet + loud) * step / std::sqrt(2 * std::acos(-1.0));
  }
  const Index d = 20, p = 2000;
  const double bound = static_cast<double>(d - 1) / (2 * static_cast<double>(p) * (information - 1));
  const Determination found(test::coefficients(d, 200000, theta, noise), *Mixture{theta, s0, s1}.stretch());
  // β is taken three standard deviations low.
  EXPECT_NEAR(1 - found.confidence(p).mean(), bound, 0.1 * bound);
}

}  // namespace
}  // namespace orthodict::solver
