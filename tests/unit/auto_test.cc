// SPDX-License-Identifier: Apache-2.0
// Quick tests of the guarantees of method auto; bench/recovery.py measures all of them.
#include "support.h"

namespace orthodict {
namespace {

using test::fit_columns;

struct Problem {
  Matrix<double> y;      // samples in columns
  Matrix<double> atoms;  // in columns
};

Problem make_problem(const SyntheticOptions& options) {
  const Synthetic synthetic(options);
  return {synthetic.samples().transpose(), synthetic.dictionary().transpose()};
}

Recovery recover(const Problem& problem, FitResult* result, const Options& options = {}) {
  *result = fit_columns(problem.y, options);
  return compare(result->model, problem.atoms.transpose());
}

Matrix<double> laplace_sources(Index atoms, Index samples, std::uint64_t seed) {
  const random::Stream stream(seed, random::Purpose::kCoefficients);
  return Matrix<double>::NullaryExpr(atoms, samples, [&](Index i, Index j) {
    const double u = stream.uniform(i, j) - 0.5;
    return (u < 0 ? 1 : -1) * std::log(1 - 2 * std::abs(u));
  });
}

// theta, samples; n = 20.
class FewSamples : public testing::TestWithParam<std::pair<double, Index>> {};

TEST_P(FewSamples, AreEnoughForTheExactDictionary) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    FitResult result;
    Options options;
    options.seed = seed;
    const auto [theta, samples] = GetParam();
    const Recovery recovery =
        recover(make_problem({.dimension = 20, .samples = samples, .theta = theta, .seed = seed}), &result, options);
    EXPECT_LE(recovery.error, 1e-13) << seed;
    EXPECT_EQ(result.summary.termination, Termination::kConverged);
    EXPECT_EQ(result.summary.dictionary, Dictionary::kOrthogonal);
    EXPECT_EQ(result.summary.established, 20);
    EXPECT_EQ(result.summary.noise, 0);
    EXPECT_NEAR(*result.summary.theta, theta, 5 * std::sqrt(theta * (1 - theta) / static_cast<double>(20 * samples)));
    EXPECT_FALSE(result.summary.center);
  }
}

INSTANTIATE_TEST_SUITE_P(, FewSamples,
                         testing::Values(std::pair{0.1, 300}, std::pair{0.3, 300}, std::pair{0.5, 600},
                                         std::pair{0.7, 3000}, std::pair{0.3, 8000}));

// One pass for the moments and one to finish: atoms that are exact on a part of the samples are exact on all. Rescaling
// the rows on all samples doesn't count as a step.
TEST(Auto, LooksAtAllSamplesTwice) {
  for (const double condition : {1.0, 10.0}) {
    FitResult result;
    const Problem problem = make_problem({.dimension = 30, .samples = 12000, .condition = condition, .seed = 4});
    EXPECT_LE(recover(problem, &result).error, 1e-13);
    EXPECT_EQ(result.summary.passes, 2);
    EXPECT_LE(*result.summary.history.back().step, 1e-9);
  }
}

TEST(Auto, ReachesTheCramerRaoBoundUnderNoise) {
  FitResult result;
  const Recovery recovery = recover(make_problem({.dimension = 20, .samples = 8000, .noise = 0.2, .seed = 2}), &result);
  // Twice the expected 1 − cos², summed over the atoms, is the error to expect.
  const double expected = 2 * (1 - result.model.confidence.mean());
  EXPECT_GT(recovery.error, 0.3 * expected);
  EXPECT_LT(recovery.error, 1.5 * expected);
  EXPECT_LT(expected, 2e-3);
  EXPECT_NEAR(*result.summary.noise, 0.2, 0.01);
  EXPECT_NEAR(*result.summary.theta, 0.3, 0.02);
}

// "Converged" refers to the last step, not to an earlier small one.
TEST(Auto, UnderNoiseEndsWhenStepsAreBelowTheTolerance) {
  const Matrix<double> y = test::sparse_samples(8, 3000, 3) + 0.1 * test::random_gaussian(8, 3000, 4);
  const FitResult result = fit_columns(y, {});
  ASSERT_EQ(result.summary.termination, Termination::kConverged);
  EXPECT_GT(*result.summary.noise, 0);
  EXPECT_LE(*result.summary.history.back().step, result.summary.tolerance);
}

