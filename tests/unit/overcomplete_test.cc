// SPDX-License-Identifier: Apache-2.0
// More atoms than dimensions: what is found without any parameter, and what is said where nothing is.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solver/overcomplete/codes.h"
#include "solver/overcomplete/columns.h"
#include "solver/overcomplete/learn.h"
#include "solver/overcomplete/repair.h"
#include "support.h"

namespace orthodict {
namespace {

using test::error_of;
using test::random_gaussian;

Options overcomplete() {
  Options options;
  options.dictionary = Dictionary::kOvercomplete;
  return options;
}

// 50 atoms in 20 dimensions, three in each sample.
SyntheticOptions small_problem(std::uint64_t seed, Index samples = 1500) {
  SyntheticOptions options;
  options.dimension = 20;
  options.samples = samples;
  options.seed = seed;
  options.atoms = 50;
  options.nonzeros = 3;
  return options;
}

// ½‖d ∓ d̂‖² of the worst true atom.
double worst_error(const RowMatrix<double>& truth, const Model& model) {
  const RowMatrix<double> cosines = truth * model.dictionary.transpose();
  double worst = 0;
  for (Index i = 0; i < truth.rows(); ++i) {
    Index at = 0;
    cosines.row(i).cwiseAbs().maxCoeff(&at);
    const double sign = cosines(i, at) < 0 ? -1 : 1;
    worst = std::max(worst, (truth.row(i) - sign * model.dictionary.row(at)).squaredNorm() / 2);
  }
  return worst;
}

TEST(Overcomplete, RecoversEveryAtomExactlyWithoutParameters) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Synthetic data(small_problem(seed));
    const auto [model, summary] = fit(data.samples(), overcomplete());
    EXPECT_EQ(model.atoms(), 50) << "seed " << seed;
    EXPECT_LT(worst_error(data.dictionary(), model), 1e-10) << "seed " << seed;
    EXPECT_EQ(model.analysis.size(), 0);
    EXPECT_EQ(model.coder, "omp");
    EXPECT_EQ(model.confidence, Vector<double>::Ones(50));
    EXPECT_EQ(summary.termination, Termination::kConverged);
    EXPECT_EQ(summary.dictionary, Dictionary::kOvercomplete);
    EXPECT_EQ(summary.established, 50);
    EXPECT_NEAR(*summary.theta, 3.0 / 50, 3e-3);
    EXPECT_EQ(*summary.noise, 0);
    ASSERT_EQ(summary.usage.size(), 50U);
    for (const double usage : summary.usage) EXPECT_NEAR(usage, 3.0 / 50, 0.03);
    EXPECT_FALSE(summary.history.empty());
    const Recovery recovery = compare(model, data.dictionary());
    EXPECT_EQ(recovery.hits, 50);
  }
}

TEST(Overcomplete, AnOffsetIsFoundWithTheAtoms) {
  const Synthetic data(small_problem(6));
  const Vector<double> offset = Vector<double>::LinSpaced(20, -1, 3);
  const RowMatrix<double> x = data.samples().rowwise() + offset.transpose();
  Options options = overcomplete();
  Vector<double> last;
  options.callback = [&](const Iterate& iterate) {
    if (iterate.record().stage == Stage::kFinish) last = iterate.model().mean;
    return false;
  };
  const auto [model, summary] = fit(x, options);
  EXPECT_LT((last - offset).norm(), 1e-6);
  EXPECT_TRUE(summary.center);
  EXPECT_EQ(model.atoms(), 50);
  EXPECT_LT(worst_error(data.dictionary(), model), 1e-10);
  EXPECT_LT((model.mean - offset).norm(), 1e-10);
  Options as_they_are = overcomplete();
  as_they_are.center = false;
  EXPECT_TRUE(fit(x, as_they_are).model.mean.isZero(0));
}

