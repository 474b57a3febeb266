// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "engine/kernel.h"
#include "engine/lanes.h"
#include "engine/moments.h"
#include "engine/pass.h"
#include "simd_targets.h"
#include "support.h"

namespace orthodict::engine {
namespace {

TEST(Workers, RunOncePerThreadAndPassOnExceptions) {
  for (const int threads : {1, 2, 5}) {
    Workers workers(threads);
    for (int round = 0; round < 100; ++round) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(threads));
      const int team = 1 + round % threads;
      workers.run(team, [&](int id) { ++calls[static_cast<std::size_t>(id)]; });
      for (int id = 0; id < threads; ++id) EXPECT_EQ(calls[static_cast<std::size_t>(id)], id < team ? 1 : 0);
    }
    EXPECT_THROW(workers.run(threads, [](int) { throw Error(Fault::kData, "x"); }), Error);
    workers.run(threads, [](int) {});  // still usable
  }
}

TEST(Workers, PassOnTheExceptionOfOneTask) {
  Workers workers(3);
  for (int repeat = 0; repeat < 20; ++repeat) {
    EXPECT_THROW(workers.for_each(3, 10,
                                  [](Index i) {
                                    if (i == 3) throw Error(Fault::kData, "x");
                                  }),
                 Error);
    std::atomic<int> calls = 0;
    workers.for_each(3, 10, [&](Index) { ++calls; });
    EXPECT_EQ(calls, 10);
  }
}

TEST(Workers, RunEachTaskOnce) {
  for (const int threads : {1, 2, 5}) {
    Workers workers(threads);
    for (const Index count : {0, 1, 3, 100}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
      workers.for_each(threads, count, [&](Index i) { ++calls[static_cast<std::size_t>(i)]; });
      for (const auto& times : calls) EXPECT_EQ(times, 1);
    }
  }
}

// A sum that depends on the order of its terms.
struct Bracketed {
  std::string text;
  void clear() { text.clear(); }
  void add(const Bracketed& other) { text = "(" + text + other.text + ")"; }
  template <typename Visit>
  void for_each_part(const Visit&) {}
};

LanePlan plan_of(Index lanes) {
  LanePlan plan(1 << 14, 1);
  plan.lanes = lanes;
  return plan;
}

TEST(Lanes, AreSummedByTheSameTreeForAnyNumberOfThreads) {
  for (const Index lanes : {1, 2, 8, 16}) {
    std::string expected;
    for (const int threads : {1, 2, 3, 8}) {
      Workers workers(threads);
      for (int repeat = 0; repeat < 50; ++repeat) {
        const auto sum = sum_lanes<Bracketed>(
            plan_of(lanes), workers, 1e9, {}, [] { return Bracketed{}; },
            [](int, Index lane, Bracketed& partial) {
              partial.text = static_cast<char>('a' + lane);
              return true;
            });
        ASSERT_TRUE(sum);
        if (expected.empty()) expected = sum->text;
        EXPECT_EQ(sum->text, expected);
      }
    }
    if (lanes == 8) {
      EXPECT_EQ(expected, "(((ab)(cd))((ef)(gh)))");
    }
  }
}

TEST(Lanes, PassOnTheExceptionOfOneLane) {
  Workers workers(3);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto sum = [&](Index bad_lane) {
      return sum_lanes<Bracketed>(
          plan_of(8), workers, 1e9, {}, [] { return Bracketed{}; },
          [&](int, Index lane, Bracketed& partial) {
            if (lane == bad_lane) throw Error(Fault::kData, "x");
            partial.text = "l";
            return true;
          });
    };
    EXPECT_THROW((void)sum(3), Error);
    EXPECT_TRUE(sum(-1));
  }
}

TEST(Lanes, AreLeftOnceOneFailed) {
  Workers workers(2);
  std::atomic<int> taken = 0;
  const auto fail = [&] {
    (void)sum_lanes<Bracketed>(
        plan_of(16), workers, 1e9, {}, [] { return Bracketed{}; },
        [&](int, Index lane, Bracketed&) {
          ++taken;
          if (lane == 0) throw Error(Fault::kData, "x");
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          return true;
        });
  };
  EXPECT_THROW(fail(), Error);
  EXPECT_LT(taken, 8);
}

