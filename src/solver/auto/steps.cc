// SPDX-License-Identifier: Apache-2.0
#include "solver/auto/steps.h"

#include <cmath>

#include "solver/auto/constants.h"
#include "stretch/built_in.h"

namespace orthodict::solver {

Steps::Steps(const Decisions& decisions, Evidence& evidence, Search& search)
    : decisions_(decisions),
      evidence_(evidence),
      search_(search),
      shrinkage_(stretch::soft(1)),
      log_cosh_(stretch::log_cosh()),
      l3_(stretch::power(3)),
      l4_(stretch::power(4)),
      explorer_(shrinkage_) {}

void Steps::follow_mixture(const View& view, const View& part) {
  if (!mixture_stands_) {
    const double before = mixture_.noise;
    fit_mixture(part);
    mixture_stands_ = search_.step() <= kStepOfStandingMixture &&
                      std::abs(std::log(mixture_.noise / before)) <= kChangeOfStandingMixture;
  }
  step(view, mixture_.stretch(), mixture_.noise_to_signal() < kRegression, Stage::kRefine);
}

void Steps::follow_threshold(const View& view, double threshold) {
  step(view, stretch::hard(threshold), true, Stage::kFinish);
}

// Regression leaves the orthogonal group. It is used only with little noise and when all atoms lead.
void Steps::step(const View& view, const std::shared_ptr<const Stretch>& stretch, bool sharp, Stage stage) {
  if (decisions_.is_complete() && sharp && leaders_.empty()) {
    search_.regress(view, stretch, stage);
  } else if (!sharp) {
    search_.project_paced(view, stretch, Bias::kPooled, stage);
  } else {
    search_.project(view, stretch, Bias::kPooled, stage);
  }
}

std::size_t Steps::untangle(const View& part) {
  const Pairs pairs = evidence_.tangled_pairs(part, place());
  for (const auto& [i, j, angle] : pairs) search_.turn_by_45_degrees(i, j, angle);
  return pairs.size();
}

void Steps::follow(Finish finish, const View& view, const View& part) {
  switch (finish) {
    case Finish::kShrinkage:
      return search_.project_paced(view, shrinkage_, Bias::kPerAtom, Stage::kRefine);
    case Finish::kLogCosh:
      return search_.project_paced(view, log_cosh_, Bias::kPerAtom, Stage::kRefine);
    case Finish::kMixture:
      return follow_mixture(view, part);
    case Finish::kPlain:
      return search_.project(view, shrinkage_, Bias::kKept, Stage::kRefine);
    case Finish::kL3:
      return search_.project(view, l3_, Bias::kKept, Stage::kRefine);
    case Finish::kL4:
      return search_.project(view, l4_, Bias::kKept, Stage::kRefine);
  }
}

Motion Steps::refine(const View& view, const View& part, Finish finish, int most, double still) {
  for (int i = 0; i < most; ++i) {
    follow(finish, view, part);
    if (watched_step() <= still) return Motion::kStill;
  }
  return Motion::kMoving;
}

double Steps::watched_step() const {
  if (decisions_.is_basis) return search_.energy_step();
  const Vector<double>& moves = search_.row_steps();
  return step_length(watched_.empty() ? moves : Vector<double>(moves(watched_)));
}

double Steps::longest_step() const {
  return decisions_.is_basis ? search_.energy_step() : search_.row_steps().maxCoeff();
}

void Steps::fit_mixture(const View& part) { mixture_ = evidence_.mixture(part, place(), leaders_, mixture_); }

void Steps::set_mixture(const Mixture& mixture) {
  mixture_ = mixture;
  mixture_stands_ = false;
}

void Steps::let_lead(const std::vector<Index>& atoms) {
  leaders_ = atoms;
  search_.let_lead(atoms);
}

Vector<double> Steps::leading_steps() const {
  return leaders_.empty() ? search_.row_steps() : Vector<double>(search_.row_steps()(leaders_));
}

Vector<double> Steps::zeros() const {
  const Vector<double> all = 1 - search_.mean_curvature().array();
  return leaders_.empty() ? all : Vector<double>(all(leaders_));
}

}  // namespace orthodict::solver