TEST(Auto, IsExactDespiteOutliers) {
  FitResult result;
  EXPECT_LE(recover(make_problem({.dimension = 20, .samples = 8000, .outliers = 0.2, .seed = 3}), &result).error,
            1e-10);
}

// With noise that isn't Gaussian and coefficients that aren't a mixture of two, auto is still better than a single
// stretch.
TEST(Auto, IsBetterThanItsPeersOnCorruptedAndOnLaplaceData) {
  const auto error_of = [](const Problem& problem, const std::string& stretch) {
    FitResult result;
    Options options;
    if (!stretch.empty()) options.stretch = stretch;
    return recover(problem, &result, options).error;
  };
  const Problem corrupted = make_problem({.dimension = 20, .samples = 8000, .corruption = 0.2, .seed = 3});
  EXPECT_LT(error_of(corrupted, ""), 0.7 * error_of(corrupted, "l4"));

  const Matrix<double> x = laplace_sources(20, 4000, 6);
  const Matrix<double> atoms = test::random_orthogonal<double>(20, 7);
  const Problem laplace = {atoms * x, atoms};
  EXPECT_LT(error_of(laplace, ""), error_of(laplace, "logcosh"));  // which is symmetric FastICA
}

TEST(Auto, IsExactForADictionaryOfAnyCondition) {
  for (const double condition : {3.0, 1000.0}) {
    FitResult result;
    const Recovery recovery =
        recover(make_problem({.dimension = 20, .samples = 2000, .condition = condition, .seed = 5}), &result);
    EXPECT_LE(1 - recovery.worst_cosine, 1e-12) << condition;
    EXPECT_EQ(result.summary.dictionary, Dictionary::kComplete);
    EXPECT_EQ(result.summary.established, 20);
    const Matrix<double> product = result.model.analysis * result.model.dictionary.transpose();
    EXPECT_LE((product - test::identity(20)).norm(), 1e-10 * condition);
  }
}

// Too few samples for the covariance to decide: an orthogonal dictionary isn't established, so a complete one is tried.
TEST(Auto, TriesACompleteDictionaryBeforeItGivesUp) {
  const Matrix<double> atoms = test::identity(5) + 0.15 * test::random_orthogonal<double>(5, 1);
  const Matrix<double> x = test::coefficients(5, 120, 0.3, 0, 3);
  FitResult result;
  EXPECT_LE(1 - recover({atoms * x, atoms}, &result).worst_cosine, 0.01);
  EXPECT_EQ(result.summary.dictionary, Dictionary::kComplete);
  EXPECT_EQ(result.summary.termination, Termination::kConverged);
  for (std::size_t i = 0; i < result.summary.history.size(); ++i) {
    EXPECT_EQ(result.summary.history[i].iteration, static_cast<int>(i));
  }
}

// The mean of positive coefficients isn't at their zeros, whatever the number of atoms.
TEST(Auto, FindsPositiveCoefficients) {
  const Matrix<double> atoms = test::random_orthogonal<double>(30, 3);
  const Matrix<double> x = test::coefficients(30, 3000, 0.3, 0, 2).cwiseAbs();
  FitResult result;
  EXPECT_LE(recover({atoms * x, atoms}, &result).error, 1e-12);
  EXPECT_LE(result.model.mean.norm(), 1e-7);
}

TEST(Auto, UnitsOfFeaturesDoNotMatter) {
  const Problem problem = make_problem({.dimension = 20, .samples = 2000, .condition = 10, .seed = 6});
  Vector<double> factors(20);
  const random::Stream stream(1, random::Purpose::kNoise);
  for (Index i = 0; i < 20; ++i) factors[i] = std::pow(10.0, 12 * stream.uniform(0, i) - 6);
  const Matrix<double> scaled = factors.asDiagonal() * problem.y;
  const FitResult result = fit_columns(scaled, {});
  RowMatrix<double> atoms = result.model.dictionary * factors.cwiseInverse().asDiagonal();
  atoms.rowwise().normalize();
  Model unscaled;
  unscaled.dictionary = unscaled.analysis = atoms;
  unscaled.mean = Vector<double>::Zero(20);
  EXPECT_LE(1 - compare(unscaled, problem.atoms.transpose()).worst_cosine, 1e-12);
}

