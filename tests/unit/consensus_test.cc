// SPDX-License-Identifier: Apache-2.0
// Fits of several runs.
#include <optional>

#include "support.h"
#include "thread_ranks.h"

namespace orthodict {
namespace {

using test::fit_columns;

constexpr Index kSources = 12, kGaussian = 8, kAll = kSources + kGaussian;

// Laplace-distributed sources, and then Gaussian ones, mixed.
Matrix<double> half_gaussian(Index samples, std::uint64_t seed) {
  const random::Stream stream(seed, random::Purpose::kCoefficients);
  Matrix<double> z = test::random_gaussian(kAll, samples, seed);
  for (Index i = 0; i < kSources; ++i) {
    for (Index j = 0; j < samples; ++j) {
      const double u = stream.uniform(i, j) - 0.5;
      z(i, j) = (u < 0 ? 1 : -1) * std::log(1 - 2 * std::abs(u)) / std::sqrt(2.0);
    }
  }
  return z;
}
Matrix<double> mixing(std::uint64_t seed) {
  const Matrix<double> left = test::random_orthogonal<double>(kAll, 2 * seed + 1);
  const Matrix<double> right = test::random_orthogonal<double>(kAll, 2 * seed + 2);
  return left * Vector<double>::LinSpaced(kAll, 0.5, 2).asDiagonal() * right;
}

Options several(int runs) {
  Options options;
  options.runs = runs;
  return options;
}

void expect_equal(const Model& one, const Model& other) { EXPECT_EQ(model_to_bytes(one), model_to_bytes(other)); }

TEST(Consensus, FindsTheSourcesStableAndGaussianDirectionsNot) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Matrix<double> d = mixing(seed);
    Options options = several(6);
    options.seed = seed;
    const FitResult result = fit_columns(d * half_gaussian(6000, seed), options);
    const Recovery recovery = compare(result.model, d.transpose());
    const std::vector<bool> stable = stable_atoms(result.model);
    for (std::size_t i = 0; i < stable.size(); ++i) {
      EXPECT_EQ(stable[i], recovery.matches[i] < kSources) << seed << " " << i;
      EXPECT_TRUE(!stable[i] || recovery.cosines[i] > 0.97) << seed << " " << i;
    }
    EXPECT_EQ(result.summary.stable, kSources);
    EXPECT_EQ(result.summary.runs, 6);
    EXPECT_EQ(result.summary.resampled_runs, 6);
    EXPECT_NE(result.summary.message.find("12 atoms stable over 6 runs on all samples and 6 on halves"),
              std::string::npos);
    EXPECT_EQ(result.model.confidence.size(), kAll);
  }
}

// Two Gaussian sources among twelve others: of random bases of a plane vectors are near each other. One in some thirty
// such planes passes for stable.
TEST(Consensus, DoesNotTakeAPlaneOfGaussianSourcesForStableAtoms) {
  constexpr Index kBeside = 2, kMost = kSources + kBeside;
  int without = 0;
  for (std::uint64_t seed = 11; seed <= 16; ++seed) {
    const Matrix<double> z = half_gaussian(6000, seed).topRows(kMost);
    const Matrix<double> d = test::random_gaussian(kMost, kMost, seed);
    Options options = several(8);
    options.seed = seed;
    const FitResult result = fit_columns(d * z, options);
    const Matrix<double> sources = (result.model.analysis * d).cwiseAbs();
    const std::vector<bool> stable = stable_atoms(result.model);
    bool is_right = true;
    for (Index i = 0; i < kMost; ++i) {
      Index source = 0;
      sources.row(i).maxCoeff(&source);
      const bool is_stable = stable[static_cast<std::size_t>(i)];
      EXPECT_TRUE(is_stable || source >= kSources) << seed << " " << i;
      is_right &= is_stable == (source < kSources);
    }
    without += is_right ? 1 : 0;
  }
  EXPECT_GE(without, 5);
}

// One row that is ten times as large as the others marks the whitening of all samples, also for the halves without it.
TEST(Consensus, DoesNotTakeOneBadSampleForAStableAtom) {
  for (const char* stretch : {"", "l3"}) {
    int without = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Matrix<double> y = test::random_gaussian(20, 100, seed);
      y.col(40) *= 10;
      Options options = several(8);
      options.seed = seed;
      if (*stretch) options.stretch = stretch;
      if (*stretch) options.dictionary = Dictionary::kComplete;
      without += fit_columns(y, options).summary.stable == 0 ? 1 : 0;
    }
    EXPECT_GE(without, 3) << stretch;
  }
}

