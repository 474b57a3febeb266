// SPDX-License-Identifier: Apache-2.0
#include "orthodict/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support.h"

namespace orthodict {
namespace {

double total(const Matrix<double>& score, const std::vector<Index>& assignment) {
  double sum = 0;
  for (std::size_t i = 0; i < assignment.size(); ++i) sum += score(static_cast<Index>(i), assignment[i]);
  return sum;
}

TEST(BestAssignment, IsTheBestOfAllPermutations) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Index rows = 1 + static_cast<Index>(seed % 5);
    const Index columns = 6;
    const Matrix<double> score = test::random_gaussian(rows, columns, seed);
    std::vector<Index> order(static_cast<std::size_t>(columns));
    std::iota(order.begin(), order.end(), 0);
    double best = -1e300;
    do {
      best = std::max(best, total(score, {order.begin(), order.begin() + rows}));
    } while (std::next_permutation(order.begin(), order.end()));
    const std::vector<Index> found = best_assignment(score);
    EXPECT_NEAR(total(score, found), best, 1e-12);
    std::vector<Index> sorted = found;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end()) << "a column twice";
  }
}

TEST(BestAssignment, IsNotGreedy) {
  Matrix<double> score(2, 2);
  score << 1.0, 0.9, 0.9, 0.0;
  EXPECT_EQ(best_assignment(score), (std::vector<Index>{1, 0}));
}

TEST(BestAssignment, RefusesWhatHasNoAnswer) {
  Matrix<double> score = test::identity(3);
  score(1, 1) = NAN;
  EXPECT_THROW((void)best_assignment(score), Error);
  EXPECT_THROW((void)best_assignment(Matrix<double>::Zero(3, 2)), Error);
}

Model model_with(const Matrix<double>& atoms_in_rows) {
  const Matrix<double> inverse = atoms_in_rows.transpose().inverse();
  return {atoms_in_rows, inverse, Vector<double>::Zero(atoms_in_rows.cols()), {}};
}

TEST(Compare, SeesThroughOrderSignAndScaleOfTheTruth) {
  Matrix<double> atoms = test::random_gaussian(7, 7, 1).rowwise().normalized();
  RowMatrix<double> truth = atoms.colwise().reverse();
  truth.row(3) *= -5;
  const Recovery recovery = compare(model_with(atoms), truth);
  EXPECT_LE(recovery.error, 1e-12);
  EXPECT_NEAR(recovery.worst_cosine, 1, 1e-12);
  for (Index i = 0; i < 7; ++i) {
    EXPECT_EQ(recovery.matches[static_cast<std::size_t>(i)], 6 - i);
    EXPECT_EQ(recovery.signs[static_cast<std::size_t>(i)], i == 3 ? -1 : 1);
  }
}

// A cosine of 1 − 1e-20 is 1.
TEST(Compare, ResolvesErrorsFarBelowRounding) {
  RowMatrix<double> atoms(3, 2);
  atoms << 1, 0, 0, 1, std::sqrt(0.5), -std::sqrt(0.5);
  constexpr double kAngle = 1e-10;
  RowMatrix<double> truth = -atoms;
  truth(1, 0) = kAngle;
  Model model;
  model.dictionary = atoms;
  model.mean = Vector<double>::Zero(2);
  model.coder = "omp";
  EXPECT_NEAR(compare(model, truth).error, 4 * kAngle * kAngle / 2 / 3, 1e-30);
}

TEST(Compare, IsThePapersErrorForOrthogonalDictionaries) {
  const Matrix<double> a = test::random_orthogonal<double>(10, 2);
  const Matrix<double> d = test::random_orthogonal<double>(10, 3);
  EXPECT_NEAR(compare(model_with(a), d.transpose()).error, std::abs(1 - test::l4_norm4(a * d) / 10), 1e-13);
}

TEST(Compare, SomeTrueAtomsSuffice) {
  const Recovery recovery = compare(model_with(test::identity(4)), RowMatrix<double>(test::identity(4).bottomRows(3)));
  EXPECT_EQ(recovery.hits, 3);
  EXPECT_EQ(recovery.worst_cosine, 1);
  EXPECT_EQ(recovery.error, 0);
}

TEST(Compare, RefusesATruthThatDoesNotFit) {
  const Model model = model_with(test::identity(4));
  const std::vector<RowMatrix<double>> truths = {RowMatrix<double>::Identity(4, 5), RowMatrix<double>::Zero(4, 4),
                                                 RowMatrix<double>(0, 4)};
  for (const RowMatrix<double>& truth : truths) {
    EXPECT_EQ(test::error_of([&] { (void)compare(model, truth); }).first, Fault::kData);
  }
}

TEST(NormalizedObjective, IsNearOneAtTheTruth) {
  SyntheticOptions options;
  options.dimension = 10;
  options.samples = 50000;
  const Synthetic data(options);
  const double objective = test::l4_norm4(data.dictionary() * data.samples().transpose());
  // x⁴ has mean 3θ and variance 105θ − 9θ²; five standard deviations of the mean over np coefficients.
  const double theta = options.theta;
  const double deviation = std::sqrt((105 * theta - 9 * theta * theta) / (10.0 * 50000)) / (3 * theta);
  EXPECT_NEAR(normalized_objective(objective, 10, 50000, theta), 1, 5 * deviation);
}

}  // namespace
}  // namespace orthodict
