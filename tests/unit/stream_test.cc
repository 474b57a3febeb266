// SPDX-License-Identifier: Apache-2.0
#include "orthodict/stream.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <optional>
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

// Columns [0, first) of Y, then pieces of `size`.
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

TEST(FitStream, OfOneSectionIsAFit) {
  const Matrix<double> y = made(0.1, 1, 3000).samples().transpose();
  const FitResult whole = test::fit_columns(y, {});
  for (const Index size : {Index{3000}, Index{2500}}) {  // a short remainder is merged with the last section
    const FitResult streamed = fit_pieces(y, size);
    EXPECT_EQ(streamed.model.dictionary, whole.model.dictionary);
    EXPECT_EQ(streamed.model.analysis, whole.model.analysis);
    EXPECT_EQ(streamed.model.metadata, whole.model.metadata);
    EXPECT_EQ(streamed.summary.message, whole.summary.message);
  }
}

TEST(FitStream, ThatIsExactlySparseIsLearnedExactly) {
  for (const double condition : {1.0, 5.0}) {
    const Synthetic data = made(0, condition, 8000);
    const FitResult result = fit_pieces(data.samples().transpose(), 2000);
    EXPECT_LE(compare(result.model, data.dictionary()).error, 1e-10);
    EXPECT_EQ(result.summary.samples, 8000);
    EXPECT_EQ(result.summary.established, 20);
    EXPECT_EQ(result.summary.noise, 0.0);
    EXPECT_EQ(result.summary.termination, Termination::kConverged);
    EXPECT_LE((result.model.analysis * result.model.dictionary.transpose() - test::identity(20)).norm(), 1e-10);
  }
}

