// SPDX-License-Identifier: Apache-2.0
#include "baselines/ksvd.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>
#include <stop_token>
#include <vector>

#include "baselines/atom_update.h"
#include "engine/workers.h"
#include "support.h"

namespace orthodict::baselines {
namespace {

using test::error_of;
using test::random_gaussian;

Matrix<double> unit_columns(Index rows, Index columns, std::uint64_t seed) {
  return random_gaussian(rows, columns, seed).colwise().normalized();
}

// Codes by hand: every sample uses atoms i mod k and (i + 1) mod k. Repeated, the step for one atom ends at the best
// rank-one fit of what the other atoms leave.
TEST(KsvdTest, AtomUpdateConvergesToTheBestRankOneFit) {
  const Index n = 11;
  const Index p = 2500;
  const Index k = 4;
  const Index block_size = 256;
  const Matrix<double> y = random_gaussian(n, p, 1);
  Matrix<double> d = unit_columns(n, k, 2);
  const Matrix<double> values = random_gaussian(2, p, 3);
  Matrix<double> x = Matrix<double>::Zero(k, p);
  std::vector<CodeBlock> blocks(static_cast<std::size_t>((p + block_size - 1) / block_size));
  for (CodeBlock& block : blocks) block.clear();
  for (Index i = 0; i < p; ++i) {
    x(i % k, i) = values(0, i);
    x((i + 1) % k, i) = values(1, i);
    blocks[static_cast<std::size_t>(i / block_size)].append({i % k, (i + 1) % k}, {values(0, i), values(1, i)});
  }
  engine::Workers workers(3);
  AtomUpdate update(n, p, workers);
  update.residual().topRows(n) = y - d * x;
  update.gather(blocks, block_size, k);
  EXPECT_EQ(update.uses(2), p / 2);

  std::vector<Index> users;
  for (Index i = 0; i < p; ++i) {
    if (i % k == 2 || (i + 1) % k == 2) users.push_back(i);
  }
  Matrix<double> others = x;
  others.row(2).setZero();
  const Eigen::MatrixXd left = Matrix<double>(y - d * others)(Eigen::all, users);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(left * left.transpose(), Eigen::ComputeFullU);
  double before = update.residual().squaredNorm();
  for (int step = 0; step < 1000; ++step) {
    update.update(2, &d(0, 2));
    const double after = update.residual().squaredNorm();
    EXPECT_LE(after, before * (1 + 1e-14));
    before = after;
  }
  EXPECT_NEAR(std::abs(d.col(2).dot(svd.matrixU().col(0))), 1, 1e-12);
  const Eigen::MatrixXd residual = update.residual().topRows(n)(Eigen::all, users);
  EXPECT_NEAR(residual.squaredNorm(), svd.singularValues().tail(n - 1).sum(), 1e-9 * left.squaredNorm());
}

template <typename Change>
Options with(const Change& change) {
  Options options;
  change(options);
  return options;
}

FitResult fit_synthetic(const SyntheticOptions& data, const Options& options, const KsvdOptions& how = {}) {
  const Matrix<double> y = Synthetic(data).samples().transpose();
  return fit_ksvd(*samples_in_columns(y), options, how);
}

double recovery(const SyntheticOptions& data, const FitResult& result) {
  return compare(result.model, Synthetic(data).dictionary()).error;
}

// Exactly sparse samples: where steps are below 1e-6, so is the distance to the truth, and the error is its square.
TEST(KsvdTest, RecoversAnOrthogonalDictionaryExactly) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const SyntheticOptions data{.dimension = 25, .samples = 2500, .seed = seed};
    const FitResult result = fit_synthetic(data, with([=](Options& o) { o.seed = seed; }));
    EXPECT_EQ(result.summary.termination, Termination::kConverged);
    EXPECT_LT(recovery(data, result), 1e-11) << "seed " << seed;
    EXPECT_LT(result.summary.objective, 1e-8);
    EXPECT_LT(result.summary.iterations, 60);
  }
}

TEST(KsvdTest, RecoversADictionaryThatIsNotOrthogonal) {
  const SyntheticOptions data{.dimension = 20, .samples = 4000, .theta = 0.2, .condition = 3, .seed = 1};
  EXPECT_LT(recovery(data, fit_synthetic(data, {})), 1e-11);
}

// The noise isn't coded: the residual stays at about the noise of .1/√.31 per entry, less its part in the span of the
// picked atoms.
TEST(KsvdTest, StopsAtTheNoise) {
  const SyntheticOptions data{.dimension = 25, .samples = 5000, .noise = 0.1, .seed = 2};
  const FitResult result = fit_synthetic(data, {});
  EXPECT_EQ(result.summary.termination, Termination::kConverged);
  EXPECT_LT(recovery(data, result), 2e-3);
  const auto& parameters = result.summary.parameters;
  ASSERT_EQ(parameters.size(), 2U);
  EXPECT_EQ(parameters[0], (std::pair<std::string, double>("sparsity", 4)));
  EXPECT_EQ(parameters[1].first, "code_error");
  EXPECT_GT(parameters[1].second, 0.08);
  EXPECT_LT(parameters[1].second, 0.25);
}