TEST(Overcomplete, AMeanOfTheCodesIsNoOffset) {
  SyntheticOptions problem = small_problem(7, 3000);
  problem.dictionary = RowMatrix<double>::Identity(50, 50);
  problem.dimension = 50;
  const RowMatrix<double> codes = Synthetic(problem).samples().cwiseAbs();
  const RowMatrix<double> truth = Synthetic(small_problem(7)).dictionary();
  const auto [model, summary] = fit(RowMatrix<double>(codes * truth), overcomplete());
  EXPECT_FALSE(summary.center);
  EXPECT_EQ(model.atoms(), 50);
  EXPECT_LT(worst_error(truth, model), 1e-10);
}

// At 10 dB. Without merging there are 80 atoms, the additional ones versions of others.
TEST(Overcomplete, NoiseDoesNotMultiplyAtoms) {
  SyntheticOptions problem;
  problem.dimension = 32;
  problem.samples = 4000;
  problem.atoms = 64;
  problem.nonzeros = 3;
  problem.noise = std::sqrt(0.1 * 3 / 32);
  const Synthetic data(problem);
  const Model model = fit(data.samples(), overcomplete()).model;
  EXPECT_NEAR(static_cast<double>(model.atoms()), 64, 6);
  EXPECT_GE(compare(model, data.dictionary()).hits, 62);
}

// At 20 dB; other seeds have errors of 5e-4 to 6e-4.
TEST(Overcomplete, FindsAllAtomsUnderNoise) {
  SyntheticOptions problem = small_problem(1);
  problem.noise = 0.1 * std::sqrt(3.0 / 20);  // a hundredth of the energy
  const Synthetic data(problem);
  const auto [model, summary] = fit(data.samples(), overcomplete());
  EXPECT_EQ(model.atoms(), 50);
  EXPECT_LT(worst_error(data.dictionary(), model), 2e-3);
  EXPECT_EQ(summary.termination, Termination::kConverged);
  EXPECT_NEAR(*summary.noise, problem.noise, 0.15 * problem.noise);
  EXPECT_GT((model.confidence.array() > 0.95).count(), 45);
  EXPECT_LT(model.confidence.maxCoeff(), 1);
}

// Frequent atoms have most of the variance, and whitening raises the noise of all others. With codes of whitened
// samples alone, 117 of the atoms are hit.
// Whitening makes noise louder along rare atoms: atoms fitted to whitened samples alone have errors of 4.6e-3
// and 6.0e-3.
TEST(Overcomplete, ReducesTheErrorInTheSamplesAsTheyAre) {
  for (const std::uint64_t seed : {2, 3}) {
    const Synthetic data(
        {.dimension = 32, .samples = 4000, .noise = 0.05, .seed = seed, .atoms = 64, .nonzeros = 3, .frequencies = 1});
    Options options = overcomplete();
    options.seed = seed;
    EXPECT_LT(compare(fit(data.samples(), options).model, data.dictionary()).error, 3.5e-3) << "seed " << seed;
  }
}

TEST(Overcomplete, SignsAndUnequalFrequencies) {
  SyntheticOptions problem = small_problem(2, 3000);
  problem.signs = true;
  const Synthetic signs(problem);
  EXPECT_LT(worst_error(signs.dictionary(), fit(signs.samples(), overcomplete()).model), 1e-10);
  problem = {.dimension = 40, .samples = 4000, .seed = 3, .atoms = 80, .nonzeros = 3, .frequencies = 0.5};
  const Synthetic unequal(problem);
  const Model model = fit(unequal.samples(), overcomplete()).model;
  EXPECT_GE(compare(model, unequal.dictionary()).hits, 79);
}

TEST(Overcomplete, HasTheSameBitsForAnyNumberOfThreads) {
  SyntheticOptions problem = small_problem(4);
  problem.noise = 0.02;
  const RowMatrix<double> x = Synthetic(problem).samples();
  Options options = overcomplete();
  options.threads = 1;
  const FitResult one = fit(x, options);
  for (const int threads : {2, 3}) {
    options.threads = threads;
    const FitResult other = fit(x, options);
    EXPECT_EQ(model_to_bytes(other.model), model_to_bytes(one.model));
  }
  options.seed = 1;
  EXPECT_NE(model_to_bytes(fit(x, options).model), model_to_bytes(one.model));
}

