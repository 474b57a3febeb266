// SPDX-License-Identifier: Apache-2.0
#include "orthodict/fit.h"

#include <gtest/gtest.h>

#include <thread>

#include "support.h"

namespace orthodict {
namespace {

using test::fit_columns;
using test::sparse_samples;

TEST(Options, BadValuesAreErrorsThatNameTheOption) {
  const std::vector<std::pair<std::string, std::function<void(Options&)>>> cases = {
      {"stretch = l5", [](Options& o) { o.stretch = "l5"; }},
      {"remove_bias = true", [](Options& o) { o.stretch = "hard", o.remove_bias = true; }},
      {"theta = 0", [](Options& o) { o.theta = 0; }},
      {"theta = 1.5", [](Options& o) { o.theta = 1.5; }},
      {"theta = 0.3", [](Options& o) { o.stretch = "l3", o.remove_bias = true, o.theta = 0.3; }},
      {"bias_fraction = 0", [](Options& o) { o.bias_fraction = 0; }},
      {"accelerate = true: must be false with a finite step", [](Options& o) { o.accelerate = true, o.step = 1; }},
      {"accelerate = true: must be false with a bias_fraction",
       [](Options& o) { o.accelerate = true, o.bias_fraction = 0.5; }},
      {"accelerate = true: must be false with stretch hard",
       [](Options& o) { o.accelerate = true, o.stretch = "hard"; }},
      {"accelerate = true: must be false with an orthogonal dictionary and bias removed (the default of logcosh)",
       [](Options& o) { o.accelerate = true, o.stretch = "logcosh"; }},
      {"accelerate = true: must be left out with method auto",
       [](Options& o) { o.method = Method::kAuto, o.accelerate = true; }},
      {"step = 0", [](Options& o) { o.step = 0; }},
      {"step = nan", [](Options& o) { o.step = NAN; }},
      {"atoms = 0", [](Options& o) { o.atoms = 0; }},
      {"atoms = -3: must be an integer ≥ 1, or a share", [](Options& o) { o.atoms = -3; }},
      {"atoms = 0.0", [](Options& o) { o.atoms = 0.0; }},
      {"atoms = 1.0: must be an integer ≥ 1, or a share", [](Options& o) { o.atoms = 1.0; }},
      {"atoms = 1.5", [](Options& o) { o.atoms = 1.5; }},
      {"atoms = nan", [](Options& o) { o.atoms = NAN; }},
      {"max_iterations = -1", [](Options& o) { o.max_iterations = -1; }},
      {"tolerance = -1", [](Options& o) { o.tolerance = -1; }},
      {"tolerance = inf", [](Options& o) { o.tolerance = INFINITY; }},
      {"time_limit = 0", [](Options& o) { o.time_limit = 0; }},
      {"threads = 0", [](Options& o) { o.threads = 0; }},
  };
  for (const auto& [expected, change] : cases) {
    Options options = test::msp();
    change(options);
    const auto [fault, message] = test::error_of([&options = options] { options.validate(); });
    EXPECT_EQ(fault, Fault::kOption) << expected;
    EXPECT_EQ(message.rfind(expected, 0), 0U) << message;
  }
}

TEST(Fit, ReportsWhatItDid) {
  const FitResult result = fit_columns(sparse_samples(10, 3000), {});
  const Summary& s = result.summary;
  EXPECT_EQ(s.termination, Termination::kConverged);
  EXPECT_EQ(s.dimension, 10);
  EXPECT_EQ(s.samples, 3000);
  EXPECT_EQ(s.rank, 10);
  EXPECT_EQ(s.atoms, 10);
  ASSERT_EQ(s.history.size(), static_cast<std::size_t>(s.iterations) + 1);
  EXPECT_FALSE(s.history.front().step);
  EXPECT_LE(*s.history.back().step, s.tolerance);
  EXPECT_EQ(s.history.back().objective, s.objective);
  EXPECT_NE(s.brief_report().find("converged"), std::string::npos);
  EXPECT_NE(s.full_report().find("10 atoms"), std::string::npos);
}

TEST(Fit, GivesTheObjectiveOfTheModelItReturns) {
  const Matrix<double> y = sparse_samples(10, 3000);
  for (const int iterations : {0, 1, 4}) {
    Options options = test::msp();
    options.max_iterations = iterations;
    const FitResult result = fit_columns(y, options);
    EXPECT_EQ(result.summary.termination, Termination::kMaxIterations);
    EXPECT_EQ(result.summary.iterations, iterations);
    const double objective = test::l4_norm4(result.model.analysis * y);
    EXPECT_NEAR(result.summary.objective, objective, 1e-12 * objective);
  }
}

TEST(Fit, IsTheSameForDataOfAnyScale) {
  const Matrix<double> y = sparse_samples(8, 2000);
  for (const char* stretch : {"l4", "power:10", "soft", "logcosh"}) {
    for (const Precision precision : {Precision::kF32, Precision::kF64}) {
      Options options = test::msp();
      options.stretch = stretch;
      options.precision = precision;
      const Model unit = fit_columns(y, options).model;
      for (const double scale : {0x1p-60, 0x1p60}) {  // scaling by powers of two is exact
        EXPECT_EQ(fit_columns(scale * y, options).model.dictionary, unit.dictionary) << stretch << " " << scale;
      }
    }
  }
}

TEST(Fit, CentringAndWhiteningFoldedInEqualAnExplicitCopy) {
  const Index n = 8;
  const Index p = 4000;
  Matrix<double> y = sparse_samples(n, p, 3, 10);
  y.colwise() += Vector<double>::LinSpaced(n, -3, 5);
  const Vector<double> mean = y.rowwise().mean();
  const Matrix<double> centred = y.colwise() - mean;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(centred * centred.transpose() / static_cast<double>(p));
  const Matrix<double> w = eigen.operatorInverseSqrt();

  for (const char* stretch : {"l4", "soft"}) {
    Options options = test::msp();
    options.stretch = stretch;
    options.remove_bias = true;
    options.init = Initialization::kIdentity;
    options.tolerance = 1e-12;
    const Matrix<double> whitened = w * centred;
    const FitResult explicit_copy = fit_columns(whitened, options);
    options.whiten = Whitening::kZca;
    options.center = true;
    const FitResult folded = fit_columns(y, options);
    EXPECT_NEAR(folded.summary.objective, explicit_copy.summary.objective, 1e-9 * folded.summary.objective);
    EXPECT_LT((folded.model.mean - mean).norm(), 1e-12);
    // Rows of A·W, in any order and sign, of any scale.
    const Matrix<double> expected = (explicit_copy.model.analysis * w).rowwise().normalized();
    const Matrix<double> overlap = Matrix<double>(folded.model.analysis.rowwise().normalized()) *
                                   expected.completeOrthogonalDecomposition().pseudoInverse();
    EXPECT_LE(test::distance_to_signed_permutation(overlap), 1e-7);
  }
}

TEST(Fit, AnalysisInvertsTheDictionary) {
  const Matrix<double> y = sparse_samples(8, 3000, 4, 30);
  for (const Whitening whiten : {Whitening::kNone, Whitening::kZca, Whitening::kPca}) {
    Options options = test::msp();
    options.whiten = whiten;
    const Model model = fit_columns(y, options).model;
    EXPECT_LE((model.analysis * model.dictionary.transpose() - test::identity(8)).norm(), 1e-11) << name_of(whiten);
    EXPECT_LE((model.dictionary.rowwise().norm().array() - 1).abs().maxCoeff(), 1e-14);
  }
}

TEST(Fit, LearnsFewerAtomsThanDimensions) {
  const Matrix<double> y = sparse_samples(12, 6000);
  for (const Whitening whiten : {Whitening::kNone, Whitening::kZca, Whitening::kPca}) {
    Options options = test::msp();
    options.whiten = whiten;
    options.atoms = 5;
    const FitResult result = fit_columns(y, options);
    EXPECT_EQ(result.model.dictionary.rows(), 5);
    EXPECT_EQ(result.summary.termination, Termination::kConverged) << name_of(whiten);
    EXPECT_LE((result.model.analysis * result.model.dictionary.transpose() - test::identity(5)).norm(), 1e-11);
  }
}

TEST(Fit, PcaKeepsTheLeadingComponents) {
  Matrix<double> y = test::random_gaussian(6, 4000, 5);
  y.row(1) *= 20;
  y.row(4) *= 10;
  Options options = test::msp();
  options.whiten = Whitening::kPca;
  options.atoms = 2;
  options.max_iterations = 3;
  const Model model = fit_columns(y, options).model;
  for (const Index other : {0, 2, 3, 5}) EXPECT_LT(model.dictionary.col(other).norm(), 0.05);
}

// The residual of k atoms is that of k principal components.
double variance_left(const Matrix<double>& y, const Model& model) {
  const Matrix<double> centred = y.colwise() - model.mean;
  return (centred - model.dictionary.transpose() * (model.analysis * centred)).squaredNorm() /
         static_cast<double>(y.cols());
}

TEST(Fit, WhitenedLearnsInTheLeadingComponents) {
  // Features of very different scales, so that the choice of components matters.
  const Matrix<double> y = Vector<double>::LinSpaced(8, 1, 12).asDiagonal() * sparse_samples(8, 4000, 1, 5);
  const Matrix<double> covariance = y * y.transpose() / 4000;
  const Vector<double> variances = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(covariance).eigenvalues();
  for (const Method method : {Method::kAuto, Method::kMsp}) {
    for (const std::optional<Whitening> whiten : {std::optional<Whitening>(), {Whitening::kZca}, {Whitening::kPca}}) {
      Options options;
      options.method = method;
      options.whiten = whiten;
      options.center = false;
      if (method == Method::kMsp) options.dictionary = Dictionary::kComplete;
      for (const Index k : {3, 5, 8}) {
        options.atoms = k;
        const FitResult result = fit_columns(y, options);
        EXPECT_EQ(result.summary.dictionary, Dictionary::kComplete);
        EXPECT_EQ(result.model.atoms(), k);
        EXPECT_NEAR(variance_left(y, result.model), variances.head(8 - k).sum(), 1e-9 * variances.sum());
        EXPECT_LE((result.model.analysis * result.model.dictionary.transpose() - test::identity(k)).norm(), 1e-9);
      }
      options.atoms = 0.9;
      const FitResult result = fit_columns(y, options);
      EXPECT_LE(variance_left(y, result.model), 0.1 * variances.sum());
      EXPECT_GT(variance_left(y, result.model) + variances[8 - result.model.atoms()], 0.1 * variances.sum());
      EXPECT_EQ(result.summary.atoms, result.model.atoms());
      EXPECT_NE(result.model.metadata.find("\"atoms\":0.9"), std::string::npos);
    }
  }
}

// The smallest sufficient number of atoms of most energy.
TEST(Fit, OrthogonalAtomsMayHoldAShareOfTheEnergy) {
  const Matrix<double> truth = test::random_orthogonal<double>(6, 5);
  const Vector<double> scale{{5, 4, 3, 2, 1, 0.5}};  // energies 25, 16, 9, 4, 1, 0.25 of 55.25
  const Matrix<double> y = truth * scale.asDiagonal() * test::coefficients(6, 5000, 0.3, 0);
  for (Options options : {Options(), test::msp()}) {
    options.dictionary = Dictionary::kOrthogonal;
    for (const auto& [share, atoms] : {std::pair<double, Index>{0.3, 1}, {0.6, 2}, {0.85, 3}, {0.97, 4}}) {
      options.atoms = share;
      EXPECT_EQ(fit_columns(y, options).model.atoms(), atoms) << share;
    }
  }
}

TEST(Fit, WarnsOfComponentsThatChanceHasChosen) {
  Matrix<double> y = test::coefficients(6, 4000, 0.3, 0);
  const Eigen::LLT<Eigen::MatrixXd> factor(y * y.transpose() / 4000);
  factor.matrixL().solveInPlace(y);  // removes sampling error
  y.topRows(2) *= 3;
  for (Options options : {Options(), test::msp()}) {
    options.dictionary = Dictionary::kComplete;
    for (const Index k : {1, 2, 3, 6}) {
      options.atoms = k;
      const FitResult result = fit_columns(y, options);
      const std::size_t warnings = k == 1 || k == 3 ? 1 : 0;
      ASSERT_EQ(result.summary.warnings.size(), warnings) << k;
      if (warnings > 0) {
        EXPECT_NE(result.summary.warnings[0].find("the cut between them is arbitrary"), std::string::npos);
        EXPECT_NE(result.model.metadata.find("the cut between them is arbitrary"), std::string::npos);
        EXPECT_EQ(result.summary.warnings[0].find_first_of("0123456789"), std::string::npos);
      }
    }
    options.dictionary = Dictionary::kOrthogonal;
    options.atoms = 3;
    EXPECT_TRUE(fit_columns(y, options).summary.warnings.empty());
  }
}

Matrix<double> rank_deficient(Index n, Index rank, Index p) {
  return test::random_orthogonal<double>(n, 8).leftCols(rank) * sparse_samples(rank, p, 9);
}

TEST(Fit, KeepsTheRankThatIsThereAndSaysSo) {
  const Matrix<double> y = rank_deficient(10, 6, 5000);
  for (const Whitening whiten : {Whitening::kZca, Whitening::kPca}) {
    Options options = test::msp();
    options.whiten = whiten;
    const FitResult result = fit_columns(y, options);
    EXPECT_EQ(result.summary.rank, 6);
    EXPECT_EQ(result.model.atoms(), 6);
    EXPECT_NE(result.summary.message.find("rank 6 of 10"), std::string::npos) << result.summary.message;
    EXPECT_LE((result.model.dictionary.transpose() * (result.model.analysis * y) - y).norm(), 1e-9 * y.norm());
  }
}

TEST(Fit, WithoutWhiteningKeepsASquareDictionaryOfRankDeficientData) {
  const Matrix<double> y = rank_deficient(10, 6, 5000);
  for (const char* stretch : {"l3", "soft", "logcosh"}) {
    for (const Precision precision : {Precision::kF32, Precision::kF64}) {
      Options options = test::msp();
      options.stretch = stretch;
      options.precision = precision;
      EXPECT_EQ(fit_columns(y, options).summary.termination, Termination::kConverged) << stretch;
    }
  }
  const FitResult result = fit_columns(y, test::msp());
  EXPECT_EQ(result.summary.termination, Termination::kConverged);
  EXPECT_EQ(result.summary.rank, 6);
  EXPECT_EQ(result.model.atoms(), 10);
  EXPECT_NE(result.summary.message.find("rank 6 of 10, so 4 atoms carry no energy"), std::string::npos);
  EXPECT_LE((result.model.analysis.bottomRows(4) * y).norm(), 1e-9 * y.norm());
  EXPECT_LE((result.model.dictionary * result.model.dictionary.transpose() - test::identity(10)).norm(), 1e-13);
}

TEST(Fit, NoAtomFallsOutsideTheRangeOfTheData) {
  Matrix<double> y = sparse_samples(10, 4000);
  y.row(0).setZero();
  y.row(7).setZero();
  for (const Whitening whiten : {Whitening::kZca, Whitening::kPca}) {
    for (const Initialization init : {Initialization::kIdentity, Initialization::kRandom}) {
      for (const int iterations : {0, 1, 500}) {
        Options options = test::msp();
        options.whiten = whiten;
        options.init = init;
        options.max_iterations = iterations;
        const Model model = fit_columns(y, options).model;
        ASSERT_TRUE(model.dictionary.allFinite());
        EXPECT_EQ(model.atoms(), 8);
        EXPECT_LE((model.analysis * model.dictionary.transpose() - test::identity(8)).norm(), 1e-12);
      }
    }
  }
}

TEST(Fit, RefusesAThresholdThatNothingPasses) {
  for (const char* stretch : {"soft:50", "hard:50"}) {
    Options options = test::msp();
    options.stretch = stretch;
    EXPECT_EQ(test::error_of([&] { (void)fit_columns(sparse_samples(6, 500), options); }).first, Fault::kOption);
  }
}

// Samples of ten million features, as when rows and columns are confused.
class WideSamples : public Samples {
 public:
  explicit WideSamples(Index size) : size_(size) {}
  [[nodiscard]] Index dimension() const override { return 10'000'000; }
  [[nodiscard]] Index size() const override { return size_; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  Block<float> block(Index, Index, float*) const override { throw std::logic_error("not to be read"); }
  Block<double> block(Index, Index, double*) const override { throw std::logic_error("not to be read"); }

 private:
  Index size_;
  std::string name_ = "wide";
};

TEST(Fit, RefusesMatricesBeyondTheMachinesMemory) {
  EXPECT_EQ(test::error_of([] { (void)fit(WideSamples(10'000'001), {}); }).first, Fault::kData);
  EXPECT_EQ(test::error_of([] { (void)fit(WideSamples(9'999'999), {}); }).first, Fault::kData);
  // A complete basis of R^n is requested.
  const auto [fault, message] = test::error_of([] { (void)fit(WideSamples(10), test::msp()); });
  EXPECT_EQ(fault, Fault::kData);
  EXPECT_NE(message.find("set atoms, to less than the 10 samples"), std::string::npos) << message;
}

TEST(Fit, RefusesMoreAtomsThanTheRank) {
  for (const Whitening whiten : {Whitening::kNone, Whitening::kZca, Whitening::kPca}) {
    Options options = test::msp();
    options.whiten = whiten;
    options.atoms = 7;
    const auto [fault, message] = test::error_of([&] { (void)fit_columns(rank_deficient(10, 6, 1000), options); });
    EXPECT_EQ(fault, Fault::kOption);
    EXPECT_EQ(message.rfind("atoms = 7: must be 1 … 6", 0), 0U) << message;
  }
}

TEST(Fit, TakesFewerSamplesThanDimensions) {
  const FitResult result = fit_columns(sparse_samples(12, 5), test::msp());
  EXPECT_EQ(result.summary.rank, 5);
  EXPECT_LE((result.model.dictionary * result.model.dictionary.transpose() - test::identity(12)).norm(), 1e-13);
}

TEST(Fit, RefusesDataWithNothingInThem) {
  Options options = test::msp();
  EXPECT_EQ(test::error_of([&] { (void)fit_columns(Matrix<double>::Zero(3, 50), options); }).first, Fault::kData);
  EXPECT_EQ(test::error_of([&] { (void)fit_columns(Matrix<double>(3, 0), options); }).first, Fault::kData);
  options.center = true;
  EXPECT_EQ(test::error_of([&] { (void)fit_columns(Matrix<double>::Constant(3, 50, 4), options); }).first,
            Fault::kData);
}

TEST(Fit, RefusesDataThatOverflow) {
  Matrix<double> y = sparse_samples(4, 100);
  y *= 1e200;
  const auto [fault, message] = test::error_of([&] { (void)fit_columns(y, {}); });
  EXPECT_EQ(fault, Fault::kData);
  EXPECT_NE(message.find("overflow"), std::string::npos) << message;
}

TEST(Fit, StopsWhenTheCallbackSaysSo) {
  Options options = test::msp();
  options.callback = [](const Iterate& iterate) { return iterate.record().iteration == 3; };
  const FitResult result = fit_columns(sparse_samples(10, 3000), options);
  EXPECT_EQ(result.summary.termination, Termination::kStopped);
  EXPECT_EQ(result.summary.iterations, 3);
}

TEST(Fit, PassesOnWhatTheCallbackThrows) {
  Options options = test::msp();
  options.callback = [](const Iterate&) -> bool { throw std::domain_error("the caller's own"); };
  EXPECT_THROW((void)fit_columns(sparse_samples(10, 3000), options), std::domain_error);
}

TEST(Fit, ShowsTheCallbackTheModelOfTheIteration) {
  const Matrix<double> y = sparse_samples(10, 3000);
  Options options = test::msp();
  options.callback = [&](const Iterate& iterate) {
    const double objective = test::l4_norm4(iterate.model().analysis * y);
    EXPECT_NEAR(iterate.record().objective, objective, 1e-12 * objective);
    return false;
  };
  (void)fit_columns(y, options);
}

TEST(Fit, StopsAtTheTimeLimit) {
  Options options = test::msp();
  options.tolerance = 0;
  options.time_limit = 1e-9;
  EXPECT_EQ(fit_columns(sparse_samples(10, 3000), options).summary.termination, Termination::kTimeLimit);
}

TEST(Fit, SaysThatItWasStoppedWhenThereIsNothingToReturn) {
  const Matrix<double> y = sparse_samples(10, 256 * 10);
  std::stop_source stop;
  Options options = test::msp();
  options.threads = 1;
  options.stop = stop.get_token();
  EXPECT_EQ(test::error_of([&] { (void)fit(test::StoppingSamples(y, stop, 5), options); }).first, Fault::kStopped);
}

TEST(Fit, ReturnsTheLastCompleteIterateWhenStoppedWithinAPass) {
  const Matrix<double> y = sparse_samples(10, 256 * 10);
  const int moments_calls = 10, pass_calls = 20;  // blocks of 256 and of 128: the stop comes within the second pass
  std::stop_source stop;
  Options options = test::msp();
  options.threads = 1;
  options.stop = stop.get_token();
  options.precision = Precision::kF64;
  const FitResult result = fit(test::StoppingSamples(y, stop, moments_calls + pass_calls + 5), options);
  EXPECT_EQ(result.summary.termination, Termination::kStopped);
  EXPECT_EQ(result.summary.iterations, 0);
  const double objective = test::l4_norm4(result.model.analysis * y);
  EXPECT_NEAR(result.summary.objective, objective, 1e-12 * objective);
}

TEST(Fit, RefusesAStartThatSpansNothing) {
  Options options = test::msp();
  options.init = Initialization::kGiven;
  options.initial_dictionary = RowMatrix<double>::Zero(10, 10);
  for (const Precision precision : {Precision::kF32, Precision::kF64, Precision::kMixed}) {
    options.precision = precision;
    const auto [fault, message] = test::error_of([&] { (void)fit_columns(sparse_samples(10, 3000), options); });
    EXPECT_EQ(fault, Fault::kOption);
    EXPECT_NE(message.find("initial_dictionary"), std::string::npos) << message;
  }
}

TEST(Fit, StartsFromAGivenDictionary) {
  SyntheticOptions problem;
  problem.dimension = 12;
  problem.samples = 6000;
  const Synthetic data(problem);
  Options options = test::msp();
  options.init = Initialization::kGiven;
  options.initial_dictionary = data.dictionary();
  const FitResult result = fit_columns(data.samples().transpose(), options);
  const FitResult random_start = fit_columns(data.samples().transpose(), {});
  EXPECT_LT(result.summary.iterations, random_start.summary.iterations);
  options.initial_dictionary = RowMatrix<double>::Identity(3, 12);
  EXPECT_EQ(test::error_of([&] { (void)fit_columns(data.samples().transpose(), options); }).first, Fault::kOption);
}

// Of a matrix that is neither symmetric nor orthogonal, so that a transposed one would be noticed.
TEST(Fit, HasAtomsInRowsWhereverADictionaryIs) {
  const Synthetic data({.dimension = 6, .samples = 4000, .condition = 4, .seed = 4});
  const RowMatrix<double> atoms = data.dictionary(), columns = atoms.transpose(), x = data.samples();
  const Model model = fit(x).model;
  EXPECT_LE(compare(model, atoms).error, 1e-9);
  EXPECT_GE(compare(model, columns).error, 0.1);
  const RowMatrix<double> codes = encode(model, x);
  EXPECT_LE((((codes * model.dictionary).rowwise() + model.mean.transpose()) - x).norm(), 1e-10 * x.norm());
  EXPECT_LE((decode(model, codes) - x).norm(), 1e-10 * x.norm());

  Options options{.method = Method::kMsp, .dictionary = Dictionary::kComplete, .max_iterations = 0};
  options.initial_dictionary = atoms;
  EXPECT_LE(compare(fit(x, options).model, atoms).error, 0.05);
  options.initial_dictionary = columns;
  EXPECT_GE(compare(fit(x, options).model, atoms).error, 0.1);

  const Synthetic again({.dimension = 6, .samples = 4000, .seed = 5, .dictionary = atoms});
  EXPECT_LE(compare(fit(again.samples()).model, atoms).error, 1e-9);
}

TEST(Fit, StartsFromADictionaryThatIsGivenWithoutInit) {
  const Synthetic data({.dimension = 8, .samples = 1000});
  for (Options options : {Options{.method = Method::kMsp, .max_iterations = 0}, Options{}}) {
    const FitResult random = fit(data.samples(), options);
    options.initial_dictionary = test::random_orthogonal<double>(8, 5);
    const FitResult implied = fit(data.samples(), options);
    EXPECT_NE(implied.model.metadata.find(R"("init":"given")"), std::string::npos) << implied.model.metadata;
    options.init = Initialization::kGiven;
    EXPECT_EQ(model_to_bytes(fit(data.samples(), options).model), model_to_bytes(implied.model));
    options.init = Initialization::kRandom;  // an explicit option wins
    EXPECT_EQ(fit(data.samples(), options).model.dictionary, random.model.dictionary);
    EXPECT_NE(implied.model.analysis, random.model.analysis);
  }
}

TEST(Fit, TakesAStretchOfTheUsersOwn) {
  class Sixth : public Stretch {
   public:
    [[nodiscard]] std::string name() const override { return "sixth"; }
    [[nodiscard]] double value(double z) const override { return std::pow(z, 6); }
    [[nodiscard]] double derivative(double z) const override { return 6 * std::pow(z, 5); }
    [[nodiscard]] double second_derivative(double z) const override { return 30 * std::pow(z, 4); }
    [[nodiscard]] std::optional<double> degree() const override { return 6; }
    [[nodiscard]] bool is_convex() const override { return true; }
    [[nodiscard]] bool is_smooth() const override { return true; }
  };
  const Matrix<double> y = sparse_samples(6, 5000);
  Options options = test::msp();
  options.custom_stretch = std::make_shared<Sixth>();
  const FitResult own = fit_columns(y, options);
  options.custom_stretch = nullptr;
  options.stretch = "power:6";
  const FitResult built_in = fit_columns(y, options);
  EXPECT_EQ(own.summary.stretch, "sixth");
  EXPECT_LE((own.model.dictionary - built_in.model.dictionary).norm(), 1e-6);
}

TEST(Fit, TwoAtATimeDoNotDisturbEachOther) {
  const Matrix<double> y = sparse_samples(10, 20000);
  const auto samples = samples_in_columns(y);
  Options options = test::msp();
  options.threads = 2;
  const FitResult alone = fit(*samples, options);
  FitResult first, second;
  std::thread other([&] { first = fit(*samples, options); });
  second = fit(*samples, options);
  other.join();
  EXPECT_EQ(first.model.dictionary, alone.model.dictionary);
  EXPECT_EQ(second.model.dictionary, alone.model.dictionary);
}

}  // namespace
}  // namespace orthodict