// The mean of skewed coefficients isn't at their zeros.
TEST(Auto, FindsTheOffsetOfTheZeros) {
  for (const bool skewed : {false, true}) {
    const Matrix<double> signed_x = test::coefficients(15, 4000, 0.3, 0, 2);
    const Matrix<double> x = skewed ? Matrix<double>(signed_x.cwiseAbs()) : signed_x;
    const Matrix<double> atoms = test::random_orthogonal<double>(15, 3);
    const Vector<double> offset = Vector<double>::LinSpaced(15, -4, 9);
    // A mixture that isn't orthogonal, too: regressions with an intercept.
    const Matrix<double> mixed = atoms + 0.3 * test::random_orthogonal<double>(15, 4);
    for (const Matrix<double>& d : {atoms, mixed}) {
      FitResult result;
      const Recovery recovery = recover({(d * x).colwise() + offset, d}, &result);
      EXPECT_LE(recovery.error, 1e-12) << skewed;
      EXPECT_TRUE(result.summary.center);
      EXPECT_LE((result.model.mean - offset).norm(), 1e-7) << skewed;
    }
  }
}

// In units of the samples' covariance a location is within √3d of the mean of the part it was found on; a part of four
// fifths has at most 5/4 of their covariance, and its mean is at most √(d/4) from theirs: √d·(√(15/4) + ½) in all.
TEST(Auto, TheOffsetStaysWhereTheSamplesAre) {
  constexpr Index kFeatures = 16;
  Options options;
  options.dictionary = Dictionary::kComplete;
  options.center = true;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Matrix<double> y = make_problem({.dimension = kFeatures, .samples = kFeatures + 2, .seed = seed}).y;
    y.array() += 5;
    options.seed = seed;
    const FitResult result = fit_columns(y, options);
    EXPECT_EQ(result.summary.termination, Termination::kNotEstablished);
    const Vector<double> mean = y.rowwise().mean();
    const Matrix<double> centred = y.colwise() - mean;
    const Matrix<double> covariance = centred * centred.transpose() / static_cast<double>(y.cols());
    const Vector<double> offset = result.model.mean - mean;
    EXPECT_LE(offset.dot(covariance.ldlt().solve(offset)), kFeatures * std::pow(std::sqrt(3.75) + 0.5, 2)) << seed;
  }
}

TEST(Auto, SaysWhenThereIsNothingToFind) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const FitResult result = fit_columns(test::random_gaussian(20, 2000, seed), {});
    EXPECT_EQ(result.summary.termination, Termination::kNotEstablished) << seed;
    EXPECT_EQ(result.summary.established, 0);
    EXPECT_FALSE(result.summary.theta);
  }
}

// Uniform sources, which are less sparse than Gaussian ones, are found too. theta and noise aren't tested, because no
// values describe uniform coefficients.
TEST(Auto, FindsSourcesThatAreNotSparse) {
  const random::Stream stream(4, random::Purpose::kCoefficients);
  const Matrix<double> uniform =
      Matrix<double>::NullaryExpr(10, 4000, [&](Index i, Index j) { return 2 * stream.uniform(i, j) - 1; });
  const Matrix<double> atoms = test::random_orthogonal<double>(10, 5);
  FitResult result;
  EXPECT_GT(recover({atoms * uniform, atoms}, &result).worst_cosine, 0.98);
  EXPECT_EQ(result.summary.established, 10);
  EXPECT_EQ(result.summary.termination, Termination::kConverged);
}

