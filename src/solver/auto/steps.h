// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "solver/auto/decisions.h"
#include "solver/auto/evidence.h"
#include "solver/search.h"

namespace orthodict::solver {

// Whether atoms have more zeros than choice or chance can give.
enum class Zeros { kExact, kNone };
// Whether atoms stay where they are.
enum class Motion { kStill, kMoving };

// How atoms that have no exact zeros are refined.
enum class Finish {
  kShrinkage,  // the shrinkage stretch, with bias removed atom by atom: right for sources of either sign, and under
               // noise
  kLogCosh,    // likewise with tanh, which bends less: the better for sources that are hardly sparse
  kMixture,    // the posterior mean of a mixture: the best for sparse sources with little noise
  kPlain,      // the shrinkage stretch, and those below, as they are: for sparse coefficients in an orthonormal basis
  kL3,
  kL4,
};

// The steps that stages are made of, and what they need to know: the mixture that coefficients are fitted by, and which
// atoms lead. Steps throw RunEnded.
class Steps {
 public:
  // All outlive it.
  Steps(const Decisions& decisions, Evidence& evidence, Search& search);

  // A step of exploring: by the shrinkage stretch, unless the other one that removes bias was chosen.
  void explore(const View& part, Bias bias) { search_.project(part, explorer_, bias, Stage::kExplore); }
  void explore_with(Finish finish) { explorer_ = finish == Finish::kLogCosh ? log_cosh_ : shrinkage_; }
  // By the posterior mean of the mixture, which is fitted to the part unless it stands.
  void follow_mixture(const View& view, const View& part);
  // By a hard threshold.
  void follow_threshold(const View& view, double threshold);
  // Turns pairs of atoms away from the saddles they are at; returns how many.
  [[nodiscard]] std::size_t untangle(const View& part);
  // A step of a finish. The mixture is fitted to the part.
  void follow(Finish finish, const View& view, const View& part);
  // Steps of a finish until the atoms that are watched move by less than `still`; those of a basis that was asked for
  // until energy_step() is less.
  [[nodiscard]] Motion refine(const View& view, const View& part, Finish finish, int most, double still);

  // Of an atom; for a basis that was asked for energy_step().
  [[nodiscard]] double longest_step() const;

  [[nodiscard]] const Mixture& mixture() const { return mixture_; }
  void fit_mixture(const View& part);
  void forget_mixture() { set_mixture({}); }
  void set_mixture(const Mixture& mixture);

  // Only these atoms lead from now on, or all where none are named. What follows below is of those that lead.
  void let_lead(const std::vector<Index>& atoms);
  // Only these decide when refine() ends, or all where none are named.
  void watch(const std::vector<Index>& atoms) { watched_ = atoms; }
  [[nodiscard]] Vector<double> leading_steps() const;
  // The share of coefficients that the last threshold took for zeros.
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
  std::vector<Index> leaders_;  // all when empty
  std::vector<Index> watched_;
};

}  // namespace orthodict::solver