TEST(Lanes, CoverEverySampleOnce) {
  for (const Index samples : {1, 127, 128, 129, 16383, 16384, 16385, 1000003}) {
    const LanePlan plan(samples, samples % 2 == 0 ? 1 : 5000);
    EXPECT_EQ(plan.begin(0), 0);
    EXPECT_EQ(plan.begin(plan.lanes), samples);
    for (Index lane = 0; lane < plan.lanes; ++lane) EXPECT_LT(plan.begin(lane), plan.begin(lane + 1));
    for (Index sample = 0; sample < samples; sample += 61) {
      const Index lane = plan.lane_of(sample);
      EXPECT_TRUE(plan.begin(lane) <= sample && sample < plan.begin(lane + 1)) << sample;
    }
  }
}

TEST(Lanes, AreSharedOutAmongRanks) {
  for (const Index samples : {1, 1000, 100000, 3000000}) {
    for (const int ranks : {1, 2, 3, 8, 13, 100}) {
      const LaneShares shares(LanePlan(samples, 10), ranks);
      EXPECT_EQ(shares.begin(0), 0);
      EXPECT_EQ(shares.begin(ranks), shares.plan.lanes);
      EXPECT_EQ(shares.first_sample(ranks), samples);
      for (int rank = 0; rank < ranks; ++rank) {
        for (Index lane = shares.begin(rank); lane < shares.begin(rank + 1); ++lane) {
          EXPECT_EQ(shares.owner_of_lane(lane), rank);
          EXPECT_EQ(shares.owner_of_sample(shares.plan.begin(lane)), rank);
          EXPECT_EQ(shares.owner_of_sample(shares.plan.begin(lane + 1) - 1), rank);
        }
      }
    }
  }
}

