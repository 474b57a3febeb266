// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>

#include "engine/lanes.h"
#include "engine/moments.h"
#include "engine/pass.h"
#include "support.h"

namespace orthodict::engine {
namespace {

TEST(Workers, RunOncePerThreadAndPassOnExceptions) {
  for (const int threads : {1, 2, 5}) {
    Workers workers(threads);
    for (int round = 0; round < 100; ++round) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(threads));
      workers.run([&](int id) { ++calls[static_cast<std::size_t>(id)]; });
      for (const auto& count : calls) EXPECT_EQ(count, 1);
    }
    EXPECT_THROW(workers.run([](int) { throw Error(Fault::kData, "x"); }), Error);
    workers.run([](int) {});  // still usable
  }
}

// A sum that tells in which order it was made.
struct Bracketed {
  std::string text;
  void add(const Bracketed& other) { text = "(" + text + other.text + ")"; }
};

TEST(Lanes, AreSummedByTheSameTreeForAnyNumberOfThreads) {
  for (const Index lanes : {1, 2, 3, 7, 8, 13}) {
    std::string expected;
    for (const int threads : {1, 2, 3, 8}) {
      Workers workers(threads);
      for (int repeat = 0; repeat < 50; ++repeat) {
        const auto sum = sum_lanes<Bracketed>(
            lanes, workers, {}, [] { return Bracketed{}; },
            [](Index lane, Bracketed& partial) {
              partial.text = static_cast<char>('a' + lane);
              return true;
            });
        ASSERT_TRUE(sum);
        if (expected.empty()) expected = sum->text;
        EXPECT_EQ(sum->text, expected);
      }
    }
    if (lanes == 7) {
      EXPECT_EQ(expected, "(((ab)(cd))((ef)g))");
    }
  }
}

TEST(Lanes, CoverEverySampleOnce) {
  for (const Index samples : {1, 255, 256, 257, 16383, 16384, 16385, 1000003}) {
    const LanePlan plan(samples, 256);
    EXPECT_EQ(plan.begin(0), 0);
    EXPECT_EQ(plan.begin(plan.lanes), samples);
    for (Index lane = 0; lane < plan.lanes; ++lane) EXPECT_LT(plan.begin(lane), plan.begin(lane + 1));
  }
}

template <typename Scalar>
class PassTest : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(PassTest, Scalars);

TYPED_TEST(PassTest, AgreesWithTheFormulas) {
  using Scalar = TypeParam;
  const Index n = 7, k = 5, p = 1000;
  const Matrix<Scalar> y = test::random_gaussian(n, p, 1).cast<Scalar>();
  const Matrix<Scalar> b = test::random_gaussian(k, n, 2).cast<Scalar>();
  const Vector<Scalar> offset = test::random_gaussian(k, 1, 3).cast<Scalar>();
  Workers workers(2);
  const auto samples = samples_in_columns(y);
  const auto stretch = make_stretch("l4");
  const Pass<Scalar> pass(*samples, *stretch, workers, {});
  const auto result = pass.run(b, offset, Want::kCorrelation);
  ASSERT_TRUE(result);

  const Matrix<double> yd = y.template cast<double>();
  const Matrix<double> z = (b.template cast<double>() * yd).colwise() - offset.template cast<double>();
  const Matrix<double> cubed = 4 * Matrix<double>(z.array().cube());
  // Relative to sums of absolute values; a cube and sums of p terms lose a few digits more than one operation.
  const double tolerance = 200 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
  const Matrix<double> scale = cubed.cwiseAbs() * yd.cwiseAbs().transpose();
  EXPECT_LT(
      ((result->correlation.template cast<double>() - cubed * yd.transpose()).array() / scale.array()).abs().maxCoeff(),
      tolerance);
  EXPECT_LT((result->derivative_sums - cubed.rowwise().sum()).cwiseAbs().maxCoeff(),
            tolerance * cubed.cwiseAbs().rowwise().sum().maxCoeff());
  EXPECT_LT((result->curvature_sums - 12 * z.cwiseAbs2().rowwise().sum()).cwiseAbs().maxCoeff(),
            tolerance * 12 * z.cwiseAbs2().rowwise().sum().maxCoeff());
  EXPECT_NEAR(result->objective, test::l4_norm4(z), tolerance * test::l4_norm4(z));

  const auto objective_only = pass.run(b, offset, Want::kObjective);
  EXPECT_EQ(objective_only->objective, result->objective);
  EXPECT_EQ(objective_only->correlation.size(), 0);
}

TYPED_TEST(PassTest, HasTheSameBitsForAnyNumberOfThreads) {
  using Scalar = TypeParam;
  const Matrix<Scalar> y = test::random_gaussian(9, 30000, 4).cast<Scalar>();
  const Matrix<Scalar> b = test::random_gaussian(9, 9, 5).cast<Scalar>();
  const auto samples = samples_in_columns(y);
  const auto stretch = make_stretch("soft");
  std::optional<PassResult<Scalar>> first;
  for (const int threads : {1, 2, 3, 5, 8}) {
    Workers workers(threads);
    const auto result =
        Pass<Scalar>(*samples, *stretch, workers, {}).run(b, Vector<Scalar>::Zero(9), Want::kCorrelation);
    if (!first) first = result;
    EXPECT_EQ(result->correlation, first->correlation) << threads;
    EXPECT_EQ(result->objective, first->objective) << threads;
    EXPECT_EQ(result->curvature_sums, first->curvature_sums) << threads;
  }
}

TEST(Moments, KeepTheirDigitsWhenTheMeanIsLarge) {
  const Matrix<double> spread = test::random_gaussian(4, 5000, 6);
  const Matrix<double> y = spread.array() + 1e9;
  Workers workers(2);
  const auto moments = measure_moments(*samples_in_columns(y), true, workers, {});
  // What the samples still hold: 1e9 leaves them with 1e-7 absolute.
  const Matrix<double> held = y.array() - 1e9;
  const Vector<double> mean = held.rowwise().mean();
  const Matrix<double> covariance = held * held.transpose() / 5000 - mean * mean.transpose();
  EXPECT_LT((moments->second_moment - covariance).norm(), 1e-12);
}

TEST(Moments, NameTheFirstSampleThatIsNotFinite) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Matrix<double> y = test::random_gaussian(4, 5000, 7);
    y(2, 3210) = bad;
    y(0, 4000) = bad;
    Workers workers(2);
    const auto [fault, message] =
        test::error_of([&] { (void)measure_moments(*samples_in_columns(y), false, workers, {}); });
    EXPECT_EQ(fault, Fault::kData);
    EXPECT_NE(message.find("sample 3210, feature 2"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace orthodict::engine
