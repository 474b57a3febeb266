// SPDX-License-Identifier: Apache-2.0
// Fewer samples than features: learning happens in the span of the samples, and results are in the data's coordinates.
#include "solver/span.h"

#include <limits>

#include "files.h"
#include "solver/decide.h"
#include "solver/options.h"
#include "thread_ranks.h"

namespace orthodict::solver {
namespace {

// Three sparse sources in n features with noise that has less variance, and a mean.
Matrix<double> wide_samples(Index n, Index p, double noise = 0.1) {
  const Matrix<double> atoms = test::random_gaussian(n, 3, 4).colwise().normalized();
  const Matrix<double> y = atoms * test::coefficients(3, p, 0.3, 0) +
                           noise * test::random_gaussian(n, p, 5) / std::sqrt(static_cast<double>(n));
  return y.colwise() + Vector<double>::LinSpaced(n, 0, 1);
}

TEST(Span, HasTheSamplesInAnOrthonormalBasis) {
  const Matrix<double> y = wide_samples(40, 7);
  const Span span(y, "y");
  ASSERT_EQ(span.samples().dimension(), 7);
  ASSERT_EQ(span.samples().size(), 7);
  EXPECT_EQ(span.samples().name(), "y");
  Matrix<double> z(7, 7), scratch(7, 7);
  const Block<double> block = span.samples().block(0, 7, scratch.data());
  z = Eigen::Map<const Matrix<double>, 0, Eigen::OuterStride<>>(block.data, 7, 7, Eigen::OuterStride<>(block.stride));
  EXPECT_LE((z.transpose() * z - y.transpose() * y).norm(), 1e-12 * y.squaredNorm());
  const RowMatrix<double> rows = y.transpose();
  EXPECT_LE((span.project(rows) - z.transpose()).norm(), 1e-13 * y.norm());

  Model model;
  model.dictionary = z.transpose();
  model.analysis = 2 * z.transpose();
  model.mean = z.col(0);
  const Model lifted = span.lift(model);
  EXPECT_LE((lifted.mean - y.col(0)).norm(), 1e-13 * y.norm());
  for (Index i = 0; i < 7; ++i) {
    EXPECT_GT(lifted.dictionary.row(i).maxCoeff(), -lifted.dictionary.row(i).minCoeff());
    const double sign = lifted.dictionary.row(i).dot(rows.row(i)) < 0 ? -1 : 1;
    EXPECT_LE((lifted.dictionary.row(i) - sign * rows.row(i)).norm(), 1e-13 * y.norm());
    EXPECT_LE((lifted.analysis.row(i) - 2 * sign * rows.row(i)).norm(), 1e-13 * y.norm());
  }
}

TEST(Span, IsGatheredFromAllRanks) {
  const Matrix<double> y = wide_samples(300, 290);
  for (const int count : {1, 3}) {
    for (const auto& own : test::on_ranks(count, [&](const std::shared_ptr<Ranks>& ranks) {
           const Index begin = ranks->rank() * 290 / count, end = (ranks->rank() + 1) * 290 / count;
           const Matrix<double> part = y.middleCols(begin, end - begin);
           const auto samples = samples_in_columns(part);
           const auto all = samples_of_ranks(*samples, *ranks);
           engine::Collective collective(ranks.get());
           return gather(*all, collective, {});
         })) {
      ASSERT_TRUE(own.result) << own.error;
      EXPECT_EQ(*own.result, y);
    }
  }
}

TEST(Span, NamesTheSampleThatIsNotFinite) {
  Matrix<double> y = wide_samples(40, 7);
  y(3, 2) = std::numeric_limits<double>::quiet_NaN();
  Options options;
  for (const Dictionary dictionary : {Dictionary::kAuto, Dictionary::kComplete}) {
    options.dictionary = dictionary;
    const std::string message = test::error_of([&] { (void)test::fit_columns(y, options); }).second;
    EXPECT_NE(message.find("sample 2, feature 3 is nan"), std::string::npos) << message;
  }
}

// Whitened coordinates are those of the n×n covariance, but for a rotation.
TEST(Span, ModelsAreThoseOfTheData) {
  const Matrix<double> y = wide_samples(60, 50);
  const Vector<double> mean = y.rowwise().mean();
  const Matrix<double> centred = y.colwise() - mean;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(centred * centred.transpose() / 50);
  const Matrix<double> leading = eigen.eigenvectors().rightCols(3);
  for (Options options : {Options(), test::msp()}) {
    options.dictionary = Dictionary::kComplete;
    options.center = true;
    options.atoms = 3;
    int calls = 0;
    options.callback = [&](const Iterate& iterate) {
      const Model model = iterate.model();
      EXPECT_EQ(model.dictionary.cols(), 60);
      EXPECT_LE((model.dictionary * leading * leading.transpose() - model.dictionary).norm(), 1e-10);
      return ++calls < 0;
    };
    const FitResult result = test::fit_columns(y, options);
    const Model& model = result.model;
    EXPECT_GT(calls, 0);
    EXPECT_EQ(result.summary.dimension, 60);
    EXPECT_EQ(result.summary.samples, 50);
    EXPECT_EQ(result.summary.rank, 49);
    EXPECT_NE(result.summary.message.find("rank 49 of 60"), std::string::npos);
    EXPECT_NE(model.metadata.find("\"dimension\":60"), std::string::npos);
    EXPECT_EQ(model.mean.size(), 60);
    EXPECT_LE((model.dictionary * leading * leading.transpose() - model.dictionary).norm(), 1e-10);
    EXPECT_LE((model.analysis * leading * leading.transpose() - model.analysis).norm(), 1e-10 * model.analysis.norm());
    EXPECT_LE((model.analysis * model.dictionary.transpose() - test::identity(3)).norm(), 1e-10);
    const Matrix<double> codes = model.analysis * centred;
    if (options.method == Method::kMsp) {  // orthogonal in whitened coordinates
      const Matrix<double> covariance = codes * codes.transpose() / 50;
      const Vector<double> spread = covariance.diagonal().cwiseSqrt();
      EXPECT_LE((covariance - Matrix<double>(spread.cwiseAbs2().asDiagonal())).norm(), 1e-10 * covariance.norm());
    }
  }
}

TEST(Span, StartsWhereItIsTold) {
  const Matrix<double> y = wide_samples(60, 50);
  Options options = test::msp();
  options.dictionary = Dictionary::kComplete;
  options.atoms = 3;
  options.max_iterations = 0;
  const Model random = test::fit_columns(y, options).model;
  options.init = Initialization::kGiven;
  options.initial_dictionary = random.dictionary;
  for (Index i = 0; i < 3; ++i) {  // as long as they were in whitened coordinates
    options.initial_dictionary.row(i) *= (random.analysis.row(i) * y).norm();
  }
  EXPECT_LE(1 - compare(test::fit_columns(y, options).model, random.dictionary).worst_cosine, 1e-10);
  options.initial_dictionary = RowMatrix<double>::Ones(2, 60);
  EXPECT_NE(
      test::error_of([&] { (void)test::fit_columns(y, options); }).second.find("2×60: must be atoms × dimension, 3×60"),
      std::string::npos);
}

// 65 pictures of 32256 pixels: a matrix of 32256² entries would take 8 GiB.
TEST(Span, TakesSamplesOfManyFeatures) {
  const Matrix<double> y = wide_samples(32256, 65);
  const Vector<double> mean = y.rowwise().mean();
  const Matrix<double> centred = y.colwise() - mean;
  const Matrix<double> gram = centred.transpose() * centred;
  const Vector<double> energies = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(gram).eigenvalues().reverse();
  for (Options options : {Options(), test::msp()}) {
    if (options.method == Method::kMsp) options.whiten = Whitening::kPca, options.center = true;
    options.atoms = 5;
    const FitResult result = test::fit_columns(y, options);
    EXPECT_EQ(result.summary.dictionary, Dictionary::kComplete);
    EXPECT_TRUE(result.summary.center);
    EXPECT_EQ(result.summary.rank, 64);
    EXPECT_EQ(result.model.dictionary.cols(), 32256);
    const Matrix<double> about = y.colwise() - result.model.mean;
    const Matrix<double> left = about - result.model.dictionary.transpose() * (result.model.analysis * about);
    EXPECT_NEAR(left.squaredNorm() / energies.tail(60).sum(), 1, 1e-9);
    options.atoms = 0.9;
    EXPECT_EQ(test::fit_columns(y, options).model.atoms(), number_for_share(0.9, energies));
    options.atoms = 65;
    EXPECT_NE(test::error_of([&] { (void)test::fit_columns(y, options); }).second.find("atoms = 65: must be 1 … 64"),
              std::string::npos);
  }
}

TEST(Span, HasOrthogonalAtomsIfThoseAreAskedFor) {
  const Matrix<double> y = wide_samples(32256, 40);  // a complete basis would be an Error
  for (Options options : {Options(), test::msp()}) {
    options.dictionary = Dictionary::kOrthogonal;
    options.atoms = 4;
    const FitResult result = test::fit_columns(y, options);
    EXPECT_EQ(result.summary.dictionary, Dictionary::kOrthogonal);
    EXPECT_FALSE(result.summary.center);
    EXPECT_LE((result.model.dictionary * result.model.dictionary.transpose() - test::identity(4)).norm(), 1e-12);
    EXPECT_EQ(result.model.analysis, result.model.dictionary);
  }
}

TEST(Span, GivesTheSameBitsOnRanksAndThreads) {
  const Matrix<double> y = wide_samples(400, 300);
  Options options;
  options.atoms = 3;
  options.threads = 1;
  const FitResult alone = test::fit_columns(y, options);
  EXPECT_EQ(alone.summary.dictionary, Dictionary::kComplete);
  for (const int count : {1, 2, 3}) {
    for (const auto& own : test::on_ranks(count, [&](const std::shared_ptr<Ranks>& ranks) {
           Options shared = options;
           shared.ranks = ranks;
           shared.threads = 2;
           const Index begin = ranks->rank() * 300 / count, end = (ranks->rank() + 1) * 300 / count;
           const Matrix<double> part = y.middleCols(begin, end - begin);
           const auto samples = samples_in_columns(part);
           return fit(*samples_of_ranks(*samples, *ranks), shared);
         })) {
      ASSERT_TRUE(own.result) << own.error;
      EXPECT_EQ(own.result->model.analysis, alone.model.analysis);
      EXPECT_EQ(own.result->model.dictionary, alone.model.dictionary);
      EXPECT_EQ(own.result->model.mean, alone.model.mean);
      EXPECT_EQ(own.result->model.metadata, alone.model.metadata);
    }
  }
}

using SpanFiles = test::FolderTest;

TEST_F(SpanFiles, ResumedEndsInTheSameBits) {
  const Matrix<double> y = wide_samples(60, 50);
  Options options;
  options.atoms = 3;
  const FitResult whole = test::fit_columns(y, options);
  options.max_iterations = 3;
  options.checkpoint = path("c.npz");
  (void)test::fit_columns(y, options);
  options.max_iterations.reset();
  options.resume = path("c.npz");
  const FitResult resumed = test::fit_columns(y, options);
  EXPECT_EQ(resumed.model.analysis, whole.model.analysis);
  EXPECT_EQ(resumed.model.mean, whole.model.mean);
  EXPECT_EQ(resumed.summary.history.size(), whole.summary.history.size());
}

TEST(Span, OptionsSayWhichDictionaryIsAskedFor) {
  Options options;
  EXPECT_EQ(dictionary_of(options), Dictionary::kAuto);
  options.whiten = Whitening::kNone;
  EXPECT_EQ(dictionary_of(options), Dictionary::kOrthogonal);
  options.whiten = Whitening::kPca;
  EXPECT_EQ(dictionary_of(options), Dictionary::kComplete);
  EXPECT_EQ(dictionary_of(test::msp()), Dictionary::kOrthogonal);
  options = test::msp();
  options.dictionary = Dictionary::kComplete;
  EXPECT_EQ(dictionary_of(options), Dictionary::kComplete);
}

}  // namespace
}  // namespace orthodict::solver
