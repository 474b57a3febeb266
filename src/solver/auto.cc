// SPDX-License-Identifier: Apache-2.0
#include "solver/auto.h"

#include <memory>
#include <optional>
#include <utility>

#include "solver/auto/attempt.h"
#include "solver/normalize.h"
#include "solver/outliers.h"

namespace orthodict::solver {
namespace {

// Attempts in turn, until one is to be completed.
class Attempts {
 public:
  explicit Attempts(Run& run, engine::Moments moments) : run_(run), journal_(run.checkpoint()), moments_(moments) {}

  // What the last attempt has established, by the dictionary asked for, or by a complete one where that is in doubt.
  [[nodiscard]] Established establish() {
    if (run_.options().normalize == Normalization::kSamples) learn_from(Normalization::kSamples);
    const Established as_they_are = establish_dictionary();
    if (run_.options().normalize != Normalization::kAuto || as_they_are == Established::kExact) return as_they_are;
    const double confidence = attempt_->mean_confidence(as_they_are);
    learn_from(Normalization::kSamples);
    const Established normalized = establish_dictionary();
    if (attempt_->mean_confidence(normalized) > confidence) return normalized;
    learn_from(Normalization::kNone);
    return establish_dictionary();
  }

  // The last one. There is one from the first call of establish() on.
  [[nodiscard]] Attempt& last() { return *attempt_; }

 private:
  [[nodiscard]] Established establish_dictionary() {
    const Dictionary asked = run_.options().dictionary;
    const Established first = establish(asked);
    if (!attempt_->is_doubtful(first)) return first;
    const Established complete = establish(Dictionary::kComplete);
    return first != Established::kNone && complete != Established::kExact ? establish(asked) : complete;
  }

  [[nodiscard]] Established establish(Dictionary dictionary) {
    attempt_ = std::make_unique<Attempt>(run_, journal_, moments_, dictionary);
    return attempt_->establish();
  }

  void learn_from(Normalization normalization) {
    attempt_.reset();  // it holds on to samples
    if (normalization == Normalization::kNone) {
      run_.learn_from_samples_as_they_are();
      moments_ = run_.measure_learned(true);
    } else {
      moments_ = normalize_samples(run_, is_centred(run_, moments_), moments_, true);
    }
  }

  Run& run_;
  Journal journal_;
  engine::Moments moments_;  // of what is learned from, centred
  std::unique_ptr<Attempt> attempt_;
};

}  // namespace

FitResult run_auto(Run& run) {
  engine::Moments moments = run.measure(true);
  run.checkpoint().open(run.summary(), run.samples(), moments);
  set_aside_outliers(run, &moments);
  Attempts attempts(run, std::move(moments));
  std::optional<Termination> ended;
  try {
    const Established established = attempts.establish();
    attempts.last().complete(established);
  } catch (const RunEnded& end) {
    ended = end.termination;
    attempts.last().end_early();
  }
  return attempts.last().conclude(ended);
}

}  // namespace orthodict::solver
