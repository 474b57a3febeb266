// SPDX-License-Identifier: Apache-2.0
// Views of samples in method auto, compared with a copy of the samples.
#include "solver/view.h"

#include <algorithm>

#include "support.h"

namespace orthodict::solver {
namespace {

constexpr Index kFeatures = 4, kSamples = 700;

class ViewTest : public testing::Test {
 protected:
  ViewTest() {
    y_.col(7) = y_.col(3);
    y_.col(8) = y_.col(3);
    moments_ = run_.measure(true);
    coordinates_.emplace(moments_, "y", Preprocessing{.whiten = Whitening::kZca, .center = true, .theta = 0.3});
    x_ = coordinates_->apply(y_);
  }
  // Samples order(0) … of x.
  [[nodiscard]] Matrix<double> part(Index count) const {
    Matrix<double> x(kFeatures, count);
    for (Index j = 0; j < count; ++j) x.col(j) = x_.col(order_(j));
    return x;
  }
  // The expected results of a view, however it is stored.
  void expect_sums(const View& view, const Matrix<double>& x, double tolerance) const {
    const Vector<double> shift = Vector<double>::LinSpaced(kFeatures, -0.2, 0.3);
    const Matrix<double> b = test::identity(kFeatures) + 0.1 * test::random_gaussian(kFeatures, kFeatures, 3);
    const Matrix<double> about = x.colwise() - shift;
    const auto count = static_cast<double>(x.cols());
    ASSERT_EQ(view.size(), x.cols());
    EXPECT_LE((view.mean() - x.rowwise().mean()).norm(), tolerance);
    EXPECT_LE((view.second_moment(shift) - about * about.transpose() / count).norm(), tolerance);

    const Matrix<double> z = b * about, h = 4 * z.array().cube();
    const auto stretch = make_stretch("l4");
    const auto result = view.pass(b, shift, *stretch, engine::PassOutput::kRegression);
    EXPECT_NEAR(result->objective(), test::l4_norm4(z), tolerance * test::l4_norm4(z));
    EXPECT_LE((result->correlation - h * about.transpose()).norm(), tolerance * h.norm() * about.norm());
    const Matrix<double> gram = result->gram.selfadjointView<Eigen::Lower>();
    EXPECT_LE((gram - h * h.transpose()).norm(), tolerance * h.squaredNorm());
    EXPECT_LE((result->derivative_sums - h.rowwise().sum()).norm(), tolerance * h.cwiseAbs().sum());
    const auto objective = view.pass(b, shift, *stretch, engine::PassOutput::kObjective);
    EXPECT_EQ(objective->correlation.rows(), 0);
  }

  // Mixed by a matrix that isn't orthogonal, with a mean.
  Matrix<double> y_ =
      (test::random_gaussian(kFeatures, kFeatures, 1) * test::random_gaussian(kFeatures, kSamples, 2)).array() + 0.5;
  std::unique_ptr<Samples> samples_ = samples_in_columns(y_);
  Options options_;
  solver::Run run_{*samples_, options_, "auto"};
  engine::Moments moments_;
  std::optional<Coordinates> coordinates_;
  Matrix<double> x_;
  random::Permutation permutation_{kSamples, random::Stream(1, random::Purpose::kSubsample)};
  Order order_ = [this](Index i) { return permutation_[i]; };
};

TEST_F(ViewTest, OfAllIsInTheCoordinatesOfA) {
  const View view = View::of_all(run_, *coordinates_, Precision::kF64);
  EXPECT_EQ(view.precision(), Precision::kF64);
  expect_sums(view, x_, 1e-12);
  const View single = View::of_all(run_, *coordinates_, Precision::kF32);
  expect_sums(single, x_, 1e-5);
}

TEST_F(ViewTest, OfPartHasTheSamplesInTheOrderGiven) {
  for (const auto& [precision, tolerance] : {std::pair{Precision::kF64, 1e-12}, {Precision::kF32, 1e-5}}) {
    const View view = View::of_part(run_, *coordinates_, order_, 300, precision);
    EXPECT_EQ(view.precision(), precision);
    expect_sums(view, part(300), tolerance);
  }
}

TEST_F(ViewTest, CodesAreThoseOfTheFirstSamples) {
  const Matrix<double> b = test::random_gaussian(kFeatures, kFeatures, 4);
  const Vector<double> shift = Vector<double>::LinSpaced(kFeatures, 0.1, 1);
  const Matrix<double> expected = b * (part(20).colwise() - shift);
  for (const auto& [precision, tolerance] : {std::pair{Precision::kF64, 1e-13}, {Precision::kF32, 1e-5}}) {
    const View view = View::of_part(run_, *coordinates_, order_, 100, precision);
    EXPECT_LE((view.codes(b, shift, 20, 0) - expected).norm(), tolerance * expected.norm());
  }
}

TEST_F(ViewTest, CountsSamplesThatEqualAnother) {
  const View all = View::of_part(run_, *coordinates_, order_, kSamples, Precision::kF32);
  EXPECT_DOUBLE_EQ(all.duplicates(), 2.0 / kSamples);
}

// √(2d) in units of the rms: heavy tails weigh no more than the rest.
TEST_F(ViewTest, CutsLongSamples) {
  constexpr Index kCount = 300;
  const double most = std::sqrt(2.0 * kFeatures);
  Matrix<double> expected = part(kCount);
  EXPECT_GT(expected.colwise().norm().maxCoeff(), most);
  for (Index j = 0; j < kCount; ++j) expected.col(j) *= std::min(1.0, most / expected.col(j).norm());
  for (const auto& [precision, tolerance] : {std::pair{Precision::kF64, 1e-12}, {Precision::kF32, 1e-5}}) {
    View view = View::of_part(run_, *coordinates_, order_, kCount, precision);
    view.cut_long_samples();
    expect_sums(view, expected, tolerance);
    const Matrix<double> x = view.codes(test::identity(kFeatures), Vector<double>::Zero(kFeatures), kCount, 0);
    EXPECT_LE((x - expected).norm(), tolerance * expected.norm());
  }
}

TEST(Duplicates, AreEqualSamplesAndAllZerosButOne) {
  const Matrix<double> once = test::random_gaussian(3, 200, 1);
  Matrix<double> y(3, 1000);
  for (Index j = 0; j < 600; ++j) y.col(j) = once.col(j % 200);
  y.rightCols(400).setZero();
  y(1, 999) = -0.0;
  const std::unique_ptr<Samples> samples = samples_in_columns(y);
  const Options options;
  solver::Run run(*samples, options, "auto");
  const Coordinates coordinates(run.measure(true), "y", Preprocessing{.center = true});
  const View view = View::of_part(
      run, coordinates, [](Index i) { return i; }, y.cols(), Precision::kF32);
  EXPECT_DOUBLE_EQ(view.duplicates(), 0.4 + 0.399);
}

}  // namespace
}  // namespace orthodict::solver