TEST(Lanes, AreEnoughForManyRanksWhereSamplesAreMany) {
  EXPECT_EQ(LanePlan(1'000'000'000, 1000).lanes, 4096);
  EXPECT_EQ(LanePlan(100'000, 100).lanes, 64);
  EXPECT_EQ(LanePlan(1000, 1000).lanes, 8);
  EXPECT_EQ(LanePlan(1, 1).lanes, 1);
  // The number of ranks is a power of two, limited by the work (20 here) and by the number of grains of 128 samples
  // (3).
  EXPECT_EQ(LanePlan(40960, 341).lanes, 16);
  EXPECT_EQ(LanePlan(384, 1).lanes, 2);
  EXPECT_EQ(LaneShares(LanePlan(384, 1), 5).ranks, 2);  // the other ranks have no lanes
  EXPECT_EQ(LaneShares(LanePlan(384, 1), 5).begin(2), 2);
}

template <typename Scalar>
class PassTest : public testing::Test {
 protected:
  static constexpr Arithmetic kArithmetic = std::is_same_v<Scalar, float> ? Arithmetic::kF32 : Arithmetic::kF64;

  // Sums of n + 1 terms in z, a cube, sums over a block: each rounds relative to the sum of the terms' sizes.
  static void expect_formulas(const PassResult& got, const Matrix<double>& b, const Vector<double>& offset,
                              const Matrix<double>& y) {
    const double tolerance =
        static_cast<double>(4 * (b.cols() + 1) + 8 + 512) * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
    const Matrix<double> z = (b * y).colwise() - offset;
    const Matrix<double> size = (b.cwiseAbs() * y.cwiseAbs()).colwise() + offset.cwiseAbs();
    const Matrix<double> cubed = 4 * Matrix<double>(z.array().cube());
    const Matrix<double> cubed_size = 4 * Matrix<double>(size.array().cube());
    const Matrix<double> scale = cubed_size * y.cwiseAbs().transpose();
    ASSERT_EQ(got.correlation.rows(), b.rows());
    EXPECT_LT(((got.correlation - cubed * y.transpose()).array() / scale.array()).abs().maxCoeff(), tolerance);
    EXPECT_LT((got.derivative_sums - cubed.rowwise().sum()).cwiseAbs().maxCoeff(),
              tolerance * cubed_size.rowwise().sum().maxCoeff());
    EXPECT_LT((got.curvature_sums - 12 * z.cwiseAbs2().rowwise().sum()).cwiseAbs().maxCoeff(),
              tolerance * 12 * size.cwiseAbs2().rowwise().sum().maxCoeff());
    EXPECT_NEAR(got.objective(), test::l4_norm4(z), tolerance * test::l4_norm4(size));
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(PassTest, Scalars);

// Rounded to Scalar, so that the pass and the formulas have the same input.
template <typename Scalar>
Matrix<double> random_in(Index rows, Index columns, std::uint64_t seed) {
  return test::random_gaussian(rows, columns, seed).cast<Scalar>().template cast<double>();
}

PassResult without_padding(PassResult result) {
  result.drop_padding();
  return result;
}

TYPED_TEST(PassTest, AgreesWithTheFormulas) {
  const Index n = 7, k = 5, p = 1000;
  const Matrix<double> y = random_in<TypeParam>(n, p, 1), b = random_in<TypeParam>(k, n, 2);
  const Vector<double> offset = random_in<TypeParam>(k, 1, 3);
  Workers workers(2);
  const auto samples = samples_in_columns(y);
  const auto stretch = make_stretch("l4");
  const Pass pass(*samples, *stretch, this->kArithmetic, workers, {});
  const auto result = pass.run(b, offset, PassOutput::kCorrelation);
  ASSERT_TRUE(result);
  this->expect_formulas(*result, b, offset, y);

  const auto objective_only = pass.run(b, offset, PassOutput::kObjective);
  EXPECT_EQ(objective_only->objective(), result->objective());
  EXPECT_EQ(objective_only->correlation.size(), 0);
  EXPECT_EQ(objective_only->derivative_sums, result->derivative_sums);
}

// Every number of vectors in a panel and columns in a tile, whole and padded, contiguous samples and strided ones.
// On every kind of vector that this processor has.
TYPED_TEST(PassTest, BothKernelsAgreeWithTheFormulasForAllShapes) {
  using Scalar = TypeParam;
  test::for_each_simd_target([&](const std::string& target) {
    const auto stretch = make_stretch("l4");
    for (const Index k : {1, 4, 8, 9, 16, 17, 31, 40, 50, 70, 100}) {
      for (const Index n : {1, 2, 3, 5, 8, 13, 25, 64}) {
        for (const Index count : {1, 3, 8, 77, 128}) {
          const Index stride = n + (k % 2) * 3;
          const Matrix<double> storage = random_in<Scalar>(stride, count, static_cast<std::uint64_t>(k * n + count));
          const Matrix<double> y = storage.topRows(n), b = random_in<Scalar>(k, n, 2);
          const Vector<double> offset = random_in<Scalar>(k, 1, 3);
          const Matrix<Scalar> in_type = storage.cast<Scalar>();
          for (const auto& kernel : {make_fused_kernel<Scalar>(*stretch, b, offset, PassOutput::kCorrelation),
                                     make_gemm_kernel<Scalar>(*stretch, b, offset, PassOutput::kCorrelation)}) {
            PassResult result(k, kernel->rows(), n, PassOutput::kCorrelation);
            const auto workspace = kernel->make_workspace();
            workspace->run({in_type.data(), stride}, count, true, result);
            workspace->flush(result);
            this->expect_formulas(without_padding(std::move(result)), b, offset, y);
            if (this->HasFailure())
              FAIL() << target << ", " << k << " atoms, " << n << " features, " << count << " samples";
          }
        }
      }
    }
  });
}

// More samples than BLAS may sum in single precision at once, block after block.
TYPED_TEST(PassTest, KernelsAddUpBlocks) {
  using Scalar = TypeParam;
  const auto stretch = make_stretch("l4");
  const Matrix<double> y = random_in<Scalar>(20, 5000, 1), b = random_in<Scalar>(20, 20, 2);
  const Vector<double> offset = Vector<double>::Zero(20);
  const Matrix<Scalar> in_type = y.cast<Scalar>();
  for (const auto& kernel : {make_fused_kernel<Scalar>(*stretch, b, offset, PassOutput::kCorrelation),
                             make_gemm_kernel<Scalar>(*stretch, b, offset, PassOutput::kCorrelation)}) {
    PassResult result(20, kernel->rows(), 20, PassOutput::kCorrelation);
    const auto workspace = kernel->make_workspace();
    for (Index first = 0; first < y.cols(); first += kernel->block()) {
      const Index count = std::min(kernel->block(), y.cols() - first);
      workspace->run({in_type.data() + first * 20, 20}, count, true, result);
    }
    workspace->flush(result);
    this->expect_formulas(without_padding(std::move(result)), b, offset, y);
  }
}

// Σhhᵀ, in addition to the results of a pass without it.
TYPED_TEST(PassTest, RegressionHasTheGramOfTheStretchedCodes) {
  const Index n = 13, p = 1500;
  const Matrix<double> y = random_in<TypeParam>(n, p, 4), b = random_in<TypeParam>(n, n, 5);
  const auto samples = samples_in_columns(y);
  const auto stretch = make_stretch("soft");
  Workers workers(2);
  const Pass pass(*samples, *stretch, this->kArithmetic, workers, {});
  const Vector<double> offset = Vector<double>::Constant(n, 0.25);
  const auto result = pass.run(b, offset, PassOutput::kRegression);
  const auto plain = pass.run(b, offset, PassOutput::kCorrelation);
  Matrix<double> h = (b * y).colwise() - offset;
  h = h.unaryExpr([&](double z) { return stretch->derivative(z); });
  const Matrix<double> expected = h * h.transpose();
  const double tolerance = 64 * n * static_cast<double>(std::numeric_limits<TypeParam>::epsilon()) * expected.norm();
  const Matrix<double> gram = result->gram.template selfadjointView<Eigen::Lower>();
  EXPECT_LE((gram - expected).norm(), tolerance);
  EXPECT_LE((result->correlation - plain->correlation).norm(), tolerance * y.norm() / h.norm());
  EXPECT_EQ(plain->gram.size(), 0);
}

TYPED_TEST(PassTest, HasTheSameBitsForAnyNumberOfThreads) {
  for (const auto& [n, p] : {std::pair<Index, Index>{9, 30000}, {50, 40000}, {810, 3000}}) {
    const Matrix<double> y = random_in<TypeParam>(n, p, 4), b = random_in<TypeParam>(n, n, 5);
    const auto samples = samples_in_columns(y);
    const auto stretch = make_stretch("soft");
    std::optional<PassResult> first;
    for (const int threads : {1, 2, 3, 5, 8}) {
      Workers workers(threads);
      const Pass pass(*samples, *stretch, this->kArithmetic, workers, {});
      const auto result = pass.run(b, Vector<double>::Zero(n), PassOutput::kCorrelation);
      if (!first) first = result;
      EXPECT_EQ(result->correlation, first->correlation) << threads;
      EXPECT_EQ(result->objective(), first->objective()) << threads;
      EXPECT_EQ(result->curvature_sums, first->curvature_sums) << threads;
    }
  }
}

// Atoms without energy: arithmetic on subnormal numbers would make this pass a hundred times slower. The floating-point
// mode of the caller must not change.
TEST(Pass, TakesSubnormalNumbersAsZero) {
  const Matrix<double> y = test::random_gaussian(8, 500, 4);
  const Matrix<double> tiny = 1e-310 * test::random_gaussian(8, 8, 5);
  const auto samples = samples_in_columns(y);
  const auto stretch = make_stretch("logcosh");
  for (const int threads : {1, 2}) {
    Workers workers(threads);
    const Pass pass(*samples, *stretch, Arithmetic::kF64, workers, {});
    const auto result = pass.run(tiny, Vector<double>::Zero(8), PassOutput::kCorrelation);
    volatile double smallest = std::numeric_limits<double>::min();
    EXPECT_GT(smallest / 2, 0);
#ifdef __x86_64__
    EXPECT_TRUE(result->correlation.isZero(0));
#endif
  }
}

TEST(Moments, KeepTheirDigitsWhenTheMeanIsLarge) {
  const Matrix<double> spread = test::random_gaussian(4, 5000, 6);
  const Matrix<double> y = spread.array() + 1e9;
  Workers workers(2);
  const auto moments = measure_moments(*samples_in_columns(y), true, workers, {});
  // An offset of 1e9 leaves the samples an absolute precision of 1e-7.
  const Matrix<double> held = y.array() - 1e9;
  const Vector<double> mean = held.rowwise().mean();
  const Matrix<double> covariance = held * held.transpose() / 5000 - mean * mean.transpose();
  EXPECT_LT((moments->second_moment - covariance).norm(), 1e-12);
}

TEST(Moments, HaveASignatureOfTheOrder) {
  const Matrix<double> y = Matrix<double>::NullaryExpr(3, 5000, [](Index i, Index j) { return (i + 7 * j) % 11; });
  const auto measure = [](const Matrix<double>& samples, int threads) {
    Workers workers(threads);
    return *measure_moments(*samples_in_columns(samples), false, workers, {});
  };
  const engine::Moments moments = measure(y, 1);
  EXPECT_EQ(measure(y, 3).signature, moments.signature);
  Matrix<double> swapped = y;
  swapped.col(17).swap(swapped.col(4000));
  const engine::Moments other = measure(swapped, 1);
  EXPECT_EQ(other.second_moment, moments.second_moment);
  EXPECT_NE(other.signature, moments.signature);
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