// Bootstrap samples have the row in six of ten cases, and the others are compared where it isn't.
TEST(Consensus, SeldomTakesABadSampleOfTheBootstrapForAStableAtom) {
  constexpr std::uint64_t kSeeds = 10;
  int without = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Matrix<double> y = mixing(seed) * test::random_gaussian(kAll, 100, seed);
    y.col(40) *= 12;
    Options options = several(10);
    options.seed = seed;
    options.resample = Resampling::kBootstrap;
    without += fit_columns(y, options).summary.stable == 0 ? 1 : 0;
  }
  EXPECT_GE(without, 9);
}

TEST(Consensus, OfASingleAtomSaysNothing) {
  for (const std::uint64_t seed : {1, 2}) {
    Options options = several(4);
    options.atoms = Atoms(1);
    options.dictionary = Dictionary::kComplete;
    options.seed = seed;
    const FitResult result = fit_columns(mixing(seed) * half_gaussian(2000, seed), options);
    EXPECT_EQ(result.model.atoms(), 1);
    EXPECT_EQ(result.summary.stable, 0);
    EXPECT_EQ(result.model.stability[0], 0);
  }
}

TEST(Consensus, LearnsFromBootstrapSamples) {
  const Matrix<double> y = mixing(3) * half_gaussian(4000, 3);
  for (const char* stretch : {"", "l3"}) {
    Options options = several(4);
    options.resample = Resampling::kBootstrap;
    if (*stretch) options.stretch = stretch;
    if (*stretch) options.dictionary = Dictionary::kComplete;
    const FitResult result = fit_columns(y, options);
    EXPECT_GE(result.summary.stable, kSources) << stretch;
    EXPECT_EQ(result.summary.resampled_runs, 4);
    EXPECT_NE(result.summary.message.find("4 on bootstrap samples"), std::string::npos) << result.summary.message;
    options.resample = Resampling::kHalves;
    const FitResult on_halves = fit_columns(y, options);
    EXPECT_NE(result.model.resampled_stability, on_halves.model.resampled_stability) << stretch;
    EXPECT_EQ(result.model.stability, on_halves.model.stability) << stretch;
  }
}

TEST(Consensus, DropsWhatIsNotStableIfAsked) {
  const Matrix<double> y = mixing(1) * half_gaussian(6000, 1);
  Options options = several(6);
  const FitResult all = fit_columns(y, options);
  options.stable_only = true;
  const FitResult some = fit_columns(y, options);
  EXPECT_EQ(some.model.atoms(), kSources);
  EXPECT_EQ(some.model.stability.size(), kSources);
  EXPECT_EQ(some.summary.atoms, kSources);
  const std::vector<bool> stable = stable_atoms(all.model);
  for (Index i = 0, j = 0; i < kAll; ++i) {
    if (!stable[static_cast<std::size_t>(i)]) continue;
    EXPECT_EQ(some.model.analysis.row(j), all.model.analysis.row(i));
    EXPECT_EQ(some.model.stability[j], all.model.stability[i]);
    ++j;
  }
}

TEST(Consensus, KeepsAllAtomsWhereNoneIsStable) {
  Options options = several(3);
  options.stable_only = true;
  const FitResult result = fit_columns(test::random_gaussian(10, 800, 4), options);
  EXPECT_EQ(result.summary.stable, 0);
  EXPECT_EQ(result.model.atoms(), 10);
  ASSERT_FALSE(result.summary.warnings.empty());
  EXPECT_NE(result.summary.warnings.back().find("no atom is stable"), std::string::npos);
}

TEST(Consensus, LeavesExactAtomsExact) {
  SyntheticOptions how{.dimension = 20, .samples = 3000, .seed = 3};
  for (const double condition : {1.0, 10.0}) {
    how.condition = condition;
    const Synthetic synthetic(how);
    const FitResult result = fit(synthetic.samples(), several(4));
    EXPECT_LE(compare(result.model, synthetic.dictionary()).error, 1e-13);
    EXPECT_EQ(result.summary.stable, 20);
    EXPECT_GT(result.model.stability.minCoeff(), 0.9);
    EXPECT_EQ(result.model.found, Vector<double>::Ones(20));
  }
}

TEST(Consensus, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> y = mixing(2) * half_gaussian(3000, 2);
  for (const char* stretch : {"", "logcosh"}) {
    Options options = several(4);
    if (*stretch) options.stretch = stretch;
    if (*stretch) options.dictionary = Dictionary::kComplete;
    std::optional<Model> first;
    for (const int threads : {1, 2, 3, 8}) {
      options.threads = threads;
      const Model model = fit_columns(y, options).model;
      if (!first) first = model;
      expect_equal(model, *first);
    }
  }
}