TEST(Overcomplete, SaysWhereThereIsNoStructure) {
  const RowMatrix<double> x = random_gaussian(3000, 16, 1);
  const auto [model, summary] = fit(x, overcomplete());
  EXPECT_EQ(summary.termination, Termination::kNotEstablished);
  EXPECT_EQ(summary.established, 0);
  EXPECT_LT(model.confidence.maxCoeff(), 0.5);
}

// One axis has nearly all of the variance: in the samples' coordinates all directions are alike.
TEST(Overcomplete, ALargeAxisIsNoStructure) {
  RowMatrix<double> x = random_gaussian(2000, 16, 1);
  x.col(3) *= 100;
  const auto [model, summary] = fit(x, overcomplete());
  EXPECT_EQ(summary.termination, Termination::kNotEstablished);
  EXPECT_LT(model.confidence.maxCoeff(), 0.5);
}

TEST(Overcomplete, FeaturesMayHaveOtherUnits) {
  const Synthetic data(small_problem(1));
  for (const double unit : {4e5, 1e-7}) {
    Vector<double> units = Vector<double>::Ones(20);
    units[4] = unit;
    const RowMatrix<double> truth = (data.dictionary() * units.asDiagonal()).rowwise().normalized();
    const auto [model, summary] = fit(RowMatrix<double>(data.samples() * units.asDiagonal()), overcomplete());
    EXPECT_EQ(summary.rank, 20);
    EXPECT_EQ(model.atoms(), 50);
    EXPECT_LT(worst_error(truth, model), 1e-10);
  }
}

// All are coded exactly, but no atom has enough samples to be sure.
TEST(Overcomplete, AFewSamplesAreNoError) {
  Options options = overcomplete();
  options.center = false;
  for (const Index n : {4, 6, 8}) {
    const RowMatrix<double> unit = RowMatrix<double>::Identity(n, n);
    RowMatrix<double> x(3 * n, n);
    x << unit, -unit, 3 * unit;
    EXPECT_GT(fit(x, options).model.atoms(), 0) << n;
  }
  options.callback = [](const Iterate& iterate) {
    EXPECT_GT(iterate.model().atoms(), 0);
    return false;
  };
  for (const Index samples : {2, 3, 10, 20}) {
    for (const Index features : {1, 2, 3, 5}) {
      const FitResult result = fit(RowMatrix<double>(random_gaussian(samples, features, 1)), options);
      EXPECT_NE(result.summary.termination, Termination::kConverged) << samples << "×" << features;
    }
  }
}

// Each of 300 samples is coded exactly by itself, and is in both halves of all of them.
TEST(Overcomplete, CopiesAndZerosAreNoEvidence) {
  const RowMatrix<double> few = random_gaussian(300, 12, 1);
  RowMatrix<double> x = RowMatrix<double>::Zero(4000, 12);
  for (Index i = 0; i < 3000; ++i) x.row(i) = few.row(i * 7 % 300);
  const auto [model, summary] = fit(x, overcomplete());
  EXPECT_EQ(summary.termination, Termination::kNotEstablished);
  EXPECT_EQ(summary.distinct, 301);
}

TEST(Overcomplete, CompleteDataGiveTheCompleteDictionary) {
  SyntheticOptions problem;
  problem.dimension = 20;
  problem.samples = 3000;
  problem.theta = 0.4;
  problem.condition = 3;
  const Synthetic data(problem);
  const auto [model, summary] = fit(data.samples(), overcomplete());
  EXPECT_EQ(model.atoms(), 20);
  EXPECT_EQ(model.analysis.rows(), 20);
  EXPECT_LT(compare(model, data.dictionary()).error, 1e-10);
  EXPECT_EQ(summary.dictionary, Dictionary::kComplete);
}

