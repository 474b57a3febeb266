// SPDX-License-Identifier: Apache-2.0
// The steps of method auto, one by one, against their formulas on a copy of the samples.
#include "solver/search.h"

#include <functional>
#include <limits>
#include <stop_token>

#include "files.h"
#include "solver/auto/trial.h"

namespace orthodict::solver {
namespace {

constexpr Index kFeatures = 5, kSamples = 2000;
constexpr double kTolerance = 1e-12;

class SearchTest : public test::FolderTest {
 protected:
  SearchTest() : coordinates_(run_.measure(true), "y", {.whiten = Whitening::kZca, .center = true}) {
    x_ = coordinates_.apply(y_);
    search_.restart(start_);
  }
  [[nodiscard]] Matrix<double> moments() const { return x_ * x_.transpose() / kSamples; }
  // φ'(Bx) and the mean of φ'' over samples.
  [[nodiscard]] Matrix<double> stretched() const {
    return (search_.b() * x_).unaryExpr([this](double z) { return stretch_->derivative(z); });
  }
  [[nodiscard]] Vector<double> curvature() const {
    const Matrix<double> z = search_.b() * x_;
    return z.unaryExpr([this](double v) { return stretch_->second_derivative(v); }).rowwise().mean();
  }

  Matrix<double> y_ = test::sparse_samples(kFeatures, kSamples, 1, 3);
  std::unique_ptr<Samples> samples_ = samples_in_columns(y_);
  Options options_;
  solver::Run run_{*samples_, options_, "auto"};
  Coordinates coordinates_;
  Matrix<double> x_;
  Journal journal_{run_.checkpoint()};
  Evidence evidence_{run_, journal_, coordinates_};
  Search search_{run_, evidence_, /*locate=*/false, /*is_basis=*/false};
  View view_ = View::of_all(run_, coordinates_, Precision::kF64);
  std::shared_ptr<const Stretch> stretch_ = make_stretch("soft:1");
  Matrix<double> start_ = test::random_orthogonal<double>(kFeatures, 4);
};

TEST_F(SearchTest, BeginsAtTheIdentityAndCountsOn) {
  run_.summary().iterations = 7;  // of an attempt before it
  Search search(run_, evidence_, false, false);
  EXPECT_EQ(search.b(), test::identity(kFeatures));
  search.project(view_, stretch_, Bias::kKept, Stage::kExplore);
  EXPECT_EQ(run_.summary().history.back().iteration, 7);
  EXPECT_EQ(run_.summary().iterations, 8);
}

// An atom without energy may rotate freely.
TEST_F(SearchTest, CountsTheStepsOfABasisByEnergy) {
  Search search(run_, evidence_, /*locate=*/false, /*is_basis=*/true);
  search.restart(start_);
  search.project(view_, stretch_, Bias::kKept, Stage::kExplore);
  const Matrix<double> codes = search.b() * x_;
  const Vector<double> energy = codes.rowwise().squaredNorm();
  const Vector<double> squares = search.row_steps().cwiseAbs2();
  EXPECT_NEAR(search.energy_step(), std::sqrt(squares.dot(energy) / energy.sum()), kTolerance);
}

TEST_F(SearchTest, ProjectsWhatIsLeftWithoutItsBias) {
  for (const Bias bias : {Bias::kKept, Bias::kPerAtom, Bias::kPooled}) {
    search_.restart(start_);
    Matrix<double> g = stretched() * x_.transpose() / kSamples;
    const Vector<double> means = curvature();
    if (bias == Bias::kPerAtom) g -= means.asDiagonal() * start_ * moments();
    if (bias == Bias::kPooled) g -= means.mean() * start_ * moments();
    search_.project(view_, stretch_, bias, Stage::kExplore);
    EXPECT_LE((search_.b() - project_orthogonal(g)).norm(), kTolerance);
    EXPECT_LE((search_.mean_curvature() - means).norm(), kTolerance);
    EXPECT_LE((search_.row_steps() - row_steps(start_, search_.b())).norm(), kTolerance);
    EXPECT_EQ(search_.step(), step_length(search_.row_steps()));
    EXPECT_EQ(search_.shift(), Vector<double>::Zero(kFeatures));
  }
  EXPECT_EQ(run_.summary().iterations, 3);
  EXPECT_EQ(run_.summary().history.size(), 3u);
}

// Atoms that don't lead get φ'(z) = z.
TEST_F(SearchTest, AtomsThatDoNotLeadFollow) {
  const std::vector<Index> leaders = {1, 3};
  search_.let_lead(leaders);
  const double pooled = curvature()(leaders).mean();
  const Matrix<double> linear = start_ * moments();
  Matrix<double> g = (1 - pooled) * linear;
  const Matrix<double> led = stretched() * x_.transpose() / kSamples - pooled * linear;
  g(leaders, Eigen::all) = led(leaders, Eigen::all);
  search_.project(view_, stretch_, Bias::kPooled, Stage::kRefine);
  EXPECT_LE((search_.b() - project_orthogonal(g)).norm(), kTolerance);
}

// B ← D⁻¹ for the D that explains the samples by the stretched coefficients, its off-diagonal part lengthened.
TEST_F(SearchTest, RegressesTheSamplesOnTheStretchedCoefficients) {
  const Matrix<double> h = stretched();
  const Matrix<double> d = (x_ * h.transpose()) * (h * h.transpose()).inverse();
  Matrix<double> move = d.inverse() * start_.transpose();
  const Vector<double> means = curvature();
  for (Index i = 0; i < kFeatures; ++i) {
    move.row(i) *= 1 / move(i, i) / (1 - means[i]);
    move(i, i) = 1;
  }
  Matrix<double> b = move * start_;
  b = (b * x_).rowwise().norm().cwiseInverse().asDiagonal() * b * std::sqrt(static_cast<double>(kSamples));
  ASSERT_LE(means.maxCoeff(), 0.8);
  search_.regress(view_, stretch_, Stage::kRefine);
  EXPECT_LE((search_.b() - b).norm(), kTolerance * b.norm() * 10);
  const Model model = search_.model(Vector<double>::Ones(kFeatures));
  EXPECT_LE((model.analysis * model.dictionary.transpose() - test::identity(kFeatures)).norm(), 1e-11);
}

// If no coefficient passes the threshold, a regression determines nothing, and a projection doesn't move the atoms.
TEST_F(SearchTest, StaysWhereNothingPassesTheThreshold) {
  const auto nothing = make_stretch("hard:1000");
  search_.regress(view_, nothing, Stage::kFinish);
  EXPECT_LE((search_.b() - start_).norm(), kTolerance);
  EXPECT_LE(search_.step(), kTolerance);
}

// The peak of the coefficients at zero lies off the mean of skewed samples: that is where the point moves to.
TEST_F(SearchTest, LocatesTheZerosOfSkewedCoefficients) {
  const Matrix<double> sources = test::coefficients(kFeatures, kSamples, 0.2, 0).cwiseAbs();
  const auto samples = samples_in_columns(sources);
  solver::Run run(*samples, options_, "auto");
  const engine::Moments moments = run.measure(true);
  const Coordinates coordinates(moments, "y", {.center = true, .square = true});
  const View view = View::of_all(run, coordinates, Precision::kF64);
  Evidence evidence(run, journal_, coordinates);
  Search search(run, evidence, /*locate=*/true, /*is_basis=*/false);
  // Signal below a threshold t is taken for zeros, and moves the point by less than t².
  for (const char* threshold : {"hard:0.5", "hard:0.1", "hard:0.01", "hard:0.0001"}) {
    const auto stretch = make_stretch(threshold);
    for (int i = 0; i < 15; ++i) search.project(view, stretch, Bias::kPooled, Stage::kFinish);
  }
  const Model model = search.model(Vector<double>::Ones(kFeatures));
  EXPECT_GT(moments.mean.norm(), 0.5);
  EXPECT_LE(model.mean.norm(), 1e-7);
  search.restart(test::identity(kFeatures));
  EXPECT_EQ(search.shift(), Vector<double>::Zero(kFeatures));
}

TEST_F(SearchTest, TurnsTwoAtomsBy45DegreesAndBack) {
  search_.regress(view_, stretch_, Stage::kRefine);
  const Matrix<double> b = search_.b();
  search_.turn_by_45_degrees(1, 4);
  EXPECT_LE((search_.b().row(1) - std::sqrt(0.5) * (b.row(1) + b.row(4))).norm(), kTolerance);
  EXPECT_LE((search_.b().row(4) - std::sqrt(0.5) * (b.row(1) - b.row(4))).norm(), kTolerance);
  EXPECT_EQ(search_.b().row(0), b.row(0));
  const Model model = search_.model(Vector<double>::Ones(kFeatures));  // from B and its inverse, which turned along
  EXPECT_LE((model.analysis * model.dictionary.transpose() - test::identity(kFeatures)).norm(), 1e-11);
  search_.turn_by_45_degrees(1, 4);
  EXPECT_LE((search_.b() - b).norm(), kTolerance);
}

TEST_F(SearchTest, GoesBackToWhatWasKept) {
  const auto kept = search_.keep();
  search_.project(view_, stretch_, Bias::kPerAtom, Stage::kExplore);
  EXPECT_GT((search_.b() - start_).norm(), 0.01);
  EXPECT_TRUE(std::isfinite(search_.step()));
  search_.restore(*kept);
  EXPECT_EQ(search_.b(), start_);
  EXPECT_TRUE(std::isinf(search_.step()));
}

TEST_F(SearchTest, PolishesToDoublePrecision) {
  const View single = View::of_all(run_, coordinates_, Precision::kF32);
  search_.project(single, stretch_, Bias::kPerAtom, Stage::kExplore);
  const auto defect = [&] { return (search_.b() * search_.b().transpose() - test::identity(kFeatures)).norm(); };
  const Matrix<double> before = search_.b();
  EXPECT_GT(defect(), 1e-10);
  search_.polish(/*orthogonal=*/true);
  EXPECT_LE(defect(), 1e-14);
  EXPECT_LE((search_.b() - before).norm(), 1e-5);

  search_.regress(single, stretch_, Stage::kRefine);
  const Matrix<double> b = search_.b();
  search_.polish(/*orthogonal=*/false);
  EXPECT_EQ(search_.b(), b);
  const Model model = search_.model(Vector<double>::Ones(kFeatures));
  EXPECT_LE((model.analysis * model.dictionary.transpose() - test::identity(kFeatures)).norm(), 1e-12);
}

// The error with which a step ends the run.
Termination end_of(const std::function<void()>& step) {
  try {
    step();
  } catch (const RunEnded& end) {
    return end.termination;
  }
  ADD_FAILURE() << "the run goes on";
  return Termination::kConverged;
}

TEST_F(SearchTest, EndsAtItsLimitAndEvaluatesWhereItIs) {
  options_.max_iterations = 1;
  search_.project(view_, stretch_, Bias::kPerAtom, Stage::kExplore);
  EXPECT_EQ(end_of([&] { search_.project(view_, stretch_, Bias::kPerAtom, Stage::kExplore); }),
            Termination::kMaxIterations);
  EXPECT_EQ(end_of([&] { search_.regress(view_, stretch_, Stage::kRefine); }), Termination::kMaxIterations);
  EXPECT_FALSE(search_.evaluate(view_));
  const Matrix<double> z = search_.b() * x_;
  const double objective = z.unaryExpr([this](double v) { return stretch_->value(v); }).sum();
  ASSERT_EQ(run_.summary().history.size(), 2u);
  const IterationRecord& last = run_.summary().history.back();
  EXPECT_NEAR(last.objective, objective, 1e-12 * objective);
  EXPECT_EQ(last.step, search_.step());
  EXPECT_EQ(last.stage, Stage::kExplore);
  EXPECT_EQ(last.samples, kSamples);
}

TEST_F(SearchTest, EndsWhenItsTimeIsUsedUp) {
  options_.time_limit = 1e-9;
  EXPECT_EQ(end_of([&] { search_.regress(view_, stretch_, Stage::kRefine); }), Termination::kTimeLimit);
  EXPECT_TRUE(run_.summary().history.empty());
}

TEST_F(SearchTest, StaysWhereACallbackStopsIt) {
  options_.callback = [](const Iterate& iterate) { return iterate.record().iteration == 1; };
  search_.project(view_, stretch_, Bias::kPerAtom, Stage::kExplore);
  const Matrix<double> b = search_.b();
  EXPECT_EQ(end_of([&] { search_.project(view_, stretch_, Bias::kPerAtom, Stage::kExplore); }), Termination::kStopped);
  EXPECT_EQ(run_.summary().history.size(), 2u);
  EXPECT_EQ(search_.b(), b);
  EXPECT_EQ(search_.evaluate(view_), Termination::kStopped);
  EXPECT_EQ(search_.b(), b);
}

// The result is the last iterate whose pass was complete.
TEST_F(SearchTest, StepsBackFromAPassThatIsStopped) {
  std::stop_source stop;
  options_.stop = stop.get_token();
  search_.project(view_, stretch_, Bias::kPerAtom, Stage::kExplore);
  stop.request_stop();
  EXPECT_EQ(end_of([&] { search_.project(view_, stretch_, Bias::kPerAtom, Stage::kExplore); }), Termination::kStopped);
  EXPECT_EQ(search_.b(), start_);
  EXPECT_EQ(run_.summary().iterations, 0);
  EXPECT_EQ(run_.summary().history.size(), 1u);
}

TEST_F(SearchTest, GoesBackFromATrialUnlessItIsAccepted) {
  options_.max_iterations = 1;
  (void)end_of([&] {
    const Trial trial(search_);
    for (;;) search_.project(view_, stretch_, Bias::kPerAtom, Stage::kExplore);
  });
  EXPECT_EQ(search_.b(), start_);
  options_.max_iterations.reset();
  {
    Trial trial(search_);
    search_.project(view_, stretch_, Bias::kPerAtom, Stage::kExplore);
    trial.accept();
  }
  EXPECT_GT((search_.b() - start_).norm(), 0.01);
}

TEST_F(SearchTest, IsSavedAndLoadedWithWhatIsKept) {
  const auto kept = search_.keep();
  auto dropped = search_.keep();
  search_.regress(view_, stretch_, Stage::kRefine);
  dropped.reset();
  const Matrix<double> b = search_.b();
  formats::NpzBuilder builder;
  search_.save(&builder);
  write_file(path("c.npz"), builder.finish());

  Search other(run_, evidence_, false, false);
  const auto kept_there = other.keep();
  other.load(formats::NpzFile(path("c.npz")));
  EXPECT_EQ(other.b(), b);
  EXPECT_EQ(kept_there->b, start_);
  const Vector<double> confidence = Vector<double>::Ones(kFeatures);
  EXPECT_EQ(other.model(confidence).dictionary, search_.model(confidence).dictionary);
  const auto one_more = other.keep();  // which the file doesn't have
  EXPECT_THROW(other.load(formats::NpzFile(path("c.npz"))), Error);
}

}  // namespace
}  // namespace orthodict::solver