TEST(Consensus, HasTheSameBitsForAnyNumberOfRanks) {
  const Matrix<double> y = mixing(2) * half_gaussian(1500, 2);
  Options options = several(3);
  options.threads = 2;
  const Model alone = fit_columns(y, options).model;
  const auto results = test::on_ranks(3, [&](const std::shared_ptr<Ranks>& ranks) {
    Options with_ranks = options;
    with_ranks.ranks = ranks;
    return fit_columns(y, with_ranks).model;
  });
  for (const auto& own : results) {
    ASSERT_EQ(own.error, "");
    expect_equal(*own.result, alone);
  }
}

// Each rank has samples of its own: msp can't choose from them, and says so before it learns.
TEST(Consensus, OfMspNeedsNoChoicesWhereEachRankHasItsOwnSamples) {
  const Matrix<double> y = mixing(2) * half_gaussian(1500, 2);
  Options options = several(3);
  options.stretch = "l3";
  const auto on_own = [&] {
    return test::on_ranks(3, [&](const std::shared_ptr<Ranks>& ranks) {
      const Matrix<double> part = y.middleCols(500 * ranks->rank(), 500);
      const auto own = samples_in_columns(part);
      Options with_ranks = options;
      with_ranks.ranks = ranks;
      return fit(*samples_of_ranks(*own, *ranks), with_ranks).model;
    });
  };
  int iterations = 0;
  options.callback = [&](const Iterate& /*iterate*/) { return ++iterations, false; };
  for (const auto& own : on_own())
    EXPECT_NE(own.error.find("runs = 3: must be 1, or with resample none"), std::string::npos);
  EXPECT_EQ(iterations, 0);
  options.callback = {};
  options.resample = Resampling::kNone;
  const Model alone = fit_columns(y, options).model;
  for (const auto& own : on_own()) {
    ASSERT_EQ(own.error, "");
    expect_equal(*own.result, alone);
  }
}

// A of a square dictionary has as many columns as the rank of the samples, and rows of any length.
TEST(Consensus, OfRunsThatAgreeIsTheirDictionary) {
  const Matrix<double> y = test::random_orthogonal<double>(8, 3).leftCols(4) * test::coefficients(4, 2000, 0.2, 0);
  for (const char* stretch : {"l4", "l3"}) {
    Options options = several(1);
    options.stretch = stretch;
    options.precision = Precision::kF64;
    const FitResult one = fit_columns(y, options);
    options.runs = 5;
    const FitResult result = fit_columns(y, options);
    EXPECT_NEAR(result.summary.objective / one.summary.objective, 1, 1e-6) << stretch;
    const Matrix<double> dictionary = result.model.dictionary;
    EXPECT_LE((dictionary * dictionary.transpose() - test::identity(8)).norm(), 1e-12) << stretch;
  }
}

// The centres of runs that don't agree.
TEST(Consensus, OfMspHasTheObjectiveOfItsCentres) {
  const Matrix<double> y = test::random_gaussian(10, 400, 4);
  Options options = several(4);
  options.precision = Precision::kF64;
  options.stretch = "power:4";
  for (const Dictionary dictionary : {Dictionary::kOrthogonal, Dictionary::kComplete}) {
    options.dictionary = dictionary;
    const FitResult result = fit_columns(y, options);
    Matrix<double> codes = result.model.analysis * y;
    if (dictionary == Dictionary::kComplete) codes = codes.rowwise().normalized() * std::sqrt(400.0);  // whitened
    const double objective = codes.array().pow(4).sum() * make_stretch("power:4")->value(1);
    EXPECT_NEAR(result.summary.objective / objective, 1, 1e-9);
    EXPECT_EQ(result.summary.history.back().objective, result.summary.objective);
  }
}

TEST(Consensus, WorksWithEveryStretch) {
  const Matrix<double> y = test::sparse_samples(10, 2000);
  for (const char* stretch : {"l4", "l3", "power:5", "soft:1", "hard:1", "logcosh", "mixture:0.3,0.3,1.5"}) {
    Options options = several(3);
    options.stretch = stretch;
    const FitResult one = fit_columns(y, [&] {
      Options single = options;
      single.runs = 1;
      return single;
    }());
    const FitResult result = fit_columns(y, options);
    EXPECT_EQ(result.summary.stable, 10) << stretch;
    EXPECT_EQ(result.model.confidence.size(), 0);
    const Matrix<double> dictionary = result.model.dictionary;
    EXPECT_LE((dictionary * dictionary.transpose() - test::identity(10)).norm(), 1e-12) << stretch;
    EXPECT_LE(test::distance_to_signed_permutation(dictionary * one.model.dictionary.transpose()), 0.02) << stretch;
  }
}