// Errors of independent sections average out: that of 16 sections equals that of all samples and is far below that of
// one.
TEST(FitStream, LosesLittleToAFitOfAllSamples) {
  for (const double condition : {1.0, 3.0}) {
    const Synthetic data = made(0.05, condition, 32'000);
    const Matrix<double> y = data.samples().transpose();
    const RowMatrix<double> truth = data.dictionary();
    const double streamed = compare(fit_pieces(y, 2000).model, truth).error;
    const double whole = compare(test::fit_columns(y, {}).model, truth).error;
    const double first = compare(test::fit_columns(y.leftCols(2000), {}).model, truth).error;
    EXPECT_LT(streamed, 1.5 * whole) << condition;
    EXPECT_LT(streamed, first / 4) << condition;
  }
}

// Later sections are finished as the first is, whose dictionary was found to be orthogonal without being asked for.
TEST(FitStream, LosesLittleWhereTheDictionaryIsFoundToBeOrthogonal) {
  const Synthetic data({.dimension = 20, .samples = 20'000, .theta = 0.5, .noise = 0.2, .seed = 4});
  const Matrix<double> y = data.samples().transpose();
  const FitResult streamed = fit_pieces(y, 1000);
  EXPECT_EQ(streamed.summary.dictionary, Dictionary::kOrthogonal);
  const double whole = compare(test::fit_columns(y, {}).model, data.dictionary()).error;
  EXPECT_LT(compare(streamed.model, data.dictionary()).error, 1.5 * whole);
  EXPECT_LE((streamed.model.dictionary * streamed.model.dictionary.transpose() - test::identity(20)).norm(), 1e-12);
}

TEST(FitStream, GivesACanonicalModel) {
  const Synthetic data = made(0.1, 3, 8000);
  const Matrix<double> y = data.samples().transpose();
  const Model model = fit_pieces(y, 2000).model;
  EXPECT_LE((model.dictionary.rowwise().norm().array() - 1).abs().maxCoeff(), 1e-14);
  const Vector<double> energies = (model.analysis * (y.colwise() - model.mean)).rowwise().squaredNorm();
  for (Index i = 0; i < model.atoms(); ++i) {
    EXPECT_GT(model.dictionary.row(i).maxCoeff(), -model.dictionary.row(i).minCoeff());
    EXPECT_GE(energies[std::max<Index>(i - 1, 0)], energies[i] * (1 - 1e-9));
  }
  EXPECT_GT(model.confidence.minCoeff(), 0.99);
}

TEST(FitStream, DoesntDependOnThreads) {
  const Matrix<double> y = made(0.1, 3, 6000).samples().transpose();
  Options options;
  options.threads = 1;
  const FitResult one = fit_pieces(y, 2000, options);
  options.threads = 3;
  const FitResult three = fit_pieces(y, 2000, options);
  EXPECT_EQ(one.model.dictionary, three.model.dictionary);
  EXPECT_EQ(one.model.metadata, three.model.metadata);
}

TEST(FitStream, MayBeLearnedByMatchStretchProject) {
  const Synthetic data = made(0, 1, 20'000);
  const RowMatrix<double> truth = data.dictionary();
  const Matrix<double> y = data.samples().transpose();
  const FitResult result = fit_pieces(y, 5000, test::msp());
  EXPECT_LT(compare(result.model, truth).error, 1.5 * compare(test::fit_columns(y, test::msp()).model, truth).error);
  EXPECT_LE((result.model.dictionary * result.model.dictionary.transpose() - test::identity(20)).norm(), 1e-13);
}

// A later section contains what the first lacks.
TEST(FitStream, GoesOnFromASectionWithoutStructure) {
  const Synthetic data = made(0, 1, 4000);
  Matrix<double> y(20, 6000);
  y << std::sqrt(0.2) * test::random_gaussian(20, 2000, 1), data.samples().transpose();
  const FitResult result = fit_pieces(y, 2000);
  EXPECT_EQ(result.summary.termination, Termination::kConverged);
  EXPECT_EQ(result.summary.established, 20);
  EXPECT_LE(compare(result.model, data.dictionary()).error, 1e-10);
}

TEST(FitStream, OfNoiseHasNoStructure) {
  const FitResult result = fit_pieces(test::random_gaussian(10, 6000, 1), 2000);
  EXPECT_EQ(result.summary.termination, Termination::kNotEstablished);
  EXPECT_EQ(result.summary.established, 0);
}

TEST(FitStream, CountsItsIterationsOn) {
  Options options;
  std::vector<int> seen;
  options.callback = [&](const Iterate& iterate) {
    EXPECT_EQ(iterate.model().atoms(), 20);
    seen.push_back(iterate.record().iteration);
    return false;
  };
  const FitResult result = fit_pieces(made(0.1, 1, 6000).samples().transpose(), 2000, options);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), result.summary.iterations);
  EXPECT_EQ(result.summary.history.size(), seen.size());
}

TEST(FitStream, EndsWhenItIsStopped) {
  const Matrix<double> y = made(0.1, 1, 20'000).samples().transpose();
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

TEST(FitStream, HasATimeLimitForAllOfIt) {
  const Matrix<double> y = made(0.1, 1, 4000).samples().transpose();
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

TEST(FitStream, RefusesWhatItCannotDo) {
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

TEST(FitStream, OfSectionsThatThrowThrows) {
  const Matrix<double> y = made(0.1, 1, 4000).samples().transpose();
  int sections = 0;
  const Sections failing = [&](const std::stop_token&) -> std::unique_ptr<Samples> {
    if (++sections == 3) throw data_error("pipe", "broke");
    return samples_in_columns(y);
  };
  EXPECT_EQ(test::error_of([&] { static_cast<void>(fit_stream(failing)); }).second, "pipe: broke");
}

// State inside the callable is kept between calls.
TEST(FitStream, MayBeAFunctionWithStateOfItsOwn) {
  const Matrix<double> y = made(0.1, 1, 4000).samples().transpose();
  const FitResult result = fit_stream([&y, left = 5](const std::stop_token&) mutable -> std::unique_ptr<Samples> {
    return left-- > 0 ? samples_in_columns(y) : nullptr;
  });
  EXPECT_EQ(result.summary.samples, 5 * 4000);
}

// Returns `count` sections, and then waits for a stop.
class Stalled {
 public:
  Stalled(const Matrix<double>& y, int sections) : y_(y), left_(sections) {}

  std::unique_ptr<Samples> operator()(const std::stop_token& stop) {
    if (left_-- > 0) return samples_in_columns(y_);
    waits = true;
    while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return nullptr;
  }

  std::atomic<bool> waits = false;

 private:
  const Matrix<double>& y_;
  int left_;
};

TEST(FitStream, ThatStallsEndsAtItsTimeLimit) {
  const Matrix<double> y = made(0.1, 1, 2000).samples().transpose();
  Options options;
  options.time_limit = 0.5;
  for (const int sections : {1, 2, 3}) {
    Stalled stalled(y, sections);
    const FitResult result = fit_stream(std::ref(stalled), options);
    EXPECT_EQ(result.summary.termination, Termination::kTimeLimit) << sections;
    EXPECT_GE(result.summary.samples, 2000);
    EXPECT_LE(result.summary.samples, sections * 2000);
    EXPECT_NE(result.model.metadata.find("time_limit"), std::string::npos);
  }
  Stalled empty(y, 0);
  EXPECT_EQ(test::error_of([&] { static_cast<void>(fit_stream(std::ref(empty), options)); }).second,
            "stream: no samples arrived within the time limit of 0.5 s");
}

TEST(FitStream, ThatStallsEndsWhenItIsStopped) {
  const Matrix<double> y = made(0.1, 1, 2000).samples().transpose();
  for (const int sections : {0, 3}) {
    Stalled stalled(y, sections);
    std::stop_source source;
    Options options;
    options.stop = source.get_token();
    std::thread stopper([&] {
      while (!stalled.waits) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      source.request_stop();
    });
    try {
      const FitResult result = fit_stream(std::ref(stalled), options);
      EXPECT_EQ(result.summary.termination, Termination::kStopped);
      EXPECT_GE(result.summary.samples, 4000);  // the sections before the current one
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kStopped) << error.what();
      EXPECT_EQ(sections, 0);
    }
    stopper.join();
  }
}

// Its second section isn't available before the first was fitted.
TEST(FitStream, IsLearnedFromAsItComes) {
  const Matrix<double> y = made(0.1, 1, 2000).samples().transpose();
  std::atomic<int> iterations = 0;
  int sections = 0;
  const Sections hesitant = [&](const std::stop_token& stop) -> std::unique_ptr<Samples> {
    if (++sections == 1) return samples_in_columns(y);
    while (iterations == 0 && !stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return nullptr;
  };
  Options options;
  options.time_limit = 60;
  options.callback = [&](const Iterate&) {
    ++iterations;
    return false;
  };
  EXPECT_EQ(fit_stream(hesitant, options).summary.termination, Termination::kConverged);
}

TEST(FitStream, MayHaveAllTheTimeInTheWorld) {
  const Matrix<double> y = made(0.1, 1, 6000).samples().transpose();
  for (const double limit : {1e10, 1e300, std::numeric_limits<double>::infinity()}) {
    Options options;
    options.time_limit = limit;
    const FitResult result = fit_pieces(y, 2000, options);
    EXPECT_EQ(result.summary.termination, Termination::kConverged) << limit;
    EXPECT_EQ(result.summary.samples, 6000) << limit;
  }
}

// A sensor that was off for a while.
TEST(FitStream, GoesOnAfterSamplesThatAreAllEqual) {
  for (const bool centred : {false, true}) {
    const Synthetic data = made(0, 3, 6000);
    Matrix<double> y = data.samples().transpose();
    y.middleCols(2000, 2000).setConstant(centred ? 3 : 0);
    Options options;
    options.center = centred;
    const FitResult result = fit_pieces(y, 2000, options);
    EXPECT_EQ(result.summary.termination, Termination::kConverged);
    EXPECT_EQ(result.summary.samples, 6000);
    EXPECT_LE(compare(result.model, data.dictionary()).error, 1e-10);
  }
}

TEST(FitStream, OfBadValuesIsAnErrorWhereverTheyAre) {
  Matrix<double> y = Matrix<double>::Zero(20, 6000);
  y.leftCols(4000) = made(0, 3, 4000).samples().transpose();
  y(3, 5000) = NAN;
  EXPECT_EQ(test::error_of([&] { static_cast<void>(fit_pieces(y, 2000)); }).first, Fault::kData);
}

// Short pieces don't make a section of their own each.
TEST(FitStream, MayComeInPiecesOfAnySize) {
  const Synthetic data = made(0, 1, 8000);
  const Matrix<double> y = data.samples().transpose();
  Index at = 0;
  const std::vector<Index> sizes = {2000, 300, 1, 900, 0, 2000, 2000, 700, 99};
  std::size_t next = 0;
  const FitResult result = fit_stream([&](const std::stop_token&) -> std::unique_ptr<Samples> {
    if (next == sizes.size()) return nullptr;
    const Index count = sizes[next++];
    at += count;
    return view_samples(y.data() + (at - count) * 20, 20, count, 20);
  });
  EXPECT_EQ(result.summary.samples, 8000);
  EXPECT_EQ(result.summary.termination, Termination::kConverged);
  EXPECT_LE(compare(result.model, data.dictionary()).error, 1e-10);
}

TEST(FitStream, ThatStallsDoesntKeepAnErrorWaiting) {
  Matrix<double> y = made(0.1, 1, 2000).samples().transpose();
  y(3, 7) = NAN;
  Stalled stalled(y, 2);
  const auto [fault, message] = test::error_of([&] { static_cast<void>(fit_stream(std::ref(stalled))); });
  EXPECT_EQ(fault, Fault::kData) << message;
}

// A feature that is dead for a while, whether the number of atoms is told or not. Atoms of the other sections are
// exact.
TEST(FitStream, MayLoseRank) {
  const Synthetic data = made(0, 3, 6000);
  Matrix<double> y = data.samples().transpose();
  y.block(0, 2000, 1, 2000).setZero();
  for (const std::optional<Index> atoms : {std::optional<Index>(), std::optional<Index>(20)}) {
    Options options;
    options.atoms = atoms;
    options.dictionary = Dictionary::kComplete;
    const FitResult result = fit_pieces(y, 2000, options);
    EXPECT_EQ(result.model.atoms(), 20);
    EXPECT_LE(compare(result.model, data.dictionary()).error, 1e-10);
  }
}

// A feature that is dead at first.
TEST(FitStream, MayGainRank) {
  const Synthetic data = made(0, 3, 6000);
  Matrix<double> y = data.samples().transpose();
  y.block(0, 0, 1, 2000).setZero();
  const FitResult result = fit_pieces(y, 2000);
  EXPECT_EQ(result.model.atoms(), 20);
  EXPECT_EQ(result.summary.rank, 20);
  EXPECT_LE(compare(result.model, data.dictionary()).error, 1e-10);
}

TEST(FitStream, OfAnotherDimensionIsAnError) {
  const Matrix<double> y = made(0.1, 1, 2000).samples().transpose();
  int sections = 0;
  const Sections uneven = [&](const std::stop_token&) -> std::unique_ptr<Samples> {
    return view_samples(y.data(), ++sections == 3 ? 10 : 20, 2000, 20);
  };
  EXPECT_EQ(test::error_of([&] { static_cast<void>(fit_stream(uneven)); }).second,
            "matrix: 10 features, but the stream began with 20");
}

TEST(FitStream, OfMuchNoiseHasNoStructureEither) {
  const FitResult result = fit_pieces(test::random_gaussian(8, 40'000, 1), 500);
  EXPECT_EQ(result.summary.termination, Termination::kNotEstablished);
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
