// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "solver/auto/journal.h"
#include "solver/auto/pair_statistics.h"
#include "solver/auto/split.h"
#include "solver/copies.h"
#include "solver/mixture.h"
#include "solver/tangles.h"
#include "solver/view.h"

namespace orthodict::solver {

// All data of a step that the course of a run and its history depend on.
struct StepOutcome {
  Vector<double> row_steps;
  double energy_step = 0;
  Vector<double> mean_curvature;
  double objective = 0;
  int passes = 0;
};

using Pairs = std::vector<Tangle>;

// A point at which coefficients z = B(x − shift) are computed.
struct Place {
  const Matrix<double>& b;
  const Matrix<double>& inverse;  // inverse of b
  const Vector<double>& shift;
};

// The held-out samples of a fold, and the ends of their batches.
struct HeldOut {
  View samples;
  std::vector<Index> ends;
  Vector<double> slowness;  // per atom; see measure_pairs()
  bool is_fresh;            // no earlier stage has learned from them
};

// The judgement of atoms by held-out samples.
struct Verdict {
  Vector<double> on_part;  // confidences if learning stays with the part
  Vector<double> on_all;   // confidences if learning continues on all samples
  ErrorShown error;
  double structure = 0;  // PairStatistics::structure
};

// The only access of method auto to the samples, other than the passes of steps, which run over views from here. Every
// result that the course of the run depends on is noted in the journal and recalled when a run is resumed.
class Evidence {
 public:
  // All arguments must outlive the object.
  Evidence(Run& run, Journal& journal, const Coordinates& coordinates);
  // For a run beside another one, which has looked at the samples already. It judges nothing.
  Evidence(const Evidence& looked, Run& beside, Journal& journal);

  [[nodiscard]] const Coordinates& coordinates() const { return coordinates_; }
  [[nodiscard]] const Split& split() const { return split_; }
  [[nodiscard]] double dependence() const { return dependence_; }
  // The number of samples used: all, or only the distinct ones if there are many copies.
  [[nodiscard]] Index samples() const {
    return distinct_ ? static_cast<Index>(distinct_->samples.size()) : run_.samples().size();
  }

  [[nodiscard]] View all(Precision precision) const { return View::of_all(run_, coordinates_, precision); }
  // A part of `count` samples to explore, and a fold's samples to learn from. Nothing if a stop is requested.
  [[nodiscard]] std::optional<View> part_to_explore(Index count, Precision precision, const std::stop_token& stop);
  [[nodiscard]] std::optional<View> part_of_fold(const Fold& fold, Precision precision, const std::stop_token& stop);

  // Fits the mixture to the coefficients of these atoms (all if empty) in a part.
  [[nodiscard]] Mixture mixture(const View& part, const Place& at, const std::vector<Index>& atoms,
                                const Mixture& start);
  // Pairs of atoms at a saddle, found from a part.
  [[nodiscard]] Pairs tangled_pairs(const View& part, const Place& at);
  // signs_of() the atoms, from a part.
  [[nodiscard]] Vector<double> signs(const View& part, const Place& at) const;
  // The held-out samples of a fold, in batches that are long compared with the dependence of the coefficients.
  [[nodiscard]] HeldOut held_out(const Fold& fold, Index batches, const Place& at) const;
  // One statistics per element, each with its own atoms.
  [[nodiscard]] std::vector<PairStatistics> pair_statistics(const std::vector<HeldOut>& held_out,
                                                            const std::vector<Place>& at,
                                                            const Vector<double>& signs) const;
  // The verdict on atoms that were learned from `learned_from` samples.
  [[nodiscard]] Verdict verdict(const PairStatistics& statistics, Index learned_from, const Place& at) const;
  [[nodiscard]] Verdict no_verdict() const;
  // Returns the noted result when replaying, else the result of `find_out`, which is noted.
  [[nodiscard]] Verdict noted(const std::function<Verdict()>& find_out);
  [[nodiscard]] bool noted(const std::function<bool()>& find_out);
  // The mean share of a sample's energy in its d/8 largest coefficients, over held-out samples or, if there are none,
  // over the part.
  [[nodiscard]] double energy_kept(const View& part, const Place& at);
  // For each atom, whether its support lies inside another's. If the part leaves this undecided, uses more samples.
  [[nodiscard]] std::vector<bool> nested_supports(const View& part, Precision precision, const Place& at) const;

  // The points from which a run can be resumed are before a part is copied and before a pass. recall_part() says
  // whether a part was copied here before, and recall_step() returns the step taken here before, if any. Otherwise the
  // caller calls reach() and then notes the part or the step.
  [[nodiscard]] bool recall_part();
  [[nodiscard]] std::optional<StepOutcome> recall_step();
  void reach(Resumable* matrices) { journal_.reach(matrices); }
  void note_part() { note(Journal::Entry()); }
  // Throws Error about the checkpoint file.
  [[noreturn]] void refuse(const std::string& what) const { journal_.refuse(what); }
  void note(const StepOutcome& outcome);
  // Saves a checkpoint when the run ends early.
  void save(Resumable* matrices) { journal_.save(matrices); }

 private:
  // The number of samples of a part whose coefficients are cheap to store.
  [[nodiscard]] bool is_complex() const { return coordinates_.is_complex(); }
  [[nodiscard]] Index storable_samples() const;
  [[nodiscard]] Matrix<double> codes(const View& part, const Place& at) const;
  // The entry noted here, or nothing if the result must be computed.
  [[nodiscard]] std::optional<Journal::Entry> recall();
  [[nodiscard]] Journal::Entry recalled(Journal::Entry entry, Index size) const;
  [[nodiscard]] View view_of(const Order& order, Index count, Precision precision,
                             const std::stop_token& stop = {}) const;
  [[nodiscard]] std::optional<View> part(const Order& order, Index count, Precision precision,
                                         const std::stop_token& stop) const;
  void note(Journal::Entry entry) { journal_.note(std::move(entry)); }
  // The dependence of samples on their neighbours. If a few short windows show none, no more samples are read.
  // Otherwise longer windows are kept as the recording, and 1 is returned if dependence shows only in a single
  // direction, to be judged by the atoms' coefficients.
  [[nodiscard]] double dependence_of_samples();
  struct Dependence {
    double of_pairs;
    double of_strongest;  // of the direction with the largest variance
  };
  [[nodiscard]] Dependence dependence_in(Index window, Index windows);
  [[nodiscard]] double dependence_of_codes(const Place& at) const;
  // For each atom, the factor by which variances between batches of this mean length underestimate its own.
  [[nodiscard]] Vector<double> slowness(const Place& at, double batch) const;
  [[nodiscard]] View batches(const std::vector<Segment>& segments) const;

  Run& run_;
  Journal& journal_;
  const Coordinates& coordinates_;
  bool cut_is_arbitrary_;  // between components that are kept and the others
  std::optional<Distinct> distinct_;
  std::optional<View> recording_;  // windows of neighbours, if samples depend on each other
  Index window_ = 0;               // neighbours per window
  double dependence_;              // of samples on their neighbours
  Split split_;
};

}  // namespace orthodict::solver