// T nonzeros truncate half of the samples, which causes an error that falls like 1/p. pyksvd with the same T has 2.6e-4
// at p = 10⁴, so about 1e-3 here.
TEST(KsvdTest, GivenSparsityIsUsedThroughout) {
  const SyntheticOptions data{.dimension = 25, .samples = 2500, .seed = 1};
  const FitResult result = fit_synthetic(data, with([](Options& o) { o.seed = 1; }), {.sparsity = 6});
  EXPECT_EQ(result.summary.termination, Termination::kConverged);
  EXPECT_LT(recovery(data, result), 5e-3);
  EXPECT_GT(recovery(data, result), 1e-5);
  ASSERT_EQ(result.summary.parameters.size(), 1U);
  EXPECT_EQ(result.summary.parameters[0], (std::pair<std::string, double>("sparsity", 6)));
}

// Enough samples use the atom that several threads share them.
TEST(KsvdTest, AtomUpdateHasTheSameBitsForAnyNumberOfThreads) {
  const Index n = 40;
  const Index p = 20000;
  const Vector<double> g = random_gaussian(p, 1, 1);
  CodeBlock block;
  block.clear();
  for (Index i = 0; i < p; ++i) block.append({0}, {g[i]});
  const auto updated = [&](int threads) {
    engine::Workers workers(threads);
    EXPECT_EQ(engine::team_for(8.0 * static_cast<double>(n * p), workers), threads);
    AtomUpdate update(n, p, workers);
    update.residual().topRows(n) = random_gaussian(n, p, 2);
    update.gather({block}, p, 1);
    Matrix<double> d = unit_columns(n, 1, 3);
    for (int step = 0; step < 3; ++step) update.update(0, d.data());
    return std::pair(d, update.residual());
  };
  EXPECT_EQ(updated(1), updated(3));
}

// With codes of fixed length an iteration may raise the error a little, since a pursuit is greedy; not by much.
TEST(KsvdTest, ErrorFalls) {
  const SyntheticOptions data{.dimension = 16, .samples = 2000, .seed = 3};
  const FitResult result = fit_synthetic(data, with([](Options& o) { o.max_iterations = 30; }), {.sparsity = 3});
  const std::vector<IterationRecord>& history = result.summary.history;
  ASSERT_EQ(history.size(), static_cast<std::size_t>(result.summary.iterations) + 1);
  EXPECT_FALSE(history[0].step.has_value());
  for (std::size_t i = 1; i < history.size(); ++i) {
    EXPECT_LT(history[i].objective, history[i - 1].objective * 1.001);
    EXPECT_EQ(history[i].stage, Stage::kBaseline);
  }
  EXPECT_LT(history.back().objective, history[0].objective / 2);
}

TEST(KsvdTest, KeepsTheLastIterateWhenTimeIsUp) {
  const SyntheticOptions data{.dimension = 25, .samples = 5000, .seed = 1};
  Options options;
  options.tolerance = 0;
  RowMatrix<double> seen;
  options.callback = [&](const Iterate& iterate) {
    seen = iterate.model().dictionary;
    return false;
  };
  for (const double seconds : {0.05, 0.06, 0.07}) {  // probably in the middle of an iteration
    options.time_limit = seconds;
    seen.resize(0, 0);
    const FitResult timed = fit_synthetic(data, options, {.sparsity = 8});
    EXPECT_EQ(timed.summary.termination, Termination::kTimeLimit);
    EXPECT_LT(timed.summary.total_seconds, 2);
    EXPECT_TRUE(seen.size() == 0 || timed.model.dictionary == seen);
  }
}

TEST(KsvdTest, RefusesSparsitiesOutsideTheAtoms) {
  const SyntheticOptions data{.dimension = 8, .samples = 100};
  const auto message = [&](const Options& options, Index sparsity) {
    return error_of([&] { static_cast<void>(fit_synthetic(data, options, {.sparsity = sparsity})); }).second;
  };
  EXPECT_EQ(message({}, 0).find("sparsity = 0"), 0U);
  EXPECT_EQ(message({}, 9).find("sparsity = 9"), 0U);
  EXPECT_EQ(message(with([](Options& o) { o.atoms = 3; }), 4).find("sparsity = 4"), 0U);
}

// Two atoms at the start are the same: one of them gives way to a sample.
TEST(KsvdTest, ReplacesAtomsThatAreTheSame) {
  const SyntheticOptions data{.dimension = 10, .samples = 1500, .theta = 0.2, .seed = 4};
  const Matrix<double> y = Synthetic(data).samples().transpose();
  Options options;
  options.init = Initialization::kGiven;
  options.initial_dictionary = Synthetic(data).dictionary();
  options.initial_dictionary.row(3) = options.initial_dictionary.row(7);
  options.max_iterations = 1;
  const RowMatrix<double> learned = fit_ksvd(*samples_in_columns(y), options).model.dictionary;
  const Matrix<double> cosines = (learned * learned.transpose()).cwiseAbs() - test::identity(10);
  EXPECT_LT(cosines.maxCoeff(), 0.99);
  const Matrix<double> to_samples = (learned * y.colwise().normalized()).cwiseAbs();
  // Samples of a single atom are represented, those of several are what an atom may become.
  EXPECT_TRUE(((to_samples.rowwise().maxCoeff().array() > 1 - 1e-14)).any());
}

}  // namespace
}  // namespace orthodict::baselines
