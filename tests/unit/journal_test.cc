// SPDX-License-Identifier: Apache-2.0
// Entries of the journal are recalled when method auto is resumed.
#include "solver/auto/journal.h"

#include "files.h"
#include "solver/auto/evidence.h"

namespace orthodict::solver {
namespace {

class Matrices final : public Resumable {
 public:
  explicit Matrices(Matrix<double> matrix) : matrix_(std::move(matrix)) {}
  void save(formats::NpzBuilder* file) const override { file->add("m", RowMatrix<double>(matrix_)); }
  void load(const formats::NpzFile& file) override { matrix_ = to_matrix(file.array("m")); }
  [[nodiscard]] const Matrix<double>& matrix() const { return matrix_; }

 private:
  Matrix<double> matrix_;
};

constexpr Index kFeatures = 4, kSamples = 300;

class JournalTest : public test::FolderTest {
 protected:
  // A checkpoint with these entries and a matrix.
  void make_checkpoint(const std::vector<Journal::Entry>& entries) {
    options_.checkpoint = path("c.npz");
    options_.checkpoint_every = 0;
    start();
    for (const Journal::Entry& entry : entries) {
      EXPECT_FALSE(journal_->recall());
      journal_->note(entry);
    }
    Matrices matrices(test::identity(2));
    journal_->reach(&matrices);
    options_.checkpoint.clear();
    options_.resume = path("c.npz");
  }
  void start() {
    evidence_.reset();
    journal_.reset();
    run_.emplace(*samples_, options_, "auto");
    const engine::Moments moments = run_->measure(true);
    coordinates_.emplace(moments, "y", Preprocessing{.center = true, .square = true});
    run_->checkpoint().open(run_->summary(), *samples_, moments);
    journal_.emplace(run_->checkpoint());
    evidence_.emplace(*run_, *journal_, *coordinates_);
  }
  // The error of a resumed run when an entry isn't the expected one.
  std::string refusal(const Journal::Entry& entry, const std::function<void()>& ask) {
    options_ = {};
    make_checkpoint({entry});
    start();
    return test::error_of(ask).second;
  }
  // Of the first fold.
  [[nodiscard]] Verdict verdict_on(const Place& at) {
    const Fold& fold = evidence_->split().folds().front();
    std::vector<HeldOut> held_out;
    held_out.push_back(evidence_->held_out(fold, 4, at));
    const auto statistics = evidence_->pair_statistics(held_out, {at}, evidence_->signs(part(), at));
    return evidence_->verdict(statistics.front(), part().size(), at);
  }
  [[nodiscard]] View part() { return *evidence_->part_to_explore(200, Precision::kF64, {}); }

