// SPDX-License-Identifier: Apache-2.0
// Saving, loading and rejecting checkpoints. tests/cli has runs that are killed.
#include "solver/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stop_token>

#include "files.h"
#include "thread_ranks.h"

namespace orthodict::solver {
namespace {

class Matrices final : public Resumable {
 public:
  explicit Matrices(Matrix<double> matrix, const Checkpoint* checkpoint = nullptr)
      : matrix_(std::move(matrix)), checkpoint_(checkpoint) {}
  void save(formats::NpzBuilder* file) const override { file->add("m", RowMatrix<double>(matrix_)); }
  void load(const formats::NpzFile& file) override { matrix_ = checkpoint_->matrix(file, "m", 2, 3); }
  [[nodiscard]] const Matrix<double>& matrix() const { return matrix_; }

 private:
  Matrix<double> matrix_;
  const Checkpoint* checkpoint_;
};

const Matrix<double> kMatrix{{1, 2, 3}, {4, 5, 6}};

class CheckpointTest : public test::FolderTest {
 protected:
  CheckpointTest() {
    options_.checkpoint = path("c.npz");
    options_.checkpoint_every = 0;
  }
  void open(Checkpoint& checkpoint) const { checkpoint.open(summary_, *samples_in_columns(y_), moments_); }

