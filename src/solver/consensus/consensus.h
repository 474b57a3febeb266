// SPDX-License-Identifier: Apache-2.0
// A consensus over runs: a layer above the methods. docs/consensus.md says what it does and why.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "solver/consensus/other_runs.h"
#include "solver/consensus/resamples.h"
#include "solver/coordinates.h"
#include "solver/run.h"

namespace orthodict::solver {

struct Consensus {
  Matrix<double> rows = {};  // the atoms' centres, in the coordinates of A: of unit length, or orthonormal
  Repetition repetition = {};
  int runs = 1;
  int resampled_runs = 0;
};

// A run beside another one that has looked at the samples already, on its own thread or threads.
struct AnotherRun {
  Run& run;
  int start;                       // number of its random start; those of the first run are smaller
  std::optional<int> choice = {};  // of Resamples, that it learns from; nothing: from all samples
};

// A method, as far as a consensus needs it. Both functions are called by several threads at once.
struct Repeatable {
  // Learns A from another start, in the coordinates of the first run.
  std::function<Matrix<double>(const AnotherRun&)> learn;
  Matrix<double> first;       // A of the first run
  Resamples resamples;        // that `learn` learns from, if it is told a choice
  bool is_orthogonal = true;  // the dictionary: its centres are made so too
  bool keeps_first = false;   // the first run's atoms are exact: they stay, and only their repetition is measured
  // The run can be resumed from here: writes a checkpoint that holds `others`, if one is due, or at once.
  std::function<void()> reach;
  std::function<void()> save;
};

// How the options of several runs choose samples.
[[nodiscard]] Resampling resampling_of(const Options& options);

// Runs the method as often as the options of `run` ask for, side by side on its threads, and matches the atoms of all
// runs. Those that `others` has already aren't repeated. Nothing if a stop was requested or the time was up before all
// were complete.
[[nodiscard]] std::optional<Consensus> find_consensus(Run& run, const Repeatable& method, OtherRuns* others);

// Why find_consensus() returned nothing. All ranks ask.
[[nodiscard]] Termination reason_without_consensus(Run& run);

// Copies what there is to tell of a consensus to the summary, and drops the atoms that aren't stable if the options ask
// for that.
void describe_consensus(const Consensus& consensus, const Options& options, Summary* summary, Model* model);

}  // namespace orthodict::solver
