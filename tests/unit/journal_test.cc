// SPDX-License-Identifier: Apache-2.0
// Checkpoints: what is noted is recalled, and what doesn't fit is refused. Runs that are killed: tests/cli.
#include "solver/journal.h"

#include "data_files.h"

namespace orthodict::solver {
namespace {

class Matrices final : public Iterand {
 public:
  explicit Matrices(Matrix<double> matrix, const Journal* journal = nullptr)
      : matrix_(std::move(matrix)), journal_(journal) {}
  void save(data::NpzBuilder* file) const override { file->add("m", RowMatrix<double>(matrix_)); }
  void load(const data::NpzFile& file) override { matrix_ = journal_->matrix(file, "m", 2, 3); }
  [[nodiscard]] const Matrix<double>& matrix() const { return matrix_; }

 private:
  Matrix<double> matrix_;
  const Journal* journal_;
};

const Matrix<double> kMatrix{{1, 2, 3}, {4, 5, 6}};

class JournalTest : public test::FolderTest {
 protected:
  JournalTest() {
    options_.checkpoint = path("c.npz");
    options_.checkpoint_every = 0;
  }
  void open(Journal& journal) const { journal.open(summary_, *samples_in_columns(y_), moments_); }

  // A checkpoint with the entries (1, 2) and (3).
  void make_checkpoint() {
    Journal journal(options_, alone_);
    open(journal);
    EXPECT_EQ(journal.recall(2, [] { return Journal::Entry{{1, 2}}; }), (Journal::Entry{{1, 2}}));
    journal.note(Journal::Entry{{3}});
    Matrices matrices(kMatrix);
    journal.reach(&matrices);
    EXPECT_EQ(journal.failure(), "");
  }
  [[nodiscard]] Options resuming() const {
    Options options = options_;
    options.checkpoint.clear();
    options.resume = path("c.npz");
    return options;
  }
  // Why a run with these options doesn't go on from the checkpoint.
  std::string refusal(const Options& options) {
    Journal journal(options, alone_);
    return test::error_of([&] { open(journal); }).second;
  }
  static Journal::Entry unexpected() {
    ADD_FAILURE() << "this is known";
    return {};
  }