  // A checkpoint with the matrix.
  void make_checkpoint() {
    Checkpoint checkpoint(options_, alone_);
    open(checkpoint);
    Matrices matrices(kMatrix);
    checkpoint.reach(&matrices);
    EXPECT_EQ(checkpoint.failure(), "");
  }
  [[nodiscard]] Options resuming() const {
    Options options = options_;
    options.checkpoint.clear();
    options.resume = path("c.npz");
    return options;
  }
  // The message of the Error when a run with these options resumes from the checkpoint.
  std::string refusal(const Options& options) {
    Checkpoint checkpoint(options, alone_);
    return test::error_of([&] { open(checkpoint); }).second;
  }
  Options options_ = test::msp();
  Summary summary_;
  Matrix<double> y_ = test::random_gaussian(3, 10, 1);
  engine::Moments moments_{Vector<double>::Ones(3), test::identity(3)};
  engine::Collective alone_;
};

TEST_F(CheckpointTest, LoadsWhatWasSaved) {
  make_checkpoint();
  const Options options = resuming();
  Checkpoint checkpoint(options, alone_);
  open(checkpoint);
  EXPECT_TRUE(checkpoint.is_open());
  ASSERT_TRUE(checkpoint.resumed());
  checkpoint.read([](const formats::NpzFile& file) { EXPECT_TRUE(file.contains("m")); });
  // The checkpoint requires that the run passes over the data, with the checkpoint's matrices, before anything else.
  EXPECT_NE(test::error_of([&] { checkpoint.require_loaded(); }).second.find("course of the run"), std::string::npos);
  Matrices matrices(Matrix<double>::Zero(2, 3), &checkpoint);
  checkpoint.reach(&matrices);
  EXPECT_EQ(matrices.matrix(), kMatrix);
  EXPECT_FALSE(checkpoint.resumed());
  EXPECT_NO_THROW(checkpoint.require_loaded());
}

TEST_F(CheckpointTest, WithoutAFileDoesNothing) {
  options_.checkpoint.clear();
  Checkpoint checkpoint(options_, alone_);
  open(checkpoint);
  EXPECT_FALSE(checkpoint.is_open());
  Matrices matrices(kMatrix);
  checkpoint.reach(&matrices);
  checkpoint.save(matrices);
  EXPECT_TRUE(files().empty());
  EXPECT_EQ(checkpoint.failure(), "");
}

TEST_F(CheckpointTest, SavesWhenItIsTimeAndWhenItIsTold) {
  options_.checkpoint_every = 1e9;
  Checkpoint checkpoint(options_, alone_);
  open(checkpoint);
  Matrices matrices(kMatrix);
  checkpoint.reach(&matrices);
  EXPECT_FALSE(std::filesystem::exists(options_.checkpoint));
  checkpoint.save(matrices);
  EXPECT_TRUE(std::filesystem::exists(options_.checkpoint));
}

TEST_F(CheckpointTest, GoesOnWhenItCannotBeWritten) {
  options_.checkpoint = path("folder/c.npz");
  Checkpoint checkpoint(options_, alone_);
  open(checkpoint);
  checkpoint.save(Matrices(kMatrix));
  EXPECT_NE(checkpoint.failure().find("folder/c.npz"), std::string::npos);
  std::filesystem::create_directory(path("folder"));
  checkpoint.save(Matrices(kMatrix));
  EXPECT_EQ(checkpoint.failure(), "");
  EXPECT_TRUE(std::filesystem::exists(options_.checkpoint));
}

TEST_F(CheckpointTest, RefusesTheCheckpointOfAnotherRun) {
  make_checkpoint();
  Options options = resuming();
  options.seed = 5;
  EXPECT_NE(refusal(options).find("options.seed was 0, now is 5"), std::string::npos) << refusal(options);
  options = resuming();
  options.max_iterations = 7;
  Checkpoint checkpoint(options, alone_);
  EXPECT_NO_THROW(open(checkpoint));
  moments_.mean[1] = std::nextafter(1.0, 2.0);
  EXPECT_NE(refusal(resuming()).find("the samples differ in values or order"), std::string::npos);
  moments_.mean[1] = 1;
  moments_.second_moment(2, 0) = 1e-300;
  EXPECT_NE(refusal(resuming()).find("the samples differ in values or order"), std::string::npos);
  moments_.second_moment(2, 0) = 0;
  moments_.signature = Vector<double>::Ones(3);
  EXPECT_NE(refusal(resuming()).find("values or order"), std::string::npos);
}

TEST_F(CheckpointTest, ComparesTheDictionaryItStartsFrom) {
  options_.init = Initialization::kGiven;
  options_.initial_dictionary = RowMatrix<double>::Identity(3, 3);
  make_checkpoint();
  Options options = resuming();
  options.initial_dictionary(0, 1) = 0.5;
  EXPECT_NE(refusal(options).find("initial_dictionary"), std::string::npos);
}

TEST_F(CheckpointTest, RefusesFilesThatAreNoCheckpoints) {
  Options options = test::msp();
  options.resume = path("model.npz");
  formats::NpzBuilder file;
  file.add("m", Vector<double>{{1}});
  write_file(options.resume, file.finish());
  EXPECT_NE(test::error_of([&] { Checkpoint(options, alone_); }).second.find("no \"identity\""), std::string::npos);
  file.add_text("identity", "{}");
  write_file(options.resume, file.finish());
  EXPECT_NE(refusal(options).find("made by another run"), std::string::npos);
}

TEST_F(CheckpointTest, RefusesMatricesOfOtherSizes) {
  make_checkpoint();
  const Options options = resuming();
  Checkpoint checkpoint(options, alone_);
  open(checkpoint);
  const formats::NpzFile file(options.resume);
  EXPECT_EQ(checkpoint.matrix(file, "m", 2, 3), kMatrix);
  for (const auto& [rows, columns] : {std::pair<Index, Index>{3, 2}, {2, 2}, {2, 4}, {3, 3}}) {
    EXPECT_NE(
        test::error_of([&, r = rows, c = columns] { (void)checkpoint.matrix(file, "m", r, c); }).second.find("\"m\""),
        std::string::npos);
  }
  const auto [fault, message] = test::error_of([&] { checkpoint.refuse("broken"); });
  EXPECT_EQ(fault, Fault::kData);
  EXPECT_EQ(message, options.resume + ": broken");
  EXPECT_NE(test::error_of([&] { checkpoint.refuse_iterations(17); }).second.find("max_iterations = 17"),
            std::string::npos);
}

TEST_F(CheckpointTest, RefusesMatricesThatAreNotFinite) {
  make_checkpoint();
  formats::NpzBuilder builder;
  builder.add("m", RowMatrix<double>(RowMatrix<double>::Constant(2, 3, std::nan(""))));
  write_file(path("nan.npz"), builder.finish());
  const Options options = resuming();
  const Checkpoint checkpoint(options, alone_);
  EXPECT_THROW((void)checkpoint.matrix(formats::NpzFile(path("nan.npz")), "m", 2, 3), Error);
}

// A run that is interrupted after any number of iterations and resumed gives the same bits and a complete history.
void expect_same_course(const Matrix<double>& y, const Options& options, const std::string& file,
                        std::vector<int> cuts = {}) {
  const FitResult whole = test::fit_columns(y, options);
  const int last = whole.summary.iterations;
  ASSERT_GT(last, 3);
  if (cuts.empty()) cuts = {1, 2, last / 2, last - 1};
  for (const int cut : cuts) {
    Options first = options;
    first.checkpoint = file;
    first.max_iterations = cut;
    EXPECT_EQ(test::fit_columns(y, first).summary.termination, Termination::kMaxIterations);
    Options second = options;
    second.resume = file;
    const FitResult resumed = test::fit_columns(y, second);
    EXPECT_EQ(resumed.model.analysis, whole.model.analysis) << cut;
    EXPECT_EQ(resumed.model.dictionary, whole.model.dictionary) << cut;
    EXPECT_EQ(resumed.model.mean, whole.model.mean) << cut;
    EXPECT_EQ(resumed.model.confidence, whole.model.confidence) << cut;
    EXPECT_EQ(resumed.summary.iterations, last) << cut;
    ASSERT_EQ(resumed.summary.history.size(), whole.summary.history.size()) << cut;
    for (std::size_t i = 0; i < whole.summary.history.size(); ++i) {
      EXPECT_EQ(resumed.summary.history[i].objective, whole.summary.history[i].objective) << cut << ", " << i;
      EXPECT_EQ(resumed.summary.history[i].step, whole.summary.history[i].step) << cut << ", " << i;
    }
  }
}

TEST_F(CheckpointTest, MspThatIsResumedEndsInTheSameBits) {
  expect_same_course(test::sparse_samples(8, 1500), test::msp(), path("msp.npz"));
}

TEST_F(CheckpointTest, MspBySecondOrderThatIsResumedEndsInTheSameBits) {
  const Matrix<double> y = test::sparse_samples(8, 1500, 1, 3);
  Options options = test::msp();
  options.stretch = "logcosh";
  options.dictionary = Dictionary::kComplete;
  options.accelerate = true;
  expect_same_course(y, options, path("ascent.npz"));
  const FitResult whole = test::fit_columns(y, options);
  options.resume = path("ascent.npz");
  EXPECT_EQ(test::fit_columns(y, options).summary.passes, whole.summary.passes);
}

// The history of method msp is part of its checkpoint.
TEST_F(CheckpointTest, MspRefusesAHistoryThatCannotBe) {
  const Matrix<double> y = test::sparse_samples(8, 1500);
  Options options = test::msp();
  options.checkpoint = path("msp.npz");
  options.max_iterations = 3;
  (void)test::fit_columns(y, options);
  const formats::NpzFile good(options.checkpoint);
  options.checkpoint.clear();
  options.resume = path("damaged.npz");
  const auto refusal_of = [&](const Vector<double>& objectives, const Vector<double>& steps) {
    formats::NpzBuilder file;
    file.add_text("identity", good.text("identity"));
    file.add("a", to_matrix(good.array("a")));
    file.add("objectives", objectives);
    file.add("steps", steps);
    write_file(options.resume, file.finish());
    return test::error_of([&] { (void)test::fit_columns(y, options); }).second;
  };
  EXPECT_NE(refusal_of(Vector<double>::Ones(3), Vector<double>::Ones(2)).find("sizes don't fit"), std::string::npos);
  EXPECT_NE(refusal_of(Vector<double>::Ones(2), Vector<double>{{1, -1}}).find("step out of range"), std::string::npos);
  EXPECT_NE(refusal_of(Vector<double>::Ones(2), Vector<double>{{1, std::nan("")}}).find("step out of range"),
            std::string::npos);
  EXPECT_NE(refusal_of(Vector<double>::Ones(4), Vector<double>::Ones(4)).find("max_iterations = 3"), std::string::npos);
}

// So is what the runs of a consensus have learned.
TEST_F(CheckpointTest, RefusesRunsThatCannotBe) {
  const Matrix<double> y = test::sparse_samples(4, 500);
  Options options = test::msp();
  options.runs = 3;
  options.resample = Resampling::kNone;
  options.checkpoint = path("runs.npz");
  options.checkpoint_every = 0;
  (void)test::fit_columns(y, options);
  const formats::NpzFile good(options.checkpoint);
  options.checkpoint.clear();
  options.resume = path("damaged.npz");
  const auto refusal_of = [&](const Vector<double>& passes, Index rows) {
    formats::NpzBuilder file;
    file.add_text("identity", good.text("identity"));
    for (const char* name : {"a", "objectives", "steps", "runs_limit"}) file.add(name, to_matrix(good.array(name)));
    file.add("runs_passes", passes);
    file.add("runs_rows", RowMatrix<double>(to_matrix(good.array("runs_rows")).topRows(rows)));
    write_file(options.resume, file.finish());
    std::string message = "none";
    try {
      (void)test::fit_columns(y, options);
    } catch (const Error& error) {
      message = error.what();
    }
    return message;
  };
  EXPECT_EQ(refusal_of(Vector<double>{{5, 7}}, 8), "none");
  EXPECT_NE(refusal_of(Vector<double>{{1e9, 1e9}}, 8).find("passes out of range"), std::string::npos);
  EXPECT_NE(refusal_of(Vector<double>{{5, 0.5}}, 8).find("passes out of range"), std::string::npos);
  EXPECT_NE(refusal_of(Vector<double>{{5, 7}}, 7).find("its runs don't fit"), std::string::npos);
  EXPECT_NE(refusal_of(Vector<double>{{5, -1}}, 8).find("its runs don't fit"), std::string::npos);
  EXPECT_NE(refusal_of(Vector<double>{{5, 7, -1}}, 8).find("its runs don't fit"), std::string::npos);
}

// A stop after the last run comes too late to discard the runs.
TEST_F(CheckpointTest, KeepsAConsensusThatIsComplete) {
  const Matrix<double> y = test::sparse_samples(4, 500);
  Options options = test::msp();
  options.runs = 3;
  options.checkpoint = path("runs.npz");
  options.checkpoint_every = 0;
  const FitResult whole = test::fit_columns(y, options);
  options.checkpoint.clear();
  options.resume = path("runs.npz");
  std::stop_source stop;
  options.stop = stop.get_token();
  options.callback = [&](const Iterate& /*last*/) { return stop.request_stop() && false; };
  const FitResult result = test::fit_columns(y, options);
  EXPECT_TRUE(stop.stop_requested());
  ASSERT_EQ(result.summary.runs, 3);
  EXPECT_EQ(result.model.dictionary, whole.model.dictionary);
  EXPECT_EQ(result.model.stability, whole.model.stability);
}

TEST_F(CheckpointTest, AutoThatIsResumedEndsInTheSameBits) {
  expect_same_course(test::sparse_samples(8, 4000), {}, path("exact.npz"));
  // Noise, a mixture that isn't orthogonal and an offset exercise the other stages, and returns to earlier states.
  Matrix<double> y = test::sparse_samples(6, 3000, 2, 3) + 0.05 * test::random_gaussian(6, 3000, 3);
  y.array() += 1;
  expect_same_course(y, {}, path("noisy.npz"));
}

// At most a dozen iterations of that stage, without the last iteration of the run.
std::vector<int> some_of_stage(const std::vector<IterationRecord>& history, Stage stage) {
  std::vector<int> all;
  for (const IterationRecord& record : history) {
    if (record.stage == stage && record.iteration < history.back().iteration) all.push_back(record.iteration);
  }
  std::vector<int> some;
  const std::size_t every = std::max<std::size_t>(all.size() / 12, 1);
  for (std::size_t i = every / 2; i < all.size(); i += every) some.push_back(all[i]);
  return some;
}

// With few samples, candidates for the finish are compared on all samples, and a fifth is held out only to judge the
// winner. With many samples, a fifth is held out for both.
TEST_F(CheckpointTest, AutoThatIsResumedWhereFinishesCompeteEndsInTheSameBits) {
  const std::vector<std::pair<Index, std::vector<Index>>> cases = {{200, {200, 160}}, {3000, {2400}}};
  for (const auto& [samples, sizes] : cases) {
    const Matrix<double> y = test::sparse_samples(6, samples, 2, 3) + 0.1 * test::random_gaussian(6, samples, 3);
    const std::vector<IterationRecord> history = test::fit_columns(y, {}).summary.history;
    const std::vector<int> cuts = some_of_stage(history, Stage::kRefine);
    const auto samples_at = [&](int cut) { return history[static_cast<std::size_t>(cut)].samples; };
    for (const Index size : sizes) {
      EXPECT_TRUE(std::any_of(cuts.begin(), cuts.end(), [&](int cut) { return samples_at(cut) == size; })) << size;
    }
    expect_same_course(y, {}, path("competing.npz"), cuts);
  }
}

// Every sample of a part is read separately, so that stops happen while parts are copied and in passes over all
// samples.
TEST_F(CheckpointTest, AutoThatIsStoppedAnywhereIsResumedToTheSameBits) {
  for (const Index size : {200, 3000}) {
    const Matrix<double> y = test::sparse_samples(6, size, 2, 3) + 0.02 * test::random_gaussian(6, size, 3);
    const FitResult whole = test::fit_columns(y, {});
    int resumed = 0;
    for (const int calls : {50, 150, 250, 350, 600, 900, 1200, 1500, 1800, 2500, 3200, 4000, 5000, 6000, 7000, 8000}) {
      std::stop_source stop;
      Options first;
      first.threads = 1;
      first.stop = stop.get_token();
      first.checkpoint = path(fmt::format("{}-{}.npz", size, calls));
      (void)fit(test::StoppingSamples(y, stop, calls), first);
      if (!stop.stop_requested() || !std::filesystem::exists(first.checkpoint)) continue;
      // Stopped again before it reaches the state of the checkpoint.
      for (const int again : {30, 130, 230, 330}) {
        std::stop_source stop_again;
        Options resumed_and_stopped;
        resumed_and_stopped.threads = 1;
        resumed_and_stopped.stop = stop_again.get_token();
        resumed_and_stopped.resume = resumed_and_stopped.checkpoint = first.checkpoint;
        (void)fit(test::StoppingSamples(y, stop_again, again), resumed_and_stopped);
      }
      Options second;
      second.resume = first.checkpoint;
      const FitResult result = test::fit_columns(y, second);
      EXPECT_EQ(result.model.dictionary, whole.model.dictionary) << size << ", " << calls;
      EXPECT_EQ(result.model.confidence, whole.model.confidence) << size << ", " << calls;
      EXPECT_EQ(result.summary.iterations, whole.summary.iterations) << size << ", " << calls;
      ++resumed;
    }
    EXPECT_GE(resumed, 8) << size;
  }
}

// Ranks that see different files under the same name.
TEST_F(CheckpointTest, RanksGoOnFromTheSameOrNotAtAll) {
  const Matrix<double> y = test::sparse_samples(8, 1500);
  const auto samples = samples_in_columns(y);
  for (Options options : {Options{}, test::msp()}) {
    for (const int rank : {0, 1}) {
      options.checkpoint = path(std::to_string(rank));
      options.max_iterations = 3 + rank;
      (void)fit(*samples, options);
    }
    options.checkpoint.clear();
    const auto results = test::on_ranks(2, [&](const std::shared_ptr<Ranks>& ranks) {
      Options own = options;
      own.ranks = ranks;
      own.resume = path(std::to_string(ranks->rank()));
      return fit(*samples, own);
    });
    for (const auto& own : results)
      EXPECT_NE(own.error.find("other ranks resume from"), std::string::npos) << own.error;
  }
}

}  // namespace
}  // namespace orthodict::solver
