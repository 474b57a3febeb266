// SPDX-License-Identifier: Apache-2.0
#include "orthodict/stream.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "solver/average.h"
#include "support.h"

namespace orthodict {
namespace {

using solver::Estimate;

Synthetic made(double noise, double condition, Index samples, Index dimension = 20) {
  return Synthetic(
      {.dimension = dimension, .samples = samples, .theta = 0.2, .condition = condition, .noise = noise, .seed = 3});
}

// Columns [0, first) of Y, and what follows in pieces of `size`.
class Pieces {
 public:
  Pieces(const Matrix<double>& y, Index size) : y_(y), size_(size) {}

  std::unique_ptr<Samples> operator()(const std::stop_token& /*stop*/ = {}) {
    const Index count = std::min(size_, y_.cols() - at_);
    if (count <= 0) return nullptr;
    const double* const first = y_.data() + at_ * y_.rows();
    at_ += count;
    ++given;
    return view_samples(first, y_.rows(), count, y_.rows());
  }

  std::atomic<int> given = 0;

 private:
  const Matrix<double>& y_;
  Index size_;
  Index at_ = 0;
};

FitResult fit_pieces(const Matrix<double>& y, Index size, const Options& options = {}) {
  Pieces pieces(y, size);
  return fit_stream(std::ref(pieces), options);
}

TEST(Stream, OfOneSectionIsAFit) {
  const Matrix<double> y = made(0.1, 1, 3000).samples();
  const FitResult whole = test::fit_columns(y, {});
  for (const Index size : {Index{3000}, Index{2500}}) {  // a short rest joins the section before
    const FitResult streamed = fit_pieces(y, size);
    EXPECT_EQ(streamed.model.dictionary, whole.model.dictionary);
    EXPECT_EQ(streamed.model.analysis, whole.model.analysis);
    EXPECT_EQ(streamed.model.metadata, whole.model.metadata);
    EXPECT_EQ(streamed.summary.message, whole.summary.message);
  }
}

TEST(Stream, ThatIsExactlySparseIsLearnedExactly) {
  for (const double condition : {1.0, 5.0}) {
    const Synthetic data = made(0, condition, 8000);
    const FitResult result = fit_pieces(data.samples(), 2000);
    EXPECT_LE(compare(result.model, data.dictionary().transpose()).error, 1e-10);
    EXPECT_EQ(result.summary.samples, 8000);
    EXPECT_EQ(result.summary.established, 20);
    EXPECT_EQ(result.summary.noise, 0.0);
    EXPECT_EQ(result.summary.termination, Termination::kConverged);
    EXPECT_LE((result.model.analysis * result.model.dictionary.transpose() - test::identity(20)).norm(), 1e-10);
  }
}

// Errors of independent sections average out: what 16 sections leave is that of all samples, and far below that of one.
TEST(Stream, LosesLittleToAFitOfAllSamples) {
  for (const double condition : {1.0, 3.0}) {
    const Synthetic data = made(0.05, condition, 32'000);
    const Matrix<double> y = data.samples();
    const RowMatrix<double> truth = data.dictionary().transpose();
    const double streamed = compare(fit_pieces(y, 2000).model, truth).error;
    const double whole = compare(test::fit_columns(y, {}).model, truth).error;
    const double first = compare(test::fit_columns(y.leftCols(2000), {}).model, truth).error;
    EXPECT_LT(streamed, 1.5 * whole) << condition;
    EXPECT_LT(streamed, first / 4) << condition;
  }
}

TEST(Stream, GivesACanonicalModel) {
  const Synthetic data = made(0.1, 3, 8000);
  const Matrix<double> y = data.samples();
  const Model model = fit_pieces(y, 2000).model;
  EXPECT_LE((model.dictionary.rowwise().norm().array() - 1).abs().maxCoeff(), 1e-14);
  const Vector<double> energies = (model.analysis * (y.colwise() - model.mean)).rowwise().squaredNorm();
  for (Index i = 0; i < model.atoms(); ++i) {
    EXPECT_GT(model.dictionary.row(i).maxCoeff(), -model.dictionary.row(i).minCoeff());
    EXPECT_GE(energies[std::max<Index>(i - 1, 0)], energies[i] * (1 - 1e-9));
  }
  EXPECT_GT(model.confidence.minCoeff(), 0.99);
}

TEST(Stream, DoesntDependOnThreads) {
  const Matrix<double> y = made(0.1, 3, 6000).samples();
  Options options;
  options.threads = 1;
  const FitResult one = fit_pieces(y, 2000, options);
  options.threads = 3;
  const FitResult three = fit_pieces(y, 2000, options);
  EXPECT_EQ(one.model.dictionary, three.model.dictionary);
  EXPECT_EQ(one.model.metadata, three.model.metadata);
}

TEST(Stream, MayBeLearnedByMatchStretchProject) {
  const Synthetic data = made(0, 1, 20'000);
  const RowMatrix<double> truth = data.dictionary().transpose();
  const Matrix<double> y = data.samples();
  const FitResult result = fit_pieces(y, 5000, test::msp());
  EXPECT_LT(compare(result.model, truth).error, 1.5 * compare(test::fit_columns(y, test::msp()).model, truth).error);
  EXPECT_LE((result.model.dictionary * result.model.dictionary.transpose() - test::identity(20)).norm(), 1e-13);
}

// What the first section doesn't have a later one does.
TEST(Stream, GoesOnFromASectionWithoutStructure) {
  const Synthetic data = made(0, 1, 4000);
  Matrix<double> y(20, 6000);
  y << std::sqrt(0.2) * test::random_gaussian(20, 2000, 1), data.samples();
  const FitResult result = fit_pieces(y, 2000);
  EXPECT_EQ(result.summary.termination, Termination::kConverged);
  EXPECT_EQ(result.summary.established, 20);
  EXPECT_LE(compare(result.model, data.dictionary().transpose()).error, 1e-10);
}

TEST(Stream, OfNoiseHasNoStructure) {
  const FitResult result = fit_pieces(test::random_gaussian(10, 6000, 1), 2000);
  EXPECT_EQ(result.summary.termination, Termination::kNoStructure);
  EXPECT_EQ(result.summary.established, 0);
}

TEST(Stream, CountsItsIterationsOn) {
  Options options;
  std::vector<int> seen;
  options.callback = [&](const Iterate& iterate) {
    EXPECT_EQ(iterate.model().atoms(), 20);
    seen.push_back(iterate.record().iteration);
    return false;
  };
  const FitResult result = fit_pieces(made(0.1, 1, 6000).samples(), 2000, options);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), result.summary.iterations);
  EXPECT_EQ(result.summary.history.size(), seen.size());
}

TEST(Stream, EndsWhenItIsStopped) {
  const Matrix<double> y = made(0.1, 1, 20'000).samples();
  Pieces pieces(y, 2000);
  Options options;
  int last = 0;
  options.callback = [&](const Iterate& iterate) {
    if (iterate.record().iteration < last) ADD_FAILURE();
    last = iterate.record().iteration;
    return pieces.given >= 5;
  };
  const FitResult result = fit_stream(std::ref(pieces), options);
  EXPECT_EQ(result.summary.termination, Termination::kStopped);
  EXPECT_GE(result.summary.samples, 4000);
  EXPECT_LT(result.summary.samples, 20'000);
  result.model.validate("model");
}

TEST(Stream, HasATimeLimitForAllOfIt) {
  const Matrix<double> y = made(0.1, 1, 4000).samples();
  int sections = 0;
  const Sections endless = [&](const std::stop_token&) -> std::unique_ptr<Samples> {
    ++sections;
    return samples_in_columns(y);
  };
  Options options;
  options.time_limit = 0.3;
  const FitResult result = fit_stream(endless, options);
  EXPECT_EQ(result.summary.termination, Termination::kTimeLimit);
  EXPECT_GT(sections, 1);
}

TEST(Stream, RefusesWhatItCannotDo) {
  const Sections none = [](const std::stop_token&) { return nullptr; };
  const auto refusal = [&](const auto& change) {
    Options options;
    change(options);
    return test::error_of([&] { static_cast<void>(fit_stream(none, options)); }).second;
  };
  EXPECT_EQ(refusal([](Options&) {}), "stream: has no samples");
  EXPECT_EQ(refusal([](Options& o) { o.checkpoint = "c"; }).rfind("checkpoint = c", 0), 0U);
  EXPECT_EQ(refusal([](Options& o) { o.resume = "c"; }).rfind("resume = c", 0), 0U);
  EXPECT_EQ(refusal([](Options& o) { o.tolerance = -1; }).rfind("tolerance", 0), 0U);
}

TEST(Stream, OfSectionsThatThrowThrows) {
  const Matrix<double> y = made(0.1, 1, 4000).samples();
  int sections = 0;
  const Sections failing = [&](const std::stop_token&) -> std::unique_ptr<Samples> {
    if (++sections == 3) throw data_error("pipe", "broke");
    return samples_in_columns(y);
  };
  EXPECT_EQ(test::error_of([&] { static_cast<void>(fit_stream(failing)); }).second, "pipe: broke");
}

// What is kept in the callable itself stays there.
TEST(Stream, MayBeAFunctionWithStateOfItsOwn) {
  const Matrix<double> y = made(0.1, 1, 4000).samples();
  const FitResult result = fit_stream([&y, left = 5](const std::stop_token&) mutable -> std::unique_ptr<Samples> {
    return left-- > 0 ? samples_in_columns(y) : nullptr;
  });
  EXPECT_EQ(result.summary.samples, 5 * 4000);
}

// Gives so many sections, and then waits until it is stopped.
Sections stalled(const Matrix<double>& y, int sections) {
  return [&y, sections](const std::stop_token& stop) mutable -> std::unique_ptr<Samples> {
    if (sections-- > 0) return samples_in_columns(y);
    while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return nullptr;
  };
}

TEST(Stream, ThatStallsEndsAtItsTimeLimit) {
  const Matrix<double> y = made(0.1, 1, 2000).samples();
  Options options;
  options.time_limit = 1;
  for (const int sections : {1, 2, 3}) {
    const FitResult result = fit_stream(stalled(y, sections), options);
    EXPECT_EQ(result.summary.termination, Termination::kTimeLimit) << sections;
    EXPECT_EQ(result.summary.samples, std::max(sections - 1, 1) * 2000);  // the last one waits for what may join it
    EXPECT_NE(result.model.metadata.find("time_limit"), std::string::npos);
  }
  EXPECT_EQ(test::error_of([&] { static_cast<void>(fit_stream(stalled(y, 0), options)); }).second,
            "stream: no samples came in time");
}

TEST(Stream, ThatStallsEndsWhenItIsStopped) {
  const Matrix<double> y = made(0.1, 1, 2000).samples();
  std::stop_source source;
  Options options;
  options.stop = source.get_token();
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1000));
    source.request_stop();
  });
  const FitResult result = fit_stream(stalled(y, 3), options);
  stopper.join();
  EXPECT_EQ(result.summary.termination, Termination::kStopped);
  EXPECT_EQ(result.summary.samples, 4000);
}