TEST(Auto, SaysWhichAtomsAreEstablished) {
  const Index n = 20, sparse = 12;
  Matrix<double> x = test::random_gaussian(n, 8000, 1);
  x.topRows(sparse) = test::coefficients(sparse, 8000, 0.2, 0.1, 4);
  const Matrix<double> atoms = test::random_orthogonal<double>(n, 6);
  FitResult result;
  const Recovery recovery = recover({atoms * x, atoms}, &result);
  EXPECT_EQ(result.summary.established, sparse);
  EXPECT_EQ(result.summary.termination, Termination::kConverged);
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(result.model.confidence[i] >= 0.5, recovery.matches[at] < sparse) << i;
    if (recovery.matches[at] < sparse) {
      EXPECT_GT(recovery.cosines[at], 0.99) << i;
    }
  }
}

TEST(Auto, KeepsAsManyAtomsAsAsked) {
  Options options;
  options.atoms = 7;
  options.callback = [](const Iterate& iterate) {
    EXPECT_EQ(iterate.model().atoms(), 7);
    return false;
  };
  for (const Whitening whiten : {Whitening::kNone, Whitening::kZca, Whitening::kPca}) {
    options.whiten = whiten;
    const FitResult result = fit_columns(test::sparse_samples(15, 3000), options);
    EXPECT_EQ(result.model.atoms(), 7);
    EXPECT_EQ(result.model.confidence.size(), 7);
    EXPECT_EQ(result.summary.atoms, 7);
  }
  options.whiten.reset();
  EXPECT_EQ(fit_columns(test::sparse_samples(15, 3000), options).summary.dictionary, Dictionary::kOrthogonal);
  EXPECT_EQ(fit_columns(test::sparse_samples(15, 3000, 1, 3), options).summary.dictionary, Dictionary::kComplete);

  // `noise` is that of all coefficients, not of the strongest ones.
  options.whiten = Whitening::kNone;
  const Problem noisy = make_problem({.dimension = 15, .samples = 6000, .noise = 0.1, .seed = 2});
  const Vector<double> strengths = Vector<double>::LinSpaced(15, 0.7, 1.3);
  const Matrix<double> signal = strengths.asDiagonal() * test::coefficients(15, 6000, 0.3, 0, 2) * std::sqrt(0.3);
  const Matrix<double> y = noisy.atoms * signal + 0.1 * test::random_gaussian(15, 6000, 3);
  EXPECT_NEAR(*fit_columns(y, options).summary.noise, 0.1, 0.01);
}

TEST(Auto, LearnsInTheRangeOfRankDeficientData) {
  const Problem problem = make_problem({.dimension = 8, .samples = 3000, .seed = 7});
  const Matrix<double> basis = test::random_orthogonal<double>(12, 1).leftCols(8);
  const Matrix<double> atoms = basis * problem.atoms;
  Options options;
  options.dictionary = Dictionary::kOrthogonal;
  const FitResult whole = fit_columns(basis * problem.y, options);
  EXPECT_EQ(whole.summary.rank, 8);
  EXPECT_EQ(whole.model.atoms(), 12);
  EXPECT_EQ(whole.summary.established, 8);
  EXPECT_LE((whole.model.dictionary * whole.model.dictionary.transpose() - test::identity(12)).norm(), 1e-12);
  FitResult complete;
  EXPECT_LE(1 - recover({basis * problem.y, atoms}, &complete).worst_cosine, 1e-12);
  EXPECT_EQ(complete.model.atoms(), 8);
}

// Units are those of the actual coefficients, not of all features.
TEST(Auto, MeasuresNoiseInTheRangeOfTheData) {
  const Problem problem = make_problem({.dimension = 8, .samples = 6000, .noise = 0.1, .seed = 7});
  const Matrix<double> basis = test::random_orthogonal<double>(60, 1).leftCols(8);
  Options options;
  options.dictionary = Dictionary::kOrthogonal;
  const FitResult result = fit_columns(basis * problem.y, options);
  EXPECT_EQ(result.summary.established, 8);
  EXPECT_NEAR(*result.summary.noise, 0.1, 0.01);
}

// A direction that is orthogonal to a few samples has many zeros if these are repeated often.
TEST(Auto, RepeatedSamplesAreNoStructure) {
  Matrix<double> y = test::random_gaussian(10, 4000, 3);
  for (Index j = 0; j < 400; ++j) y.col(10 * j) *= 0;  // with both signs of zero
  EXPECT_EQ(fit_columns(y, {}).summary.termination, Termination::kNotEstablished);
}

