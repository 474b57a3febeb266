// SPDX-License-Identifier: Apache-2.0
#include "solver/run.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "support.h"

namespace orthodict::solver {
namespace {

using engine::Arithmetic;

constexpr double kSingle = std::numeric_limits<float>::epsilon();
constexpr double kDouble = std::numeric_limits<double>::epsilon();

TEST(Steps, AreTheSameForRowsOfEitherSign) {
  const Matrix<double> from{{1, 0}, {0, 1}, {3, 4}};
  const Matrix<double> to{{-1, 0}, {0, 1.5}, {3, 4.25}};
  const Vector<double> steps = row_steps(from, to);
  EXPECT_EQ(steps, (Vector<double>{{0, 0.5, 0.25}}));
  EXPECT_DOUBLE_EQ(step_length(steps), std::sqrt((0.25 + 0.0625) / 3));
}

TEST(Sizes, OfValuesIncludeTheMean) {
  const engine::Moments moments{Vector<double>{{3, 4}}, Matrix<double>{{5, 1}, {1, 2}}};
  EXPECT_DOUBLE_EQ(size_of_values(moments, false), std::sqrt(3.5));
  EXPECT_DOUBLE_EQ(size_of_values(moments, true), std::sqrt(16.0));
}

// Unit variance in four features, and a mean in the first.
Coordinates coordinates_with_mean(double mean) {
  const engine::Moments moments{mean * Vector<double>::Unit(4, 0), test::identity(4)};
  return {moments, "y", {.center = true}};
}

TEST(Resolution, FallsWithTheMeanAndThePrecision) {
  const Coordinates plain = coordinates_with_mean(0);
  EXPECT_DOUBLE_EQ(rounding_noise(Precision::kF64, plain), 16 * kDouble);
  EXPECT_DOUBLE_EQ(rounding_noise(Precision::kF32, plain), 16 * kSingle);
  EXPECT_DOUBLE_EQ(rounding_noise(Precision::kMixed, plain), 4 * kSingle);
  EXPECT_DOUBLE_EQ(rounding_noise(Precision::kF64, coordinates_with_mean(10)), (1 + 5.0) * 16 * kDouble);

  const Coordinates far = coordinates_with_mean(1e6);  // 16·ε·5·10⁵ is a step of almost 1
  for (const Precision precision : {Precision::kF32, Precision::kMixed}) {
    EXPECT_TRUE(is_resolvable(precision, 1, plain));
    EXPECT_FALSE(is_resolvable(precision, 1, far));
    EXPECT_FALSE(is_resolvable(precision, 1e21, plain));
    EXPECT_FALSE(is_resolvable(precision, 1e-21, plain));
  }
  EXPECT_TRUE(is_resolvable(Precision::kF64, 1e21, far));
}

// A run over some samples, with its parts.
class RunTest : public testing::Test {
 protected:
  RunTest() { options_.threads = 2; }
  solver::Run& run() {
    if (!run_) run_ = std::make_unique<solver::Run>(*samples_, options_, "auto");
    return *run_;
  }

  Matrix<double> y_ = test::sparse_samples(4, 500);
  std::unique_ptr<Samples> samples_ = samples_in_columns(y_);
  Options options_;

