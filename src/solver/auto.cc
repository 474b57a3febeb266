// SPDX-License-Identifier: Apache-2.0
#include "solver/auto.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orthodict/error.h"
#include "solver/auto/attempt.h"
#include "solver/normalize.h"
#include "solver/outliers.h"

namespace orthodict::solver {
namespace {

// Runs attempts one after the other, until one is to be completed. Judged attempts are kept until a better one exists.
class Attempts final : public Resumable {
 public:
  explicit Attempts(Run& run, engine::Moments moments)
      : run_(run), journal_(run.checkpoint()), moments_(std::move(moments)) {}

  // Returns what the attempt to complete has established. Tries the requested dictionary, a complete one if the first
  // is doubtful, and normalized samples if these may be better.
  [[nodiscard]] Established establish() {
    if (run_.options().normalize == Normalization::kSamples) normalize();
    establish_dictionary();
    if (run_.options().normalize != Normalization::kAuto || last().established == Established::kExact) {
      return last().established;
    }
    const double as_they_are = last().attempt->established_confidence(last().established);
    normalize();
    establish_dictionary();
    if (last().attempt->established_confidence(last().established) > as_they_are) {
      tried_.erase(tried_.begin());
    } else {
      go_back();
    }
    return last().established;
  }

  void complete(Established established) {
    if (run_.options().runs > 1) {
      last().attempt->complete_by_consensus(established, &other_runs_);
    } else {
      last().attempt->complete(established);
    }
  }

  // The run ended before an attempt was completed: the last attempt counts, unless an earlier one has established more.
  FitResult end_early(Termination termination) {
    while (tried_.size() > 1 && !last().attempt->is_judged_better_than(*tried_[tried_.size() - 2].attempt)) go_back();
    last().attempt->end_early();
    return last().attempt->conclude(termination);
  }
  FitResult conclude() { return last().attempt->conclude(std::nullopt); }

  void save(formats::NpzBuilder* file) const override {
    for (std::size_t i = 0; i < tried_.size(); ++i) tried_[i].attempt->search().save_as(prefix(i), file);
    other_runs_.save(file);
  }
  void load(const formats::NpzFile& file) override {
    for (std::size_t i = 0; i < tried_.size(); ++i) tried_[i].attempt->search().load_as(prefix(i), file);
    other_runs_.load(file, run_.checkpoint());
  }

 private:
  struct Tried {
    std::unique_ptr<Attempt> attempt;
    Normalization normalization;
    Established established = Established::kNone;
  };

  [[nodiscard]] static std::string prefix(std::size_t i) { return i == 0 ? "" : fmt::format("attempt{}_", i); }
  [[nodiscard]] Tried& last() { return tried_.back(); }

  void establish_dictionary() {
    establish(run_.options().dictionary);
    const Established asked = last().established;
    if (!last().attempt->is_doubtful(asked)) return;
    establish(Dictionary::kComplete);
    if (asked != Established::kNone && last().established != Established::kExact) {
      go_back();
    } else {
      tried_.erase(tried_.end() - 2);
    }
  }

  void establish(Dictionary dictionary) {
    if (!tried_.empty()) last().attempt->release_samples();
    tried_.push_back({std::make_unique<Attempt>(run_, journal_, moments_, dictionary, this), normalization_});
    last().established = last().attempt->establish();
  }

  // Goes back to the attempt before the last.
  void go_back() {
    tried_.pop_back();
    normalization_ = last().normalization;
    if (normalization_ == Normalization::kNone) run_.discard_normalization();
    last().attempt->resume();
  }

  void normalize() {
    if (run_.samples().dimension() < 2) return;  // ±1 is all that would be left
    if (!tried_.empty()) last().attempt->release_samples();
    try {
      moments_ = normalize_samples(run_, is_centred(run_, moments_), moments_, true);
      normalization_ = Normalization::kSamples;
    } catch (const Error& error) {
      if (tried_.empty() || error.fault() != Fault::kStopped) throw;
      throw RunEnded{Termination::kStopped};
    }
  }

  Run& run_;
  Journal journal_;
  engine::Moments moments_;  // of the samples learned from, centred
  Normalization normalization_ = Normalization::kNone;
  std::vector<Tried> tried_;  // all are judged, except the last
  OtherRuns other_runs_;      // of a consensus
};

}  // namespace

FitResult run_auto(Run& run) {
  engine::Moments moments = run.measure(true);
  run.checkpoint().open(run.summary(), run.samples(), moments);
  set_aside_outliers(run, &moments);
  Attempts attempts(run, std::move(moments));
  try {
    attempts.complete(attempts.establish());
  } catch (const RunEnded& end) {
    return attempts.end_early(end.termination);
  }
  return attempts.conclude();
}

}  // namespace orthodict::solver
