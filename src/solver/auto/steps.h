// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "solver/auto/decisions.h"
#include "solver/auto/evidence.h"
#include "solver/search.h"

namespace orthodict::solver {

// Whether atoms have more zeros than choice or chance can explain.
enum class Zeros { kExact, kNone };
// Whether atoms have stopped moving.
enum class Motion { kStill, kMoving };

// How atoms without exact zeros are refined.
enum class Finish {
  kShrinkage,  // the shrinkage stretch, with bias removed per atom: consistent for sources of either sign,
               // and with noise
  kLogCosh,    // the same with log-cosh, which is better for sources that are hardly sparse
  kMixture,    // the posterior mean of a mixture: best for sparse sources with little noise
  kPlain,      // shrinkage without bias removal, like those below: for sparse coefficients in an orthonormal basis
  kL3,
  kL4,
};

// The steps that the stages consist of, and their state: the fitted mixture, and which atoms lead. Steps throw
// RunEnded.
class Steps {
 public:
  // All arguments must outlive the object.
  Steps(const Decisions& decisions, Evidence& evidence, Search& search);

  // A step of exploring, with the shrinkage stretch or the one set by explore_with().
  void explore(const View& part, Bias bias) { search_.project(part, explorer_, bias, Stage::kExplore); }
  void explore_with(Finish finish) { explorer_ = finish == Finish::kLogCosh ? log_cosh_ : shrinkage_; }
  // A step by the posterior mean of the mixture, which is refitted to the part unless it is fixed.
  void follow_mixture(const View& view, const View& part);
  // A step by a hard threshold.
  void follow_threshold(const View& view, double threshold);
  // Turns pairs of atoms away from saddles. Returns the number of pairs.
  [[nodiscard]] std::size_t untangle(const View& part);
  // A step of a finish. Fits the mixture, if used, to the part.
  void follow(Finish finish, const View& view, const View& part);
  // Takes steps of a finish until the watched atoms move by less than `still`; for a requested basis, until
  // energy_step() is less.
  [[nodiscard]] Motion refine(const View& view, const View& part, Finish finish, int most, double still);

  // The longest step of an atom; for a requested basis, energy_step().
  [[nodiscard]] double longest_step() const;

  [[nodiscard]] const Mixture& mixture() const { return mixture_; }
  void fit_mixture(const View& part);
  void forget_mixture() { set_mixture({}); }
  void set_mixture(const Mixture& mixture);

  // From now on only these atoms lead; all if empty. leading_steps() and zeros() are restricted to leaders.
  void let_lead(const std::vector<Index>& atoms);
  // Only these atoms decide when refine() ends; all if empty.
  void watch(const std::vector<Index>& atoms) { watched_ = atoms; }
  [[nodiscard]] Vector<double> leading_steps() const;
  // For each leader, the share of coefficients below the last threshold.
  [[nodiscard]] Vector<double> zeros() const;

  [[nodiscard]] Search& search() const { return search_; }
  [[nodiscard]] Evidence& evidence() const { return evidence_; }
  [[nodiscard]] const Decisions& decisions() const { return decisions_; }
  [[nodiscard]] Index dimension() const { return decisions_.coordinates.dimension(); }
  [[nodiscard]] Place place() const { return search_.place(); }

 private:
  [[nodiscard]] double watched_step() const;
  void step(const View& view, const std::shared_ptr<const Stretch>& stretch, bool sharp, Stage stage);

  const Decisions& decisions_;
  Evidence& evidence_;
  Search& search_;
  std::shared_ptr<const Stretch> shrinkage_, log_cosh_, l3_, l4_;
  std::shared_ptr<const Stretch> explorer_;
  Mixture mixture_;
  bool mixture_stands_ = false;
  std::vector<Index> leaders_;  // all if empty
  std::vector<Index> watched_;
};

}  // namespace orthodict::solver