// A third of the features is without variance: atoms lie in the others.
TEST(Overcomplete, SamplesMayLieInASubspace) {
  const Synthetic data(small_problem(5));
  const Matrix<double> basis = test::random_orthogonal<double>(30, 1).leftCols(20);
  const RowMatrix<double> x = data.samples() * basis.transpose();
  const RowMatrix<double> truth = data.dictionary() * basis.transpose();
  const auto [model, summary] = fit(x, overcomplete());
  EXPECT_EQ(summary.rank, 20);
  EXPECT_EQ(model.atoms(), 50);
  EXPECT_LT(worst_error(truth, model), 1e-10);
}

// Samples have many codes if there are more atoms than dimensions in which the samples lie.
TEST(Overcomplete, AtomsMayBeFewerThanFeatures) {
  const Synthetic data(small_problem(5));
  const Matrix<double> basis = test::random_orthogonal<double>(60, 1).leftCols(20);
  const auto [model, summary] = fit(RowMatrix<double>(data.samples() * basis.transpose()), overcomplete());
  EXPECT_EQ(model.atoms(), 50);
  EXPECT_EQ(model.coder, "omp");
  EXPECT_EQ(model.analysis.size(), 0);
  EXPECT_EQ(summary.dictionary, Dictionary::kOvercomplete);
}

TEST(Overcomplete, NoiseIsThatOfAllSamples) {
  const Synthetic data(small_problem(1));
  RowMatrix<double> x(1800, 20);
  x << data.samples(), 0.3 * random_gaussian(300, 20, 1);
  const auto [model, summary] = fit(x, overcomplete());
  EXPECT_LT(worst_error(data.dictionary(), model), 1e-10);
  EXPECT_GT(*summary.noise, 0.03);
  EXPECT_LT(*summary.noise, summary.rms);
}

// Most codes are as long as may be.
TEST(Overcomplete, NoiseIsLessThanTheSamples) {
  SyntheticOptions problem = small_problem(1);
  problem.nonzeros = 15;
  const Summary summary = fit(Synthetic(problem).samples(), overcomplete()).summary;
  EXPECT_GT(*summary.noise, 0);
  EXPECT_LT(*summary.noise, summary.rms);
}

TEST(Overcomplete, MoreAtomsThanFeaturesImplyItAndAreTheMost) {
  const Synthetic data(small_problem(1));
  Options options;
  options.atoms = 50;
  const FitResult all = fit(data.samples(), options);
  EXPECT_EQ(all.summary.dictionary, Dictionary::kOvercomplete);
  EXPECT_LT(worst_error(data.dictionary(), all.model), 1e-10);
  options.atoms = 30;
  const auto [model, summary] = fit(data.samples(), options);
  EXPECT_LE(model.atoms(), 30);
  EXPECT_EQ(summary.usage.size(), static_cast<std::size_t>(model.atoms()));
  EXPECT_LE(*summary.theta, 1);
  double nonzeros = 0;
  for (const double usage : summary.usage) nonzeros += usage;
  EXPECT_NEAR(*summary.theta * static_cast<double>(model.atoms()), nonzeros, 1e-9);
  EXPECT_GT(*summary.noise, 0.05);  // of three atoms at a time one or two are missing
  EXPECT_LT(model.confidence.maxCoeff(), 1);
  // No more than there are samples.
  options.atoms = Index{1} << 61;
  EXPECT_LE(fit(RowMatrix<double>(random_gaussian(40, 6, 1)), options).model.atoms(), 40);
}

