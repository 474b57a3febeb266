// SPDX-License-Identifier: Apache-2.0
// Eigen objects of every kind as samples. tests/compile has those that must not compile.
#include "orthodict/eigen.h"

#include "support.h"

namespace orthodict {
namespace {

RowMatrix<double> values_of(const Samples& samples) {
  RowMatrix<double> values(samples.size(), samples.dimension());
  Vector<double> scratch(samples.dimension());
  for (Index j = 0; j < samples.size(); ++j) {
    const Block<double> block = samples.block(j, 1, scratch.data());
    values.row(j) = Eigen::Map<const Vector<double>>(block.data, samples.dimension());
  }
  return values;
}

template <typename T>
void expect_views(const T& x) {
  const RowMatrix<double> expected = x.template cast<double>();
  EXPECT_EQ(values_of(*samples_in_rows(x)), expected);
  EXPECT_EQ(values_of(*samples_in_columns(x)), expected.transpose());
}

TEST(EigenObjects, OfEveryKindAreViewed) {
  const Eigen::MatrixXd x = test::random_gaussian(6, 4, 1);
  expect_views(x);
  expect_views(Eigen::Matrix<double, -1, -1, Eigen::RowMajor>(x));
  expect_views(RowMatrix<double>(x));
  expect_views(Eigen::Matrix<double, 6, 4>(x));
  expect_views(Eigen::Matrix<float, -1, 4, Eigen::RowMajor>(x.cast<float>()));
  expect_views(Eigen::ArrayXXf(x.cast<float>()));
  expect_views(Eigen::VectorXd(x.col(1)));
  expect_views(Eigen::RowVectorXd(x.row(1)));
  expect_views(Eigen::Map<const Eigen::MatrixXd>(x.data(), 3, 8));
  expect_views(Eigen::Map<const Eigen::MatrixXd, 0, Eigen::Stride<-1, -1>>(x.data(), 2, 3, {8, 2}));
  expect_views(Eigen::Ref<const Eigen::MatrixXd>(x));
  expect_views(x.block(1, 1, 3, 2));
  expect_views(x.row(2));
  expect_views(x.transpose());
  expect_views(x(Eigen::seq(0, 4, 2), Eigen::all).eval());
}

template <typename Scalar>
void expect_integers() {
  Eigen::Matrix<Scalar, -1, -1> x(2, 2);
  x << Scalar(1), Scalar(100), Scalar(-1), std::numeric_limits<Scalar>::max();
  expect_views(x);
}

TEST(EigenObjects, OfIntegersAreViewed) {
  expect_integers<std::uint8_t>();
  expect_integers<std::int8_t>();
  expect_integers<std::uint16_t>();
  expect_integers<std::int16_t>();
  expect_integers<int>();
  expect_integers<unsigned>();
  expect_integers<long>();
  expect_integers<unsigned long long>();
}

// A view doesn't copy, so that changes of the matrix are visible in it.
TEST(EigenObjects, AreNotCopied) {
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(3, 2);
  const auto rows = samples_in_rows(x);
  const auto block = samples_in_columns(x.topRows(2));
  x(1, 0) = 7;
  EXPECT_EQ(values_of(*rows)(1, 0), 7);
  EXPECT_EQ(values_of(*block)(0, 1), 7);
  Vector<double> scratch(2);
  EXPECT_EQ(samples_in_columns(x)->block(1, 1, scratch.data()).data, &x(0, 1));
}

TEST(EigenObjects, AreLearnedFrom) {
  const Synthetic data({.dimension = 8, .samples = 1000, .seed = 3});
  const Eigen::MatrixXd x = data.samples();
  const Options options{.seed = 5};
  const FitResult result = fit(x, options);
  EXPECT_LE(compare(result.model, data.dictionary()).error, 1e-10);
  EXPECT_EQ(result.model.dictionary, fit(*samples_in_rows(x), options).model.dictionary);
  EXPECT_EQ(result.model.dictionary,
            fit(data.samples(), options).model.dictionary);  // a temporary exists until the call returns
}

TEST(ViewSamples, OfNothingAreRefused) {
  const double* nowhere = nullptr;
  EXPECT_EQ(test::error_of([&] { (void)view_samples(nowhere, 2, 3, 2); }).first, Fault::kOption);
  EXPECT_EQ(view_samples(nowhere, 0, 3, 0)->size(), 3);
  EXPECT_EQ(samples_in_rows(Eigen::Map<const Eigen::MatrixXd>(nullptr, 0, 5))->dimension(), 5);
}

// Models of random shapes in every function that takes a model give an Error or a result of the right shape.
TEST(Models, OfShapesThatDoNotFitAreRefused) {
  const random::Stream stream(1, random::Purpose::kNoise);
  const std::string path = testing::TempDir() + "shapes.npz";
  for (Index trial = 0; trial < 300; ++trial) {
    Index drawn = 0;
    const auto size = [&] { return static_cast<Index>(4 * stream.uniform(trial, drawn++)); };
    const auto filled = [](Index rows, Index columns) { return RowMatrix<double>::Ones(rows, columns).eval(); };
    const Index k = size(), n = size();
    const auto near = [&](Index right) { return stream.uniform(trial, drawn++) < 0.7 ? right : size(); };
    const Index rows = near(k), columns = near(n), means = near(n), confidences = near(k);
    const Model model{filled(k, n), filled(rows, columns), Vector<double>::Ones(means), "{}",
                      Vector<double>::Ones(confidences)};
    const bool analysis_fits = (rows == k && columns == n) || (k > n && rows * columns == 0);
    const bool fits = k > 0 && n > 0 && analysis_fits && means == n && (confidences == 0 || confidences == k);
    const RowMatrix<double> x = filled(2, near(n)), codes = filled(2, near(k));
    const auto attempt = [&](bool legal, const auto& call) {
      try {
        call();
        EXPECT_TRUE(legal) << trial;
      } catch (const Error& error) {
        EXPECT_FALSE(legal) << trial << ": " << error.what();
      }
    };
    attempt(fits && x.cols() == n, [&] { EXPECT_EQ(encode(model, x).cols(), k); });
    attempt(fits && x.cols() == n, [&] { EXPECT_EQ(encode_sparse(model, x, {}).cols(), k); });
    attempt(fits && codes.cols() == k, [&] { EXPECT_EQ(decode(model, codes).cols(), n); });
    attempt(fits, [&] { save_model(path, model); });
    attempt(fits, [&] { EXPECT_EQ(model_from_bytes(model_to_bytes(model)).confidence.size(), confidences); });
    const RowMatrix<double> truth = filled(near(k), near(n));
    attempt(fits && truth.rows() > 0 && truth.cols() == n,
            [&] { EXPECT_EQ(static_cast<Index>(compare(model, truth).cosines.size()), k); });
  }
}

}  // namespace
}  // namespace orthodict