// Copies of held-out samples aren't used for learning, and don't give zeros that a mixture would take for sparsity.
TEST(Auto, CopiesInRandomOrderAreNotTakenForSparsity) {
  constexpr Index kDistinct = 2000, kTimes = 5;
  const Matrix<double> atoms = test::random_gaussian(8, 8, 2);
  const Matrix<double> once = atoms * laplace_sources(8, kDistinct, 5);
  const random::Permutation order(kTimes * kDistinct, random::Stream(3, random::Purpose::kSubsample));
  const Matrix<double> y =
      Matrix<double>::NullaryExpr(8, kTimes * kDistinct, [&](Index i, Index j) { return once(i, order[j] / kTimes); });
  const FitResult result = fit_columns(y, {});
  EXPECT_EQ(result.summary.established, 8);
  EXPECT_GT(*result.summary.noise, 0.01);
  EXPECT_GT(compare(result.model, atoms.transpose().rowwise().normalized()).worst_cosine, 0.98);
}

// Samples in which no source is active are zero for any atoms.
TEST(Auto, SamplesOfZerosAreNotTakenForSparsity) {
  const Matrix<double> atoms = test::random_gaussian(8, 8, 2);
  Matrix<double> y = atoms * laplace_sources(8, 10000, 5);
  for (Index j = 0; j < y.cols(); j += 2) y.col(j).setZero();
  const FitResult result = fit_columns(y, {});
  EXPECT_EQ(result.summary.established, 8);
  EXPECT_GT(*result.summary.noise, 0.01);
}

// The mixture's atoms lean towards directions with little noise.
TEST(Auto, IsNoWorseThanLogCoshOnAMixtureUnderNoise) {
  double own = 0, other = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Matrix<double> atoms = test::random_gaussian(16, 16, seed).colwise().normalized();
    const Matrix<double> y =
        atoms * test::coefficients(16, 10000, 0.2, 0, seed) + 0.1 * test::random_gaussian(16, 10000, seed + 50);
    FitResult result;
    Options fastica;
    fastica.stretch = "logcosh";
    fastica.remove_bias = true;
    fastica.whiten = Whitening::kZca;
    fastica.max_iterations = 1000;
    own += recover({y, atoms}, &result).error;
    other += recover({y, atoms}, &result, fastica).error;
  }
  EXPECT_LT(own, 1.1 * other);
}

TEST(Auto, StartsWhereItIsTold) {
  Options options;
  options.init = Initialization::kGiven;
  options.initial_dictionary = test::random_orthogonal<double>(12, 9);
  options.max_iterations = 0;
  const FitResult result = fit_columns(test::sparse_samples(12, 3000), options);
  EXPECT_EQ(result.summary.iterations, 0);
  EXPECT_EQ(result.summary.history.size(), 1U);
  EXPECT_LE(1 - compare(result.model, options.initial_dictionary).worst_cosine, 1e-12);
}

// Random atoms, orthogonal to the given ones, complete the start. The given ones carry most energy here, so they are
// kept.
TEST(Auto, StartsFromFewerAtomsThanThereAre) {
  const Matrix<double> truth = test::random_orthogonal<double>(8, 5);
  const Vector<double> scale = Vector<double>::LinSpaced(8, 5, 1);
  const Matrix<double> y = truth * scale.asDiagonal() * test::coefficients(8, 2000, 0.3, 0);
  Options options;
  options.dictionary = Dictionary::kOrthogonal;
  options.atoms = 2;
  options.init = Initialization::kGiven;
  options.initial_dictionary = truth.leftCols(2).transpose();
  options.max_iterations = 0;
  const FitResult result = fit_columns(y, options);
  EXPECT_EQ(result.summary.termination, Termination::kMaxIterations);
  EXPECT_LE(test::distance_to_signed_permutation(result.model.dictionary * truth.leftCols(2)), 1e-12);
}

TEST(Auto, RefusesWhatSinglePrecisionCannotHold) {
  Options options;
  options.precision = Precision::kF32;
  const auto [fault, message] =
      test::error_of([&] { (void)fit_columns(1e30 * test::sparse_samples(10, 2000), options); });
  EXPECT_EQ(fault, Fault::kOption);
  EXPECT_EQ(message.rfind("precision = f32", 0), 0U) << message;
}

