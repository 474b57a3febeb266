// SPDX-License-Identifier: Apache-2.0
// Small parts of the engine: sums with padding, the choice of kernel and of the number of threads.
#include "engine/pass_result.h"

#include "engine/collective.h"
#include "engine/kernel.h"
#include "engine/workers.h"
#include "support.h"

namespace orthodict::engine {
namespace {

constexpr Index kAtoms = 3, kRows = 4, kFeatures = 2;  // a row of padding

PassResult filled(PassOutput output, double from) {
  PassResult result(kAtoms, kRows, kFeatures, output);
  result.correlation.setConstant(from);
  result.gram.setConstant(from + 1);
  result.derivative_sums.setConstant(from + 2);
  result.curvature_sums.setConstant(from + 3);
  result.value_sums.setConstant(from + 4);
  return result;
}

TEST(PassResult, HasWhatIsWanted) {
  const PassResult objective(kAtoms, kRows, kFeatures, PassOutput::kObjective);
  EXPECT_EQ(objective.correlation.size(), 0);
  EXPECT_EQ(objective.derivative_sums, Vector<double>::Zero(kRows));
  const PassResult correlation(kAtoms, kRows, kFeatures, PassOutput::kCorrelation);
  EXPECT_EQ(correlation.correlation, Matrix<double>(Matrix<double>::Zero(kRows, kFeatures)));
  EXPECT_EQ(correlation.gram.size(), 0);
  const PassResult regression(kAtoms, kRows, kFeatures, PassOutput::kRegression);
  EXPECT_EQ(regression.correlation.rows(), kRows);
  EXPECT_EQ(regression.gram, Matrix<double>(Matrix<double>::Zero(kRows, kRows)));
}

TEST(PassResult, AddsAndClearsAllItsParts) {
  PassResult sum = filled(PassOutput::kRegression, 1);
  sum.add(filled(PassOutput::kRegression, 10));
  EXPECT_TRUE((sum.correlation.array() == 11).all());
  EXPECT_TRUE((sum.gram.array() == 13).all());
  EXPECT_TRUE((sum.derivative_sums.array() == 15).all());
  EXPECT_TRUE((sum.curvature_sums.array() == 17).all());
  EXPECT_TRUE((sum.value_sums.array() == 19).all());
  sum.clear();
  EXPECT_TRUE(sum.correlation.isZero(0) && sum.gram.isZero(0));
  EXPECT_TRUE(sum.derivative_sums.isZero(0) && sum.curvature_sums.isZero(0) && sum.value_sums.isZero(0));
}

TEST(PassResult, SumsOfABlockLeaveThePaddingOutOfTheObjective) {
  PassResult result = filled(PassOutput::kCorrelation, 0);
  Matrix<float> sums(kRows, 3);
  sums.col(0) << 1, 2, 3, 100;
  sums.col(1) << 4, 5, 6, 7;
  sums.col(2) << 8, 9, 10, 11;
  result.add_sums(sums);
  EXPECT_EQ(result.value_sums, (Vector<double>{{5, 6, 7, 104}}));
  EXPECT_EQ(result.objective(), 5 + 6 + 7);
  EXPECT_EQ(result.derivative_sums, (Vector<double>{{6, 7, 8, 9}}));
  EXPECT_EQ(result.curvature_sums, (Vector<double>{{11, 12, 13, 14}}));
  result.drop_padding();
  EXPECT_EQ(result.correlation.rows(), kAtoms);
  EXPECT_EQ(result.derivative_sums, (Vector<double>{{6, 7, 8}}));
  EXPECT_EQ(result.curvature_sums.size(), kAtoms);
  EXPECT_EQ(result.value_sums, (Vector<double>{{5, 6, 7}}));
  PassResult objective = filled(PassOutput::kObjective, 0);
  objective.drop_padding();
  EXPECT_EQ(objective.correlation.rows(), 0);
}

TEST(PassResult, VisitsAllNumbersButThePadding) {
  for (const PassOutput output : {PassOutput::kObjective, PassOutput::kCorrelation, PassOutput::kRegression}) {
    const bool regression = output == PassOutput::kRegression;
    PassResult result(kAtoms, regression ? kAtoms : kRows, kFeatures, output);
    std::size_t count = 0;
    result.for_each_part([&](std::span<double> part) {
      for (double& value : part) value = 1;
      count += part.size();
    });
    const Index correlations = output == PassOutput::kObjective ? 0 : kAtoms * kFeatures;
    EXPECT_EQ(count, static_cast<std::size_t>(correlations + (regression ? kAtoms * kAtoms : 0) + 3 * kAtoms));
    EXPECT_EQ(result.correlation.sum(), correlations);
    EXPECT_EQ(result.gram.sum(), regression ? kAtoms * kAtoms : 0);
    EXPECT_EQ(result.derivative_sums.sum(), kAtoms);
    EXPECT_EQ(result.curvature_sums.sum(), kAtoms);
    EXPECT_EQ(result.objective(), kAtoms);
  }
}

// The fused kernel for sizes that fit in the caches; BLAS for larger ones and for regressions, which the fused kernel
// doesn't support. The test distinguishes them by their block sizes.
TEST(Kernels, AreChosenByTheSizeOfTheMatcher) {
  const auto stretch = make_stretch("l4");
  const auto block = [&](Index atoms, Index features, PassOutput output) {
    return make_kernel<float>(*stretch, Matrix<double>::Zero(atoms, features), Vector<double>::Zero(atoms), output)
        ->block();
  };
  const Index ours =
      make_fused_kernel<float>(*stretch, test::identity(2), Vector<double>::Zero(2), PassOutput::kCorrelation)->block();
  const Index of_blas =
      make_gemm_kernel<float>(*stretch, test::identity(2), Vector<double>::Zero(2), PassOutput::kCorrelation)->block();
  ASSERT_NE(ours, of_blas);
  EXPECT_EQ(block(20, 20, PassOutput::kCorrelation), ours);
  EXPECT_EQ(block(20, 20, PassOutput::kObjective), ours);
  EXPECT_EQ(block(20, 20, PassOutput::kRegression), of_blas);
  EXPECT_EQ(block(800, 800, PassOutput::kCorrelation), ours);
  EXPECT_EQ(block(801, 800, PassOutput::kCorrelation), of_blas);
}

TEST(Workers, AreAsManyAsTheWorkIsWorth) {
  Workers workers(3);
  EXPECT_EQ(workers.count(), 3);
  EXPECT_EQ(team_for(0, workers), 1);
  EXPECT_EQ(team_for(1.9e6, workers), 1);
  EXPECT_EQ(team_for(2e6, workers), 2);
  EXPECT_EQ(team_for(1e300, workers), 3);
  EXPECT_TRUE(workers.collective().is_alone());
}

TEST(Collective, OfOneProcessTalksToNobody) {
  Collective alone;
  EXPECT_EQ(alone.count(), 1);
  EXPECT_EQ(alone.rank(), 0);
  EXPECT_TRUE(alone.is_alone());
  EXPECT_TRUE(alone.any([] { return true; }));
  EXPECT_FALSE(alone.any_if_equal(1, "", [] { return false; }));
  double item = 5;
  alone.share(std::span(&item, 1), [](Index) { return 0; });
  EXPECT_EQ(item, 5);
  EXPECT_EQ(alone.bytes_sent(), 0u);
  EXPECT_NO_THROW(alone.rethrow_failure(Collective::kStopped, nullptr));
}

}  // namespace
}  // namespace orthodict::engine
