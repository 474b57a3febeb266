// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "solver/auto/journal.h"
#include "solver/auto/split.h"
#include "solver/auto/testimony.h"
#include "solver/mixture.h"
#include "solver/tangles.h"
#include "solver/view.h"

namespace orthodict::solver {

// All that the course of a run, and its history, take from a step.
struct StepOutcome {
  Vector<double> row_steps;
  double energy_step = 0;
  Vector<double> mean_curvature;
  double objective = 0;
  int passes = 0;
};

using Pairs = std::vector<std::pair<Index, Index>>;

// Where coefficients z = B(x − shift) are taken.
struct Place {
  const Matrix<double>& b;
  const Matrix<double>& inverse;  // of b
  const Vector<double>& shift;
};

// Samples of a fold that are held out, and where their batches end.
struct HeldOut {
  View samples;
  std::vector<Index> ends;
  Vector<double> slowness;  // of each atom: hear()
  bool is_fresh;            // no stage before has learned from them
};

// What samples that weren't used say of the atoms.
struct Verdict {
  Vector<double> on_part;  // confidences, if no more samples are used than atoms were found on
  Vector<double> on_all;   // … and if all are
  ErrorShown error;
  double structure = 0;  // Testimony::structure
};

// What the samples tell a run of method auto. Nothing else of it looks at samples but the passes of steps, and those
// over views that come from here. What the course of the run depends on is noted, and recalled by a run that is
// resumed.
class Evidence {
 public:
  // All outlive it.
  Evidence(Run& run, Journal& journal, const Coordinates& coordinates);

  [[nodiscard]] const Coordinates& coordinates() const { return coordinates_; }
  [[nodiscard]] const Split& split() const { return split_; }
  [[nodiscard]] double dependence() const { return dependence_; }
  [[nodiscard]] Index samples() const { return run_.samples().size(); }

  [[nodiscard]] View all(Precision precision) const { return View::of_all(run_, coordinates_, precision); }
  // So many samples to explore, and a fold's samples to learn from. Copies of samples that are held out are left out.
  // Nothing where a stop is requested meanwhile.
  [[nodiscard]] std::optional<View> part_to_explore(Index count, Precision precision, const std::stop_token& stop);
  [[nodiscard]] std::optional<View> part_of_fold(const Fold& fold, Precision precision, const std::stop_token& stop);

  // The mixture of the coefficients of these atoms in a part, or of all atoms where none are named.
  [[nodiscard]] Mixture mixture(const View& part, const Place& at, const std::vector<Index>& atoms,
                                const Mixture& start);
  // Atoms at a saddle, as a part shows them.
  [[nodiscard]] Pairs tangled_pairs(const View& part, const Place& at);
  // signs_of() the atoms, as a part tells them.
  [[nodiscard]] Vector<double> signs(const View& part, const Place& at) const;
  // The samples of a fold that are held out, in batches that are long enough for the dependence that atoms show.
  [[nodiscard]] HeldOut held_out(const Fold& fold, Index batches, const Place& at) const;
  // What they say, each of atoms of its own.
  [[nodiscard]] std::vector<Testimony> testimonies(const std::vector<HeldOut>& held_out, const std::vector<Place>& at,
                                                   const Vector<double>& signs) const;
  // Of atoms that were found on a part.
  [[nodiscard]] Verdict verdict(const Testimony& testimony, const View& part, const Place& at) const;
  [[nodiscard]] Verdict no_verdict() const;
  // What was noted here, or else what is found out now.
  [[nodiscard]] Verdict noted(const std::function<Verdict()>& find_out);
  [[nodiscard]] bool noted(const std::function<bool()>& find_out);
  // The mean share of a sample's energy in its d/8 largest coefficients, over the samples held out, or those of a part
  // where none are.
  [[nodiscard]] double energy_kept(const View& part, const Place& at);
  // Which atoms' supports lie inside another's: in the part, or in more samples if that can't tell.
  [[nodiscard]] std::vector<bool> nested_supports(const View& part, Precision precision, const Place& at) const;

  // Places that a run is resumed from: before a part is copied, and before a pass. Whether a part was copied here
  // before, and the step that was taken here before, or nothing. If not, the matrices have to reach the place, and then
  // the part or the outcome of the step is noted.
  [[nodiscard]] bool recall_part();
  [[nodiscard]] std::optional<StepOutcome> recall_step();
  void reach(Resumable* matrices) { journal_.reach(matrices); }
  void note_part() { note(Journal::Entry()); }
  // Throws Error: the file to resume from isn't what it should be.
  [[noreturn]] void refuse(const std::string& what) const { journal_.refuse(what); }
  void note(const StepOutcome& outcome);
  // The run ends early.
  void save(Resumable* matrices) { journal_.save(matrices); }

 private:
  // As many samples of a part as are cheap to hold coefficients of.
  [[nodiscard]] Index cheap_to_hold() const;
  [[nodiscard]] Matrix<double> codes(const View& part, const Place& at) const;
  // What was noted here; nothing where it is to be found out.
  [[nodiscard]] std::optional<Journal::Entry> recall();
  [[nodiscard]] Journal::Entry recalled(Journal::Entry entry, Index size) const;
  [[nodiscard]] std::optional<View> part(const Order& order, Index count, Precision precision, const Fold* fold,
                                         const std::stop_token& stop);
  void note(Journal::Entry entry) { journal_.note(std::move(entry)); }
  // Of samples on their neighbours: as they are, in windows that become the recording, or as atoms show it where they
  // do depend. Samples that are independent in a few short windows aren't looked at further.
  [[nodiscard]] double dependence_of_samples();
  struct Dependence {
    double of_pairs;
    double of_strongest;  // direction, by itself
  };
  [[nodiscard]] Dependence dependence_in(Index window, Index windows);
  [[nodiscard]] double dependence_of_codes(const Place& at) const;
  // By how much the variances that batches of this mean length show are too small for each atom's own.
  [[nodiscard]] Vector<double> slowness(const Place& at, double batch) const;
  [[nodiscard]] View batches(const std::vector<Segment>& segments) const;

  Run& run_;
  Journal& journal_;
  const Coordinates& coordinates_;
  std::optional<View> recording_;  // windows of neighbours, where samples depend on them
  Index window_ = 0;               // neighbours in each
  double dependence_;              // of samples on their neighbours
  Split split_;
  bool none_are_fresh_ = false;  // nearly all samples held out are copies of those learned from
};

}  // namespace orthodict::solver