  Options options_ = test::msp();
  Summary summary_;
  Matrix<double> y_ = test::random_gaussian(3, 10, 1);
  engine::Moments moments_{Vector<double>::Ones(3), test::identity(3)};
  engine::Collective alone_;
};

TEST_F(JournalTest, RecallsWhatWasNotedAndLoadsTheMatricesThere) {
  make_checkpoint();
  const Options options = resuming();
  Journal journal(options, alone_);
  open(journal);
  ASSERT_TRUE(journal.is_replaying());
  EXPECT_EQ(journal.recall(2, unexpected), (Journal::Entry{{1, 2}}));
  EXPECT_EQ(journal.recall(Journal::kAnySize, unexpected), (Journal::Entry{{3}}));
  EXPECT_FALSE(journal.is_replaying());
  // The run must look at the data, with the matrices of the checkpoint, before it finds out more.
  EXPECT_NE(test::error_of([&] { journal.require_loaded(); }).second.find("another way"), std::string::npos);
  EXPECT_THROW((void)journal.recall(1, unexpected), Error);
  Matrices matrices(Matrix<double>::Zero(2, 3), &journal);
  journal.reach(&matrices);
  EXPECT_EQ(matrices.matrix(), kMatrix);
  EXPECT_NO_THROW(journal.require_loaded());
  EXPECT_EQ(journal.recall(1, [] { return Journal::Entry{{4}}; }), Journal::Entry{{4}});
  EXPECT_FALSE(journal.is_replaying());
}

TEST_F(JournalTest, WithoutAFileDoesNothing) {
  options_.checkpoint.clear();
  Journal journal(options_, alone_);
  open(journal);
  journal.note(Journal::Entry{{1}});
  EXPECT_FALSE(journal.is_replaying());
  EXPECT_EQ(journal.recall(1, [] { return Journal::Entry{{2}}; }), Journal::Entry{{2}});
  Matrices matrices(kMatrix);
  journal.reach(&matrices);
  journal.save(matrices);
  EXPECT_TRUE(files().empty());
  EXPECT_EQ(journal.failure(), "");
}

TEST_F(JournalTest, SavesWhenItIsTimeAndWhenItIsTold) {
  options_.checkpoint_every = 1e9;
  Journal journal(options_, alone_);
  open(journal);
  Matrices matrices(kMatrix);
  journal.reach(&matrices);
  EXPECT_FALSE(std::filesystem::exists(options_.checkpoint));
  journal.save(matrices);
  EXPECT_TRUE(std::filesystem::exists(options_.checkpoint));
}

TEST_F(JournalTest, GoesOnWhenItCannotBeWritten) {
  options_.checkpoint = path("folder/c.npz");
  Journal journal(options_, alone_);
  open(journal);
  journal.save(Matrices(kMatrix));
  EXPECT_NE(journal.failure().find("folder/c.npz"), std::string::npos);
  std::filesystem::create_directory(path("folder"));
  journal.save(Matrices(kMatrix));
  EXPECT_EQ(journal.failure(), "");
  EXPECT_TRUE(std::filesystem::exists(options_.checkpoint));
}

TEST_F(JournalTest, RefusesTheCheckpointOfAnotherRun) {
  make_checkpoint();
  Options options = resuming();
  options.seed = 5;
  EXPECT_NE(refusal(options).find("options.seed was 0, and is 5"), std::string::npos) << refusal(options);
  options = resuming();
  options.max_iterations = 7;
  Journal journal(options, alone_);
  EXPECT_NO_THROW(open(journal));
  moments_.mean[1] = std::nextafter(1.0, 2.0);
  EXPECT_NE(refusal(resuming()).find("the samples have other values"), std::string::npos);
  moments_.mean[1] = 1;
  moments_.second_moment(2, 0) = 1e-300;
  EXPECT_NE(refusal(resuming()).find("the samples have other values"), std::string::npos);
  moments_.second_moment(2, 0) = 0;
  moments_.signature = Vector<double>::Ones(3);
  EXPECT_NE(refusal(resuming()).find("or another order"), std::string::npos);
}

TEST_F(JournalTest, ComparesTheDictionaryItStartsFrom) {
  options_.init = Initialization::kGiven;
  options_.initial_dictionary = RowMatrix<double>::Identity(3, 3);
  make_checkpoint();
  Options options = resuming();
  options.initial_dictionary(0, 1) = 0.5;
  EXPECT_NE(refusal(options).find("initial_dictionary"), std::string::npos);
}

TEST_F(JournalTest, RefusesFilesThatAreNoCheckpoints) {
  Options options = test::msp();
  options.resume = path("model.npz");
  data::NpzBuilder file;
  file.add_text("identity", "{}");
  file.add("entries", Vector<double>{{1}});
  write_file(options.resume, file.finish());
  EXPECT_NE(test::error_of([&] { Journal(options, alone_); }).second.find("no \"sizes\""), std::string::npos);
  file.add("sizes", Vector<double>{{1}});
  write_file(options.resume, file.finish());
  EXPECT_NE(refusal(options).find("made by another run"), std::string::npos);
}

TEST_F(JournalTest, RefusesEntriesAndMatricesOfOtherSizes) {
  make_checkpoint();
  const Options options = resuming();
  Journal journal(options, alone_);
  open(journal);
  EXPECT_NE(test::error_of([&] { (void)journal.recall(3, unexpected); }).second.find("another size"),
            std::string::npos);
  const data::NpzFile file(options.resume);
  EXPECT_EQ(journal.matrix(file, "m", 2, 3), kMatrix);
  for (const auto& [rows, columns] : {std::pair<Index, Index>{3, 2}, {2, 2}, {2, 4}, {3, 3}}) {
    EXPECT_NE(
        test::error_of([&, r = rows, c = columns] { (void)journal.matrix(file, "m", r, c); }).second.find("\"m\""),
        std::string::npos);
  }
  const auto [fault, message] = test::error_of([&] { journal.refuse("broken"); });
  EXPECT_EQ(fault, Fault::kData);
  EXPECT_EQ(message, options.resume + ": broken");
}

TEST_F(JournalTest, RefusesMatricesThatAreNotFinite) {
  make_checkpoint();
  data::NpzBuilder builder;
  builder.add("m", RowMatrix<double>(RowMatrix<double>::Constant(2, 3, std::nan(""))));
  write_file(path("nan.npz"), builder.finish());
  const Options options = resuming();
  const Journal journal(options, alone_);
  EXPECT_THROW((void)journal.matrix(data::NpzFile(path("nan.npz")), "m", 2, 3), Error);
}

// The same sizes, cut short, too long or no sizes at all.
TEST_F(JournalTest, RefusesSizesThatDoNotFit) {
  make_checkpoint();
  const data::NpzFile whole(path("c.npz"));
  const std::string identity = whole.text("identity");
  for (const std::vector<double>& sizes : {std::vector<double>{2}, {2, 2}, {-1, 4}, {std::nan("")}}) {
    data::NpzBuilder builder;
    builder.add_text("identity", identity);
    builder.add("sizes", std::span<const double>(sizes));
    builder.add("entries", Vector<double>{{1, 2, 3}});
    write_file(path("damaged.npz"), builder.finish());
    Options options = resuming();
    options.resume = path("damaged.npz");
    EXPECT_NE(refusal(options).find("sizes don't fit"), std::string::npos);
  }
}

// Cut off after any number of iterations and resumed, a run ends in the same bits, and its history is whole.
void expect_same_course(const Matrix<double>& y, Options options, const std::string& file) {
  const FitResult whole = test::fit_columns(y, options);
  const int last = whole.summary.iterations;
  ASSERT_GT(last, 3);
  for (const int cut : {1, 2, last / 2, last - 1}) {
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

TEST_F(JournalTest, MspThatIsResumedEndsInTheSameBits) {
  expect_same_course(test::sparse_samples(8, 1500), test::msp(), path("msp.npz"));
}

TEST_F(JournalTest, AutoThatIsResumedEndsInTheSameBits) {
  expect_same_course(test::sparse_samples(8, 4000), {}, path("exact.npz"));
  // Noise, a mixture that isn't orthogonal and an offset: the other stages, with states that are gone back to.
  Matrix<double> y = test::sparse_samples(6, 3000, 2, 3) + 0.05 * test::random_gaussian(6, 3000, 3);
  y.array() += 1;
  expect_same_course(y, {}, path("noisy.npz"));
}

}  // namespace
}  // namespace orthodict::solver