TEST(Consensus, LearnsFromTheSpanOfFewSamples) {
  const Matrix<double> y = test::random_gaussian(60, 15, 2) * test::coefficients(15, 40, 0.2, 0);
  Options options = several(3);
  options.atoms = Atoms(8);
  const FitResult result = fit_columns(y, options);
  EXPECT_EQ(result.model.atoms(), 8);
  EXPECT_EQ(result.model.dimension(), 60);
  EXPECT_EQ(result.model.resampled_stability.size(), 8);
}

TEST(Consensus, WithoutHalvesHasNoneOfTheirs) {
  Options options = several(3);
  options.resample = Resampling::kNone;
  const FitResult result = fit_columns(mixing(1) * half_gaussian(3000, 1), options);
  EXPECT_EQ(result.summary.resampled_runs, 0);
  EXPECT_EQ(result.model.resampled_stability.size(), 0);
  EXPECT_EQ(result.model.stability.size(), kAll);
}

TEST(Consensus, OfOneRunIsAPlainFit) {
  const Matrix<double> y = test::sparse_samples(8, 500);
  const FitResult result = fit_columns(y, several(1));
  EXPECT_EQ(result.model.stability.size(), 0);
  EXPECT_TRUE(stable_atoms(result.model).empty());
  EXPECT_EQ(result.summary.runs, 1);
  expect_equal(result.model, fit_columns(y, {}).model);
}

TEST(Consensus, IsLeftOutWhereAFitEndsEarly) {
  const Matrix<double> y = mixing(1) * half_gaussian(3000, 1);
  Options options = several(5);
  std::stop_source stop;
  options.stop = stop.get_token();
  options.stable_only = true;
  options.callback = [&](const Iterate& iterate) {
    if (iterate.record().stage == Stage::kRefine) stop.request_stop();
    return false;
  };
  const FitResult result = fit_columns(y, options);
  EXPECT_EQ(result.summary.termination, Termination::kStopped);
  EXPECT_EQ(result.summary.runs, 1);
  EXPECT_EQ(result.model.stability.size(), 0);
  EXPECT_EQ(result.model.atoms(), kAll);
  EXPECT_NE(result.summary.message.find("no consensus"), std::string::npos) << result.summary.message;
  ASSERT_FALSE(result.summary.warnings.empty());
  EXPECT_NE(result.summary.warnings.back().find("the model has all of them"), std::string::npos);
}

TEST(Consensus, RefusesWhatItCantDo) {
  const Matrix<double> y = test::sparse_samples(8, 500);
  const auto message_of = [&](const std::function<void(Options&)>& change) {
    Options options = several(3);
    change(options);
    return test::error_of([&] { (void)fit_columns(y, options); }).second;
  };
  EXPECT_EQ(message_of([](Options& o) { o.runs = 0; }).rfind("runs = 0: must be an integer from 1", 0), 0U);
  const auto alone = message_of([](Options& o) { o.runs = 1, o.resample = Resampling::kBootstrap; });
  EXPECT_EQ(alone.rfind("resample = bootstrap: must be left out", 0), 0U) << alone;
  EXPECT_EQ(message_of([](Options& o) { o.runs = 1, o.stable_only = true; }).rfind("stable_only = true: must", 0), 0U);
  const auto [fault, text] = test::error_of([&] {
    int left = 1;
    (void)fit_stream(
        [&](const std::stop_token&) { return left-- > 0 ? samples_in_columns(y) : std::unique_ptr<Samples>(); },
        several(3));
  });
  EXPECT_EQ(fault, Fault::kOption);
  EXPECT_EQ(text.rfind("runs = 3: must be 1 for a stream", 0), 0U) << text;
}

TEST(StableAtoms, AreThoseThatComeAgainFromStartsAndFromHalves) {
  Model model;
  model.stability = Vector<double>{{0.9, 0.79, 0.9, 0.9, 0.9}};
  model.found = Vector<double>{{0.5, 1, 0.4, 1, 1}};
  EXPECT_EQ(stable_atoms(model), (std::vector<bool>{true, false, false, true, true}));
  model.resampled_stability = Vector<double>{{0.8, 1, 1, 0.7, 0.9}};
  model.resampled_found = Vector<double>{{0.5, 1, 1, 1, 0.4}};
  EXPECT_EQ(stable_atoms(model), (std::vector<bool>{true, false, false, false, false}));
}

}  // namespace
}  // namespace orthodict
