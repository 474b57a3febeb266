// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "solver/auto/decisions.h"
#include "solver/auto/evidence.h"
#include "solver/auto/refine.h"
#include "solver/auto/steps.h"

namespace orthodict::solver {

// What a run has established: exact zeros in all atoms; confidence in all, or in some, by samples that weren't used; or
// nothing, whether something is there or not.
enum class Established { kExact, kAll, kSome, kNone };

// Method auto for one dictionary, orthogonal or complete: its stages in turn. Establish and complete throw RunEnded.
class Attempt {
 public:
  // Moments are centred. Run and journal outlive the attempt. Checkpoints hold `saved`. Throws Error where these
  // samples can't be learned from so.
  Attempt(Run& run, Journal& journal, const engine::Moments& moments, Dictionary dictionary, Resumable* saved);

  // Explores growing parts of the samples, until there are exact zeros or all atoms are established; then finishes
  // compete.
  [[nodiscard]] Established establish();
  // That the dictionary isn't orthogonal may be the reason that nothing was established, or that zeros aren't exact
  // where samples are too few to tell what it is.
  [[nodiscard]] bool is_doubtful(Established established) const;

  // Another attempt follows, which needs the memory.
  void let_go_of_samples();
  // It is this one after all.
  void go_on();
  // By the atoms that are established so far. One that is being completed is better than any.
  [[nodiscard]] bool is_judged_better_than(const Attempt& other) const;

  // Of all atoms, if so much is established.
  [[nodiscard]] double mean_confidence(Established established) const;

  // On all samples: to the last digits of exact zeros, or to what noise leaves.
  void complete(Established established);

  // The run ended in one of the above: to the best that was judged.
  void end_early();
  // The result, by what the run ended with if it did.
  [[nodiscard]] FitResult conclude(std::optional<Termination> ended);

  [[nodiscard]] Search& search() { return search_; }
  [[nodiscard]] const Search& search() const { return search_; }

 private:
  // On growing parts. Tells what the last one tried has come to.
  [[nodiscard]] Established explore();
  // From one start, on the part at hand.
  [[nodiscard]] Established try_part(bool is_last);
  // Whether it is worth going on: samples held out show some structure, or there are too few to hold out.
  [[nodiscard]] bool may_find_more();
  // By samples held out. The best so far is kept.
  [[nodiscard]] Established judge_part();
  // Where none are held out, judging waits until all starts were tried.
  void keep_sparsest(double objective);
  void restart(int start);
  void take_part(Index size);
  // Where an atom is only ever used with another, zeros don't tell how much of one is in the other.
  [[nodiscard]] bool has_nested_supports();
  void describe_coefficients(const Model& model);

  Run& run_;
  const Decisions decisions_;
  Evidence evidence_;
  Search search_;
  Steps steps_;
  std::optional<View> part_;       // what is explored
  std::optional<Candidate> best_;  // that was judged
  double best_objective_ = 0;      // of the sparsest start
  Index size_of_part_ = 0;         // that was let go of
  double structure_ = 0;           // Verdict::structure of the last part judged
  bool is_settled_ = false;        // exploring came to rest
  bool gave_up_ = false;           // samples held out show no structure at all
  bool completing_ = false;
  Outcome outcome_;
  Vector<double> confidence_;  // of the model
};

}  // namespace orthodict::solver
