// SPDX-License-Identifier: Apache-2.0
#include "orthodict/code_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stop_token>
#include <vector>

#include "coding/normality.h"
#include "support.h"

namespace orthodict {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// An exponential source to the right, one to the left, a normal one and one that is constant, as features.
Matrix<double> skewed_samples(Index count) {
  const random::Stream stream(3, random::Purpose::kCoefficients);
  Matrix<double> y(4, count);
  for (Index j = 0; j < count; ++j) {
    y(0, j) = -std::log(1 - stream.uniform(0, j));
    y(1, j) = 2 * std::log(1 - stream.uniform(1, j)) + 50;
    y(2, j) = 3 * stream.normal(2, j);
    y(3, j) = 7;
  }
  return y;
}

Model identity_model() {
  return {.dictionary = test::identity(4), .analysis = test::identity(4), .mean = Vector<double>::Constant(4, 1)};
}

TEST(CodeStatistics, AreTheMomentsOfTheCodes) {
  const Index count = 20'000;
  const Matrix<double> y = skewed_samples(count);
  const CodeStatistics statistics = code_statistics(identity_model(), *samples_in_columns(y));
  for (Index i = 0; i < 3; ++i) {
    const Eigen::ArrayXd centred = y.row(i).transpose().array() - y.row(i).mean();
    const double deviation = std::sqrt(centred.square().mean());
    EXPECT_NEAR(statistics.mean[i], y.row(i).mean() - 1, 1e-12) << i;
    EXPECT_NEAR(statistics.deviation[i] / deviation, 1, 1e-12) << i;
    EXPECT_NEAR(statistics.skewness[i], centred.cube().mean() / std::pow(deviation, 3), 1e-10) << i;
  }
  EXPECT_EQ(statistics.deviation[3], 0);
  EXPECT_EQ(statistics.skewness[3], 0);
  EXPECT_NEAR(statistics.skewness[0], 2, 0.2);
  EXPECT_NEAR(statistics.skewness[1], -2, 0.2);
}

// A few large codes of one sign among normal ones: these few stand out, and nothing does without them.
TEST(AtomThresholds, TellTheCodesThatStandOut) {
  const Index count = 4000, members = 40;
  Matrix<double> y = test::random_gaussian(4, count, 5);
  for (Index j = 0; j < members; ++j) y(1, 100 * j) = 8 + 0.1 * static_cast<double>(j);
  const Model model = {.dictionary = test::identity(4), .analysis = test::identity(4), .mean = Vector<double>::Zero(4)};
  for (const char* rule : {"k2:200", "mixture"}) {
    const Vector<double> thresholds =
        atom_thresholds(model, *samples_in_columns(y), parse_thresholding("threshold", rule));
    EXPECT_EQ(thresholds[0], kInfinity) << rule;
    // K² leaves a few of them, and the mixture takes a few of the others.
    const Index chosen = (y.row(1).cwiseAbs().array() >= thresholds[1]).count();
    EXPECT_NEAR(static_cast<double>(chosen), members, 0.5 * members) << rule;
  }
}

TEST(AtomThresholds, LeaveExactZerosOut) {
  Matrix<double> y = Matrix<double>::Zero(4, 300);
  y(0, 5) = 2;
  y(0, 9) = -3;
  const Model model = {.dictionary = test::identity(4), .analysis = test::identity(4), .mean = Vector<double>::Zero(4)};
  const Vector<double> thresholds = atom_thresholds(model, *samples_in_columns(y), {.k2_cutoff = 50});
  EXPECT_EQ(thresholds[0], 1);  // halfway between 0 and 2
  EXPECT_EQ(thresholds[1], kInfinity);
}

TEST(AtomThresholds, AreThoseOfEachAtomsCodes) {
  const Matrix<double> y = test::random_gaussian(3, 30, 2);
  const Vector<double> thresholds =
      atom_thresholds({.dictionary = test::identity(3), .analysis = test::identity(3), .mean = Vector<double>::Zero(3)},
                      *samples_in_columns(y), {.k2_cutoff = 1e-3});
  for (Index i = 0; i < 3; ++i) {
    EXPECT_EQ(thresholds[i], coding::k2_threshold({y.row(i).begin(), y.row(i).end()}, 1e-3)) << i;
  }
}

TEST(AtomThresholds, RefuseWhatIsNotLegal) {
  const Matrix<double> y = test::random_gaussian(4, 10, 2);
  const auto message = [&](const auto& work) { return test::error_of(work).second; };
  EXPECT_NE(message([&] { (void)atom_thresholds(identity_model(), *samples_in_columns(y)); }).find("at least 20"),
            std::string::npos);
  for (const char* text : {"k3", "k2:", "k2:-1", "k2:inf", "k2:3x", "mixture:2", ""}) {
    EXPECT_EQ(message([&] { (void)parse_thresholding("--threshold", text); }).rfind("--threshold = ", 0), 0U) << text;
  }
  Model without = {.dictionary = test::random_gaussian(6, 4, 1), .analysis = {}, .mean = Vector<double>::Zero(4)};
  EXPECT_NE(message([&] { (void)atom_thresholds(without, *samples_in_columns(y)); }).find("without analysis"),
            std::string::npos);
}

// The largest are taken away one by one; K² of the others with sums about their mean.
TEST(K2Threshold, IsTheSameFarFromZero) {
  constexpr std::size_t kCount = 400;
  for (const double offset : {0.0, 1e5, 1e8}) {
    std::vector<double> values(kCount);
    const Matrix<double> normal = test::random_gaussian(1, kCount, 3);
    for (std::size_t j = 0; j < kCount; ++j) values[j] = offset + normal(0, static_cast<Index>(j));
    for (std::size_t j = 0; j < 20; ++j) values[20 * j] = offset + 5 + 0.25 * static_cast<double>(j);
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    std::size_t left = kCount;
    const auto k2_of_smallest = [&](std::size_t count) {
      double mean = 0;
      for (std::size_t j = 0; j < count; ++j) mean += (sorted[j] - offset) / static_cast<double>(count);
      coding::PowerSums sums;
      for (std::size_t j = 0; j < count; ++j) sums.add(sorted[j] - offset - mean);
      return coding::k_squared(sums);
    };
    while (k2_of_smallest(left) > 20) --left;
    ASSERT_LT(left, kCount);
    const double threshold = coding::k2_threshold(values, 20);
    EXPECT_NEAR(threshold - offset, (sorted[left - 1] + sorted[left]) / 2 - offset, 1e-6) << offset;
  }
  EXPECT_EQ(coding::k2_threshold({}, 20), kInfinity);
}

TEST(KeepAbove, SetsSmallerCodesToZero) {
  RowMatrix<double> codes{{0.5, -2.0, 9}, {-1.0, 1.9, 9}};
  keep_above(Vector<double>{{1, 2, kInfinity}}, &codes);
  EXPECT_EQ(codes, (RowMatrix<double>{{0, -2.0, 0}, {-1.0, 0, 0}}));
}

Options oriented() {
  Options options;
  options.orient = true;
  return options;
}

TEST(Orient, MakesTheLongTailPositive) {
  const Index n = 6;
  const random::Stream stream(4, random::Purpose::kCoefficients);
  Matrix<double> sources = Matrix<double>::NullaryExpr(
      n, 5000, [&](Index i, Index j) { return (i % 2 == 0 ? -1 : 1) * -std::log(1 - stream.uniform(i, j)); });
  const Matrix<double> y = test::random_gaussian(n, n, 8) * sources;
  const FitResult plain = test::fit_columns(y, {}), result = test::fit_columns(y, oriented());
  EXPECT_GT(code_statistics(result.model, *samples_in_columns(y)).skewness.minCoeff(), 0);
  EXPECT_LT(code_statistics(plain.model, *samples_in_columns(y)).skewness.minCoeff(), 0);
  EXPECT_EQ(result.model.dictionary.cwiseAbs(), plain.model.dictionary.cwiseAbs());
  EXPECT_LE((result.model.dictionary * result.model.analysis.transpose() - test::identity(n)).norm(), 1e-10);
}

// The third moment is about the mean of the codes, whatever is subtracted from the samples.
TEST(Orient, GoesByTheMeanOfTheCodes) {
  Matrix<double> y = test::sparse_samples(5, 3000).cwiseAbs();
  y.array() += 30;
  Options options = oriented();
  options.stretch = "l3";
  const FitResult result = test::fit_columns(y, options);
  EXPECT_TRUE(result.model.mean.isZero(0));
  EXPECT_GT(code_statistics(result.model, *samples_in_columns(y)).skewness.minCoeff(), 0);
}

// Their codes are products of few samples with wide rows, and nothing of features × features fits memory.
TEST(Orient, TakesWideSamples) {
  const Matrix<double> y = test::random_gaussian(100'000, 6, 8) * test::coefficients(6, 40, 0.3, 0).cwiseAbs();
  Options options = oriented();
  options.atoms = Atoms(4);
  const FitResult result = test::fit_columns(y, options);
  EXPECT_GE(code_statistics(result.model, *samples_in_columns(y)).skewness.minCoeff(), 0);
}

TEST(Orient, IsDoneAfterAStopToo) {
  const Matrix<double> y = -test::random_gaussian(5, 5, 8) * test::coefficients(5, 3000, 0.3, 0).cwiseAbs();
  Options options = oriented();
  std::stop_source stop;
  options.stop = stop.get_token();
  options.callback = [&](const Iterate& iterate) { return iterate.record().iteration >= 4 && stop.request_stop(); };
  const FitResult result = test::fit_columns(y, options);
  EXPECT_EQ(result.summary.termination, Termination::kStopped);
  EXPECT_GE(code_statistics(result.model, *samples_in_columns(y)).skewness.minCoeff(), 0);
}

}  // namespace
}  // namespace orthodict
