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
  return {mean_matters(*moments, y.cols()), is_spherical(*moments, *samples, order, workers.collective())};
}

// Chance alone must not decide: heavy tails, few samples, fewer samples than features.
TEST(Decide, TakesOrthogonalDataForOrthogonalAndCentred) {
  for (const Index n : {2, 5, 50, 120}) {
    for (const Index p : {100, 500, 5000}) {
      for (const double theta : {0.05, 0.3, 1.0}) {
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
          const Decision decision =
              decide(Synthetic({.dimension = n, .samples = p, .theta = theta, .seed = seed}).samples());
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

}  // namespace
}  // namespace orthodict::solver