TEST(Stream, ThatStallsDoesntKeepAnErrorWaiting) {
  Matrix<double> y = made(0.1, 1, 2000).samples();
  y(3, 7) = NAN;
  const auto [fault, message] = test::error_of([&] { static_cast<void>(fit_stream(stalled(y, 2))); });
  EXPECT_EQ(fault, Fault::kData) << message;
}

// A feature that is dead at first.
TEST(Stream, MayGainRank) {
  const Synthetic data = made(0, 3, 6000);
  Matrix<double> y = data.samples();
  y.block(0, 0, 1, 2000).setZero();
  const FitResult result = fit_pieces(y, 2000);
  EXPECT_EQ(result.model.atoms(), 20);
  EXPECT_EQ(result.summary.rank, 20);
  EXPECT_LE(compare(result.model, data.dictionary().transpose()).error, 1e-3);
}

TEST(Stream, OfAnotherDimensionIsAnError) {
  const Matrix<double> y = made(0.1, 1, 2000).samples();
  int sections = 0;
  const Sections uneven = [&](const std::stop_token&) -> std::unique_ptr<Samples> {
    return view_samples(y.data(), ++sections == 3 ? 10 : 20, 2000, 20);
  };
  EXPECT_EQ(test::error_of([&] { static_cast<void>(fit_stream(uneven)); }).second,
            "matrix: 10 features, but the stream began with 20");
}