TEST(Overcomplete, RefusesWhatItHasNoUseFor) {
  const RowMatrix<double> x = random_gaussian(50, 6, 1);
  const auto refused = [&](const auto& change) {
    Options options = overcomplete();
    change(options);
    const auto [fault, message] = error_of([&] { (void)fit(x, options); });
    return fault == Fault::kOption ? message.substr(0, message.find(' ')) : message;
  };
  EXPECT_EQ(refused([](Options& o) { o.stretch = "l4"; }), "dictionary");
  EXPECT_EQ(refused([](Options& o) { o.method = Method::kMsp; }), "dictionary");
  EXPECT_EQ(refused([](Options& o) { o.atoms = 0.5; }), "atoms");
  EXPECT_EQ(refused([](Options& o) { o.whiten = Whitening::kZca; }), "whiten");
  EXPECT_EQ(refused([](Options& o) { o.normalize = Normalization::kSamples; }), "normalize");
  EXPECT_EQ(refused([](Options& o) { o.precision = Precision::kF32; }), "precision");
  EXPECT_EQ(refused([](Options& o) { o.init = Initialization::kIdentity; }), "init");
  EXPECT_EQ(refused([](Options& o) { o.max_iterations = 3; }), "max_iterations");
  EXPECT_EQ(refused([](Options& o) { o.tolerance = 1e-3; }), "tolerance");
  EXPECT_EQ(refused([](Options& o) { o.checkpoint = "c.npz"; }), "checkpoint");
  EXPECT_EQ(refused([](Options& o) { o.resume = "c.npz"; }), "resume");
}

TEST(Overcomplete, StopsWhenAskedTo) {
  const RowMatrix<double> x = Synthetic(small_problem(1)).samples();
  Options options = overcomplete();
  int rounds = 0;
  options.callback = [&](const Iterate& iterate) {
    EXPECT_EQ(iterate.model().dimension(), 20);
    return ++rounds == 5;
  };
  const FitResult stopped = fit(x, options);
  EXPECT_EQ(stopped.summary.termination, Termination::kStopped);
  EXPECT_EQ(rounds, 5);
  EXPECT_GT(stopped.model.atoms(), 0);
}

// Stops are seen within a round, wherever it is, and what is returned is whole.
TEST(Overcomplete, StopsAnywhere) {
  const Matrix<double> y = Synthetic(small_problem(1)).samples().transpose();
  const Vector<double> scale = Vector<double>::Constant(20, std::sqrt(20.0 / 3));
  engine::Workers workers(2);
  const auto stopped_after = [&](int most, int* polls) {
    std::atomic<int> count = 0;
    solver::overcomplete::Means means{.workers = workers};
    means.ended = [&] { return ++count > most; };
    const auto learned = solver::overcomplete::learn(y, scale, std::nullopt, means);
    *polls = count;
    return learned;
  };
  int all = 0;
  EXPECT_EQ(stopped_after(1 << 30, &all).exact_atoms(), 50);
  EXPECT_GT(all, 2000);  // several times per round, of which there are about 50
  for (int most = 0; most < all; most += 1 + most / 3) {
    int polls = 0;
    const auto learned = stopped_after(most, &polls);
    EXPECT_LT(polls, most + 300) << most;
    EXPECT_TRUE(learned.atoms.allFinite()) << most;
    ASSERT_EQ(learned.atoms.cols(), learned.usage.size()) << most;
    ASSERT_EQ(learned.atoms.cols(), static_cast<Index>(learned.exact.size())) << most;
  }
}

TEST(Overcomplete, SumsOfColumnsAndProductsWithThem) {
  const std::vector<Index> columns = {3, 0, 3, 5};
  const std::vector<double> values = {0.5, -2, 1, 1e-3};
  for (const Index rows : {1, 7, 8, 63, 64, 77}) {
    const Matrix<double> m = random_gaussian(rows, 6, 1);
    const Matrix<float> single = m.cast<float>();
    const Vector<double> expected = 1.5 * m.col(3) - 2 * m.col(0) + 1e-3 * m.col(5);
    EXPECT_LT((solver::overcomplete::sum_of_columns(m, columns, values) - expected).norm(), 1e-13);
    EXPECT_LT((solver::overcomplete::sum_of_columns(single, columns, values) - expected).norm(), 1e-5);
    std::vector<double> products(4);
    solver::overcomplete::products_with_columns(m, columns, m.col(1).data(), products);
    for (std::size_t e = 0; e < 4; ++e) EXPECT_NEAR(products[e], m.col(columns[e]).dot(m.col(1)), 1e-12) << rows;
  }
}