  Matrix<double> y_ = test::sparse_samples(kFeatures, kSamples);
  std::unique_ptr<Samples> samples_ = samples_in_columns(y_);
  Options options_;
  Matrix<double> b_ = test::random_orthogonal<double>(kFeatures, 3);
  Matrix<double> inverse_ = b_.transpose();
  Vector<double> shift_ = Vector<double>::Zero(kFeatures);
  Place at_{b_, inverse_, shift_};
  std::optional<solver::Run> run_;
  std::optional<Coordinates> coordinates_;
  std::optional<Journal> journal_;
  std::optional<Evidence> evidence_;
};

TEST_F(JournalTest, RecallsWhatWasNotedAndLoadsTheMatricesThere) {
  make_checkpoint({Journal::Entry{{1, 2}}, Journal::Entry{{3}}});
  start();
  ASSERT_TRUE(journal_->is_replaying());
  EXPECT_EQ(journal_->recall(), (Journal::Entry{{1, 2}}));
  EXPECT_EQ(journal_->recall(), Journal::Entry{{3}});
  EXPECT_FALSE(journal_->is_replaying());
  EXPECT_FALSE(journal_->recall());
  // The first pass over the samples uses the matrices of the checkpoint.
  EXPECT_NE(test::error_of([&] { (void)evidence_->tangled_pairs(part(), at_); }).second.find("course of the run"),
            std::string::npos);
  Matrices matrices(Matrix<double>::Zero(2, 2));
  journal_->reach(&matrices);
  EXPECT_EQ(matrices.matrix(), test::identity(2));
  journal_->note(Journal::Entry{{4}});
  EXPECT_FALSE(journal_->is_replaying());
  journal_->save(&matrices);
  start();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(journal_->recall());
  EXPECT_FALSE(journal_->recall());
}

TEST_F(JournalTest, WithoutAFileNotesNothing) {
  start();
  journal_->note(Journal::Entry{{1}});
  EXPECT_FALSE(journal_->is_replaying());
  Matrices matrices(test::identity(2));
  journal_->reach(&matrices);
  journal_->save(&matrices);
  EXPECT_TRUE(files().empty());
}

// The same sizes, cut short, too long or no sizes at all.
TEST_F(JournalTest, RefusesSizesThatDoNotFit) {
  make_checkpoint({Journal::Entry{{1, 2}}, Journal::Entry{{3}}});
  const formats::NpzFile whole(path("c.npz"));
  options_.resume = path("damaged.npz");
  for (const std::vector<double>& sizes : {std::vector<double>{2}, {2, 2}, {-1, 4}, {std::nan("")}}) {
    formats::NpzBuilder builder;
    builder.add_text("identity", whole.text("identity"));
    builder.add("sizes", std::span<const double>(sizes));
    builder.add("entries", Vector<double>{{1, 2, 3}});
    write_file(options_.resume, builder.finish());
    EXPECT_NE(test::error_of([&] { start(); }).second.find("sizes don't fit"), std::string::npos);
  }
  formats::NpzBuilder builder;
  builder.add_text("identity", whole.text("identity"));
  builder.add("entries", Vector<double>{{1, 2, 3}});
  write_file(options_.resume, builder.finish());
  EXPECT_NE(test::error_of([&] { start(); }).second.find("no \"sizes\""), std::string::npos);
}

// A resumed run recalls the same values, whatever its matrices are.
TEST_F(JournalTest, EvidenceIsRecalled) {
  options_.checkpoint = path("c.npz");
  options_.checkpoint_every = 0;
  start();
  const Mixture mixture = evidence_->mixture(part(), at_, {}, {});
  const Pairs pairs = evidence_->tangled_pairs(part(), at_);
  const Verdict verdict = evidence_->noted([&] { return verdict_on(at_); });
  const double kept = evidence_->energy_kept(part(), at_);
  EXPECT_TRUE(evidence_->noted([] { return true; }));
  const StepOutcome step{Vector<double>{{1, 2, 3, 4}}, 0.5, Vector<double>{{5, 6, 7, 8}}, 9, 10};
  EXPECT_FALSE(evidence_->recall_step());
  evidence_->note(step);
  Matrices matrices(test::identity(2));
  evidence_->reach(&matrices);
  options_.checkpoint.clear();
  options_.resume = path("c.npz");
  start();
  const Matrix<double> other = test::random_orthogonal<double>(kFeatures, 4), back = other.transpose();
  const Place elsewhere{other, back, shift_};
  const Mixture same = evidence_->mixture(part(), elsewhere, {1}, {});
  EXPECT_EQ(same.theta, mixture.theta);
  EXPECT_EQ(same.noise, mixture.noise);
  EXPECT_EQ(same.signal, mixture.signal);
  EXPECT_EQ(evidence_->tangled_pairs(part(), elsewhere), pairs);
  const Verdict again = evidence_->noted([&] { return verdict_on(elsewhere); });
  EXPECT_EQ(again.on_part, verdict.on_part);
  EXPECT_EQ(again.on_all, verdict.on_all);
  EXPECT_EQ(again.error.mean, verdict.error.mean);
  EXPECT_EQ(again.error.variance, verdict.error.variance);
  EXPECT_EQ(again.structure, verdict.structure);
  EXPECT_EQ(evidence_->energy_kept(part(), elsewhere), kept);
  EXPECT_TRUE(evidence_->noted([] { return false; }));
  const auto taken = evidence_->recall_step();
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->row_steps, step.row_steps);
  EXPECT_EQ(taken->energy_step, 0.5);
  EXPECT_EQ(taken->mean_curvature, step.mean_curvature);
  EXPECT_EQ(taken->objective, 9);
  EXPECT_EQ(taken->passes, 10);
}

TEST_F(JournalTest, AStopLeavesNoPart) {
  std::stop_source source;
  start();
  source.request_stop();
  EXPECT_FALSE(evidence_->part_to_explore(200, Precision::kF64, source.get_token()));
  const Fold& fold = evidence_->split().folds().front();
  EXPECT_FALSE(evidence_->part_of_fold(fold, Precision::kF64, source.get_token()));
}

TEST_F(JournalTest, EvidenceThatCannotBeIsRefused) {
  const auto says = [](const std::string& message, const char* what) {
    EXPECT_NE(message.find(what), std::string::npos) << message;
  };
  const auto mixture = [&] { (void)evidence_->mixture(part(), at_, {}, {}); };
  says(refusal(Journal::Entry{{0.5, 0.1}}, mixture), "wrong size");
  says(refusal(Journal::Entry{{0.5, 1, 0.1}}, mixture), "mixture out of range");
  const auto pairs = [&] { (void)evidence_->tangled_pairs(part(), at_); };
  for (const Journal::Entry& entry : {Journal::Entry{{1}}, Journal::Entry{{0, 4}}, Journal::Entry{{-1, 2}}}) {
    says(refusal(entry, pairs), "atom index out of range");
  }
  const auto verdict = [&] { (void)evidence_->noted([&] { return verdict_on(at_); }); };
  says(refusal(Vector<double>::Ones(2 * kFeatures), verdict), "wrong size");
  for (const double value : {1.5, -0.5, std::nan("")}) {
    says(refusal(Vector<double>::Constant(2 * kFeatures + 3, value), verdict), "confidence out of range");
  }
  says(refusal(Vector<double>::Ones(2), [&] { (void)evidence_->energy_kept(part(), at_); }), "wrong size");
  says(refusal(Vector<double>::Ones(1), [&] { (void)evidence_->recall_part(); }), "wrong size");
  const auto step = [&] { (void)evidence_->recall_step(); };
  says(refusal(Vector<double>::Ones(2 * kFeatures), step), "wrong size");
  says(refusal(Vector<double>::Constant(2 * kFeatures + 3, -1), step), "number of passes out of range");
}

}  // namespace
}  // namespace orthodict::solver