 private:
  std::unique_ptr<solver::Run> run_;
};

TEST_F(RunTest, MeasuresTheSamplesInOnePass) {
  const engine::Moments moments = run().measure(true);
  const Vector<double> mean = y_.rowwise().mean();
  const Matrix<double> centred = y_.colwise() - mean;
  EXPECT_LE((moments.mean - mean).norm(), 1e-14);
  EXPECT_LE((moments.second_moment - centred * centred.transpose() / 500).norm(), 1e-13);
  EXPECT_EQ(run().summary().passes, 1);
  EXPECT_GT(run().summary().moments_seconds, 0);
  EXPECT_EQ(run().summary().method, "auto");
  EXPECT_EQ(run().summary().threads, 2);
  EXPECT_TRUE(std::isnan(run().summary().objective));
  EXPECT_EQ(&run().samples(), samples_.get());
  EXPECT_EQ(&run().options(), &options_);
}

TEST_F(RunTest, RefusesNoSamples) {
  const Matrix<double> none(4, 0);
  const auto samples = samples_in_columns(none);
  solver::Run empty(*samples, options_, "auto");
  EXPECT_NE(test::error_of([&] { (void)empty.measure(false); }).second.find("0 samples of 4 features"),
            std::string::npos);
}

TEST_F(RunTest, DescribesTheData) {
  const Coordinates coordinates(run().measure(true), "y", {.center = true, .atoms = Index{3}});
  run().describe_data(coordinates);
  const Summary& summary = run().summary();
  EXPECT_EQ(summary.dimension, 4);
  EXPECT_EQ(summary.samples, 500);
  EXPECT_EQ(summary.rank, 4);
  EXPECT_EQ(summary.atoms, 3);
  EXPECT_EQ(summary.rms, coordinates.rms());
}

TEST_F(RunTest, CountsPassesOverAllSamplesOnly) {
  const auto stretch = make_stretch("l4");
  const Matrix<double> part = y_.leftCols(100);
  const auto samples = samples_in_columns(part);
  const auto pass = [&](const Samples& of) {
    return run().pass(of, *stretch, Arithmetic::kF64, test::identity(4), Vector<double>::Zero(4),
                      engine::PassOutput::kObjective);
  };
  EXPECT_NEAR(pass(*samples)->objective(), test::l4_norm4(part), 1e-12 * test::l4_norm4(part));
  EXPECT_EQ(run().summary().passes, 0);
  EXPECT_NEAR(pass(*samples_)->objective(), test::l4_norm4(y_), 1e-12 * test::l4_norm4(y_));
  EXPECT_EQ(run().summary().passes, 1);
}

TEST_F(RunTest, ProjectsInEitherPrecisionWhateverTheScale) {
  const Matrix<double> g = test::random_gaussian(4, 4, 1);
  const Matrix<double> expected = project_orthogonal(g);
  EXPECT_LE((run().project(g, Arithmetic::kF64) - expected).norm(), 1e-14);
  for (const double scale : {1.0, 1e60, 1e-60}) {
    const Matrix<double> single = run().project(scale * g, Arithmetic::kF32);
    EXPECT_LE((single - expected).norm(), 100 * kSingle) << scale;
    EXPECT_GT((single - expected).norm(), 10 * kDouble) << "not in single precision";
  }
}

TEST_F(RunTest, EndsWhenItsTimeIsUsedUp) {
  EXPECT_FALSE(run().out_of_time());
  options_.time_limit = 1e-9;
  EXPECT_EQ(run().out_of_time(), Termination::kTimeLimit);
  options_.time_limit = 1e9;
  EXPECT_FALSE(run().out_of_time());
}

TEST_F(RunTest, RecordsIterationsAndAsksTheCallback) {
  int calls = 0;
  options_.callback = [&](const Iterate& iterate) {
    ++calls;
    EXPECT_EQ(iterate.record().objective, 7);
    EXPECT_EQ(iterate.model().mean[0], 5);
    return iterate.record().iteration == 2;
  };
  const auto model = [] { return Model{.dictionary = {}, .analysis = {}, .mean = Vector<double>{{5}}}; };
  EXPECT_FALSE(run().record({.iteration = 1, .objective = 7, .step = {}}, model));
  EXPECT_TRUE(run().record({.iteration = 2, .objective = 7, .step = {}}, model));
  EXPECT_EQ(calls, 2);
  run().record_again({.iteration = 3, .objective = 8, .step = {}});
  EXPECT_EQ(calls, 2);
  const Summary& summary = run().summary();
  ASSERT_EQ(summary.history.size(), 3u);
  EXPECT_EQ(summary.iterations, 3);
  EXPECT_EQ(summary.objective, 8);
  EXPECT_GT(summary.history[2].seconds, 0);
}

TEST_F(RunTest, RefusesAPrecisionThatCannotResolve) {
  const Coordinates plain = coordinates_with_mean(0);
  EXPECT_NO_THROW(run().require_resolvable(Precision::kF32, 1, plain));
  const auto [fault, message] = test::error_of([&] { run().require_resolvable(Precision::kF32, 1e30, plain); });
  EXPECT_EQ(fault, Fault::kOption);
  EXPECT_NE(message.find("1.0e+30"), std::string::npos) << message;
  const auto of_mean =
      test::error_of([&] { run().require_resolvable(Precision::kF32, 1, coordinates_with_mean(1e6)); });
  EXPECT_NE(of_mean.second.find("mean"), std::string::npos) << of_mean.second;
}

TEST_F(RunTest, FinishesWithAMessageAndMetadata) {
  run().summary().rank = 2;
  run().summary().dimension = 4;
  Model model{RowMatrix<double>::Identity(3, 4), RowMatrix<double>::Identity(3, 4), Vector<double>::Zero(4)};
  model.confidence = Vector<double>{{0.5, 0.9, 0.49}};
  const FitResult result = run().finish(Termination::kConverged, model);
  EXPECT_EQ(result.summary.atoms, 3);
  EXPECT_EQ(result.summary.established, 2);
  EXPECT_EQ(result.summary.termination, Termination::kConverged);
  const std::string& message = result.summary.message;
  EXPECT_NE(message.find("2 of 3 atoms established"), std::string::npos) << message;
  EXPECT_NE(message.find("rank 2 of 4, so 1 atoms carry no energy"), std::string::npos) << message;
  EXPECT_GT(result.summary.total_seconds, 0);
  const auto metadata = nlohmann::json::parse(result.model.metadata);
  EXPECT_EQ(metadata["summary"]["message"], message);
  EXPECT_EQ(metadata["summary"]["established"], 2);
}

}  // namespace
}  // namespace orthodict::solver