TEST(Stream, OfMuchNoiseHasNoStructureEither) {
  const FitResult result = fit_pieces(test::random_gaussian(8, 40'000, 1), 500);
  EXPECT_EQ(result.summary.termination, Termination::kNoStructure);
}

Estimate estimate_of(const Matrix<double>& atoms, double samples, double confidence) {
  Model model;
  model.dictionary = atoms;
  model.analysis = atoms;
  model.mean = Vector<double>::Constant(atoms.cols(), samples);
  model.confidence = Vector<double>::Constant(atoms.rows(), confidence);
  return {model, Vector<double>::Constant(atoms.rows(), samples), samples};
}

TEST(Average, IsWeightedWhateverTheOrderAndTheSigns) {
  const Matrix<double> a = test::random_orthogonal<double>(6, 1);
  Matrix<double> turned = a;  // by a small angle in the plane of the first two, then in another order
  turned.row(0) = std::cos(0.03) * a.row(0) + std::sin(0.03) * a.row(1);
  turned.row(1) = -std::sin(0.03) * a.row(0) + std::cos(0.03) * a.row(1);
  const Matrix<double> shuffled = -turned.colwise().reverse();
  const Estimate mean = solver::average(estimate_of(a, 200, 0.9), estimate_of(shuffled, 100, 0.8), true);
  EXPECT_NEAR(mean.model.dictionary.row(0).dot(a.row(1)), std::sin(0.01), 1e-5);  // a third of the way
  EXPECT_LE((mean.model.dictionary.row(4) - a.row(4)).norm(), 1e-14);
  EXPECT_NEAR(mean.model.mean[0], 500.0 / 3, 1e-12);
  EXPECT_NEAR(mean.model.confidence[0], 13.0 / 14, 1e-12);  // 9 + 4 to 1
  EXPECT_EQ(mean.samples, 300);
  EXPECT_EQ(mean.atom_samples[0], 300);
}

TEST(Average, KeepsWhatOnlyTheTrustedOneHas) {
  const Matrix<double> a = test::random_orthogonal<double>(6, 1);
  Matrix<double> half = a;  // two atoms are others, and none is established
  half.topRows(2) << (a.row(0) + a.row(1)) / std::sqrt(2), (a.row(0) - a.row(1)) / std::sqrt(2);
  const Estimate trusted = estimate_of(a, 100, 0.9);
  const Estimate other = estimate_of(half, 300, 0.2);
  for (const bool first : {true, false}) {
    const Estimate mean = first ? solver::average(trusted, other, true) : solver::average(other, trusted, true);
    EXPECT_LE((mean.model.dictionary - a).norm(), 1e-13);
    EXPECT_EQ(mean.atom_samples, Vector<double>::Constant(6, 100));
    EXPECT_NEAR(mean.model.confidence[0], 9.0 / 13, 1e-12);  // 9 to 1, of which a quarter is left
    EXPECT_EQ(mean.samples, 400);
  }
}

TEST(Average, MayBeOfFewerAtomsAndMore) {
  const Matrix<double> a = test::random_orthogonal<double>(6, 1);
  const Estimate all = estimate_of(a, 100, 0.9);
  const Estimate some = estimate_of(a.bottomRows(4), 100, 0.9);
  const Estimate mean = solver::average(some, all, true);
  EXPECT_EQ(mean.model.atoms(), 6);
  EXPECT_EQ(mean.atom_samples[0], 100);
  EXPECT_EQ(mean.atom_samples[5], 200);
  EXPECT_LE((mean.model.dictionary - a).norm(), 1e-13);
}

}  // namespace
}  // namespace orthodict