// An atom d_1 + c·d_0 − b·d_5 codes as exactly as d_1, with d_0 and d_5 as companions in constant ratios.
TEST(Overcomplete, TurnsShearedAtomsBack) {
  const Matrix<double> truth = random_gaussian(12, 6, 1).colwise().normalized();
  Matrix<double> sheared = truth;
  sheared.col(1) = (truth.col(1) + 0.3 * truth.col(0) - 0.2 * truth.col(5)).normalized();
  const Index p = 400;
  Matrix<double> y(12, p);
  const Matrix<double> x = random_gaussian(3, p, 2);
  solver::overcomplete::Codes codes;
  codes.squared_residual = Vector<double>::Zero(p);
  codes.blocks.resize(2);
  for (Index i = 0; i < p; ++i) {
    // Atom 1 in one half of the samples, atoms 0 and 5 by themselves in the other.
    const Index other = 2 + i % 3;
    const bool first = i % 2 == 1;
    y.col(i) = x(0, i) * truth.col(first ? 1 : 0) + x(1, i) * truth.col(other);
    if (!first) y.col(i) += x(2, i) * truth.col(5);
    const std::vector<Index> atoms = first ? std::vector<Index>{0, 1, 5, other} : std::vector<Index>{0, 5, other};
    codes.blocks[static_cast<std::size_t>(i / 256)].append(atoms, std::vector<double>(atoms.size(), 1));
  }
  engine::Workers workers(2);
  const solver::overcomplete::Means means{.workers = workers};
  solver::overcomplete::refit(y, sheared, means, &codes);
  EXPECT_LT(codes.squared_residual.maxCoeff(), 1e-20);
  const solver::overcomplete::ByAtom by_atom(codes, 6);
  const std::vector<bool> turned = solver::overcomplete::turn_back(codes, by_atom, means, &sheared);
  EXPECT_EQ(turned, (std::vector<bool>{false, true, false, false, false, false}));
  EXPECT_LT((sheared - truth).norm(), 1e-10);
}

TEST(Overcomplete, MixturesAreToldFromAtoms) {
  Matrix<double> atoms = random_gaussian(40, 32, 1).colwise().normalized();
  atoms.col(7) = (atoms.col(3) - 2 * atoms.col(30)).normalized();
  Vector<double> energy = Vector<double>::Ones(32);
  energy[7] = 0.5;
  std::vector<bool> expected(32, false);
  expected[7] = true;
  EXPECT_EQ(solver::overcomplete::mixtures(atoms, energy, 10), expected);
  // Any of the three may be the mixture: the one of least energy is.
  energy[30] = 0.1;
  expected[7] = false;
  expected[30] = true;
  EXPECT_EQ(solver::overcomplete::mixtures(atoms, energy, 10), expected);
}

TEST(Overcomplete, RegressionIsLeastSquaresOverAllSamples) {
  const Matrix<double> d = random_gaussian(8, 5, 1).colwise().normalized();
  const Matrix<double> x = test::coefficients(5, 300, 0.4, 0);
  const Matrix<double> y = d * x + 0.1 * random_gaussian(8, 300, 3);
  solver::overcomplete::Codes codes;
  codes.squared_residual = Vector<double>::Zero(300);
  codes.blocks.resize(2);
  for (Index i = 0; i < 300; ++i) {
    std::vector<Index> atoms;
    std::vector<double> values;
    for (Index j = 0; j < 5; ++j) {
      if (x(j, i) == 0) continue;
      atoms.push_back(j);
      values.push_back(x(j, i));
    }
    codes.blocks[static_cast<std::size_t>(i / 256)].append(atoms, values);
  }
  engine::Workers workers(2);
  const solver::overcomplete::Means means{.workers = workers};
  const solver::overcomplete::ByAtom by_atom(codes, 5);
  const Matrix<double> found = solver::overcomplete::regress(y, codes, by_atom, std::nullopt, d, means).atoms;
  Matrix<double> expected = (x * x.transpose()).llt().solve(x * y.transpose()).transpose();
  expected.colwise().normalize();
  EXPECT_LT((found - expected).norm(), 1e-9);
  EXPECT_GT((found - d).norm(), 1e-3);
}

}  // namespace
}  // namespace orthodict