TEST(Auto, EndsWellOnDegenerateData) {
  for (const auto& [n, p] : {std::pair<Index, Index>{1, 50}, {2, 3}, {5, 4}, {12, 13}, {30, 31}}) {
    const FitResult result = fit_columns(test::sparse_samples(n, p), {});
    EXPECT_TRUE(result.model.dictionary.allFinite()) << n << " " << p;
    EXPECT_GE(result.model.atoms(), 1);
  }
  Matrix<double> twice = test::sparse_samples(6, 500);
  twice.row(1) = twice.row(0);
  twice.row(2).setConstant(3);
  EXPECT_EQ(fit_columns(twice, {}).summary.rank, 4);
  EXPECT_EQ(test::error_of([] { (void)fit_columns(Matrix<double>::Constant(4, 50, 2.5), Options{}); }).first,
            Fault::kData);
}

TEST(Auto, HasTheSameBitsForAnyNumberOfThreads) {
  for (const double condition : {1.0, 20.0}) {
    const Matrix<double> y =
        make_problem({.dimension = 25, .samples = 5000, .condition = condition, .noise = 0.05, .seed = 8}).y;
    std::optional<Model> first;
    for (const int threads : {1, 2, 3, 8}) {
      Options options;
      options.threads = threads;
      const Model model = fit_columns(y, options).model;
      if (!first) first = model;
      EXPECT_EQ(model.dictionary, first->dictionary) << threads;
      EXPECT_EQ(model.confidence, first->confidence) << threads;
    }
  }
}

TEST(Auto, KeepsToItsLimits) {
  const Matrix<double> y = test::sparse_samples(20, 2000);
  Options options;
  options.max_iterations = 4;
  const FitResult cut = fit_columns(y, options);
  EXPECT_EQ(cut.summary.termination, Termination::kMaxIterations);
  EXPECT_EQ(cut.summary.iterations, 4);
  EXPECT_EQ(cut.summary.history.size(), 5U);
  EXPECT_EQ(cut.summary.established, 0);
  EXPECT_LE((cut.model.dictionary * cut.model.dictionary.transpose() - test::identity(20)).norm(), 1e-12);

  options.max_iterations.reset();
  options.callback = [](const Iterate& iterate) { return iterate.record().stage == Stage::kRefine; };
  EXPECT_EQ(fit_columns(y, options).summary.termination, Termination::kStopped);
}

TEST(Auto, StagesComeInOrder) {
  Options options;
  std::vector<Stage> stages;
  options.callback = [&](const Iterate& iterate) {
    if (stages.empty() || stages.back() != iterate.record().stage) stages.push_back(iterate.record().stage);
    EXPECT_EQ(iterate.model().atoms(), 20);
    return false;
  };
  (void)fit_columns(test::sparse_samples(20, 2000), options);
  EXPECT_EQ(stages, (std::vector<Stage>{Stage::kExplore, Stage::kRefine, Stage::kFinish}));
}

TEST(Auto, RefusesWhatBelongsToMsp) {
  const std::vector<std::pair<std::string, std::function<void(Options&)>>> cases = {
      {"remove_bias", [](Options& o) { o.remove_bias = true; }},
      {"theta", [](Options& o) { o.theta = 0.3; }},
      {"bias_fraction", [](Options& o) { o.bias_fraction = 0.5; }},
      {"step", [](Options& o) { o.step = 1; }},
      {"whiten", [](Options& o) { o.dictionary = Dictionary::kOrthogonal, o.whiten = Whitening::kZca; }},
      {"whiten", [](Options& o) { o.dictionary = Dictionary::kComplete, o.whiten = Whitening::kNone; }},
  };
  for (const auto& [name, set] : cases) {
    Options options;
    set(options);
    const auto [fault, message] = test::error_of([&] { options.validate(); });
    EXPECT_EQ(fault, Fault::kOption);
    EXPECT_EQ(message.rfind(name + " = ", 0), 0U) << message;
  }
}

}  // namespace
}  // namespace orthodict
