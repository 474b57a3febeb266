// SPDX-License-Identifier: Apache-2.0
#include "solver/decide.h"

#include "engine/moments.h"
#include "support.h"

namespace orthodict::solver {
namespace {

struct Decision {
  bool centred = false;
  bool spherical = false;
};

Decision decide(const Matrix<double>& y) {
  const auto samples = samples_in_columns(y);
  engine::Workers workers(1);
  const auto moments = engine::measure_moments(*samples, true, workers, {});
  const random::Permutation order(y.cols(), random::Stream(1, random::Purpose::kSubsample));
  return {is_mean_significant(*moments, y.cols()), is_spherical(*moments, *samples, order, workers.collective())};
}

// Decisions must not follow chance: heavy tails, few samples, fewer samples than features.
TEST(Decide, TakesOrthogonalDataForOrthogonalAndCentred) {
  for (const Index n : {2, 5, 50, 120}) {
    for (const Index p : {100, 500, 5000}) {
      for (const double theta : {0.05, 0.3, 1.0}) {
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
          const Decision decision =
              decide(Synthetic({.dimension = n, .samples = p, .theta = theta, .seed = seed}).samples().transpose());
          EXPECT_TRUE(decision.spherical) << n << " " << p << " " << theta << " " << seed;
          EXPECT_FALSE(decision.centred) << n << " " << p << " " << theta << " " << seed;
        }
      }
    }
  }
}

TEST(Decide, SeesAMixtureThatIsNotOrthogonal) {
  for (const double condition : {1.5, 10.0, 1000.0}) {
    EXPECT_FALSE(decide(test::sparse_samples(50, 5000, 2, condition)).spherical) << condition;
  }
  Matrix<double> y = test::sparse_samples(20, 5000, 3);
  y.row(4) *= 1.3;
  EXPECT_FALSE(decide(y).spherical);
}

TEST(Decide, SeesAMeanBeyondSamplingError) {
  Matrix<double> y = test::sparse_samples(20, 5000, 3);
  y.array() += 0.05;  // six standard deviations of a mean
  EXPECT_TRUE(decide(y).centred);
  y.row(0).setConstant(7);  // a feature that never changes has a mean without error
  EXPECT_TRUE(decide(y).centred);
  y.setZero();
  EXPECT_FALSE(decide(y).centred);
}

// Without an n×n matrix: from the samples, and from their Gram matrix.
TEST(Decide, DecidesTheSameFromFewerSamplesThanFeatures) {
  std::vector<Matrix<double>> cases = {test::sparse_samples(60, 25), test::sparse_samples(60, 25, 1, 30)};
  cases.push_back(cases[0].array() + 0.05);
  cases.push_back(cases[0].array() + 1);
  cases.push_back(cases[0]);
  cases.back().row(3).setConstant(0.1);
  cases.back().row(4).setZero();
  for (const Matrix<double>& y : cases) {
    const Decision decision = decide(y);
    EXPECT_EQ(is_mean_significant(y), decision.centred);
    const auto samples = samples_in_columns(y);
    engine::Collective alone;
    const Vector<double> mean = y.rowwise().mean();
    const Matrix<double> centred = y.colwise() - mean;
    const random::Permutation order(y.cols(), random::Stream(1, random::Purpose::kSubsample));
    const engine::Moments moments{mean, centred.transpose() * centred / static_cast<double>(y.cols())};
    EXPECT_EQ(is_spherical(moments, *samples, order, alone), decision.spherical);
  }
  EXPECT_TRUE(decide(cases[0]).spherical);
  EXPECT_FALSE(decide(cases[1]).spherical);
  EXPECT_FALSE(is_mean_significant(cases[0]));
  EXPECT_TRUE(is_mean_significant(cases[3]));
  EXPECT_TRUE(is_mean_significant(cases[4]));
}

// Variances 1 and 1 + gap of independent coefficients of kurtosis 3, or 3/θ, from 10000 samples: the difference has the
// standard deviation √(2(κ − 1)/p), 0.02 or 0.076 for θ = 0.1.
TEST(Decide, TellsVariancesApartBySamplingError) {
  constexpr Index kSamples = 10000;
  const auto is_told = [&](double gap, double theta) {
    Matrix<double> y = test::coefficients(2, kSamples, theta, 0);
    for (Index i = 0; i < 2; ++i) y.row(i) *= std::sqrt(kSamples / y.row(i).squaredNorm());
    y.row(0) *= std::sqrt(1 + gap);
    const auto samples = samples_in_columns(y);
    engine::Collective alone;
    const random::Permutation order(kSamples, random::Stream(1, random::Purpose::kSubsample));
    return is_distinct({Vector<double>::Unit(2, 0), Vector<double>::Unit(2, 1), 1 + gap, 1}, Vector<double>::Zero(2),
                       *samples, order, alone);
  };
  EXPECT_FALSE(is_told(0.05, 1));
  EXPECT_TRUE(is_told(0.08, 1));
  EXPECT_FALSE(is_told(0.15, 0.1));
  EXPECT_TRUE(is_told(0.35, 0.1));
  // Equal samples have no tails, but aren't more certain.
  const Matrix<double> equal = Matrix<double>::Constant(2, 100, 1);
  engine::Collective alone;
  const random::Permutation order(100, random::Stream(1, random::Purpose::kSubsample));
  EXPECT_FALSE(is_distinct({Vector<double>::Unit(2, 0), Vector<double>::Unit(2, 1), 1, 0.9}, Vector<double>::Zero(2),
                           *samples_in_columns(equal), order, alone));
}

}  // namespace
}  // namespace orthodict::solver
