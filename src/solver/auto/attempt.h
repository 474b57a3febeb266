// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "solver/auto/decisions.h"
#include "solver/auto/evidence.h"
#include "solver/auto/refine.h"
#include "solver/auto/steps.h"
#include "solver/consensus/consensus.h"

namespace orthodict::solver {

// What a run has established: exact zeros in all atoms; confidence in all or some atoms, judged by held-out samples; or
// nothing.
enum class Established { kExact, kAll, kSome, kNone };

// Method auto for one kind of dictionary, orthogonal or complete, stage by stage. establish() and complete() throw
// RunEnded.
class Attempt {
 public:
  // `moments` must be centred. `run` and `journal` must outlive the attempt. `saved` is
  // written to checkpoints. Throws
  // Error if the samples are not suitable for this kind of dictionary.
  Attempt(Run& run, Journal& journal, const engine::Moments& moments, Dictionary dictionary, Resumable* saved);

  // Explores growing parts of the samples until zeros are exact or all atoms are established; then compares finishes.
  [[nodiscard]] Established establish();
  // Whether the assumption of an orthogonal dictionary may be the reason that nothing was established, or, with too few
  // samples to check the assumption, that zeros aren't exact.
  [[nodiscard]] bool is_doubtful(Established established) const;

  // Releases the part's samples before another attempt, which needs the memory.
  void release_samples();
  // Resumes this attempt after another was tried.
  void resume();
  // Compares the numbers of established atoms. An attempt in complete() is better than any other.
  [[nodiscard]] bool is_judged_better_than(const Attempt& other) const;

  // The sum of the confidence of established atoms, given the return value of establish(). Below ½ confidence only
  // ranks atoms.
  [[nodiscard]] double established_confidence(Established established) const;

  // Continues on all samples: until exact zeros are accurate to the last digits, or as far as noise allows.
  void complete(Established established);

  // The same for a consensus: repeats the run from other starts, and goes on from the centres of its atoms. The atoms
  // of a run with exact zeros stay as they are.
  void complete_by_consensus(Established established, OtherRuns* others);

  // Called when the run ended early: goes back to the best candidate judged so far.
  void end_early();
  // The result of the run. `ended` is the reason for an early end, if there was one.
  [[nodiscard]] FitResult conclude(std::optional<Termination> ended);

  [[nodiscard]] Search& search() { return search_; }
  [[nodiscard]] const Search& search() const { return search_; }

 private:
  // Explores growing parts. Returns what the last part explored has established.
  [[nodiscard]] Established explore();
  // Explores the current part from one start.
  [[nodiscard]] Established try_part(bool is_last);
  // Whether more steps may find more: held-out samples show some structure, or there are too few samples to hold any
  // out.
  [[nodiscard]] bool may_find_more();
  // Judges the current atoms by held-out samples, and keeps the best candidate.
  [[nodiscard]] Established judge_part();
  // Without held-out samples, keeps the start with the largest objective; judging follows after all starts.
  void keep_sparsest(double objective);
  void restart(int start);
  void take_part(Index size);
  // Whether an atom occurs only together with another one. Then zeros don't determine how much of one is in the other.
  [[nodiscard]] bool has_nested_supports();
  void describe_coefficients(const Model& model);
  // The consensus with other runs, which learn from what this one has explored.
  [[nodiscard]] Consensus repeat(bool is_judged, OtherRuns* others);
  // Goes on from the atoms of a consensus, each in the place of the atom of this run that is nearest.
  void adopt(Consensus& consensus);

  Run& run_;
  Resumable* saved_;
  const Decisions decisions_;
  Evidence evidence_;
  Search search_;
  Steps steps_;
  std::optional<View> part_;       // the samples that are explored
  std::optional<Candidate> best_;  // the best candidate judged so far
  double best_objective_ = 0;      // objective of the sparsest start
  Index size_of_part_ = 0;         // size of the released part
  double structure_ = 0;           // Verdict::structure of the last part judged
  bool is_settled_ = false;        // atoms stopped moving while exploring
  bool gave_up_ = false;           // held-out samples show no structure
  bool completing_ = false;
  Outcome outcome_;
  Vector<double> confidence_;  // confidences of the model's atoms
  std::optional<Consensus> consensus_;
};

}  // namespace orthodict::solver
