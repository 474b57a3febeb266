// SPDX-License-Identifier: Apache-2.0
#include "solver/auto/finish.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "solver/auto/constants.h"

namespace orthodict::solver {
namespace {

// The next threshold: at most half the current one, but above the error of coefficients that should be zero. With steps
// that shrink by the factor ρ, the remaining error of an atom is step·ρ/(1 − ρ), and that of a coefficient √d times as
// much.
double next_threshold(const Steps& steps, double threshold, double last_step) {
  const double step = steps.leading_steps().maxCoeff();
  const bool known = last_step > 0 && std::isfinite(last_step);
  const double rate = known ? std::clamp(step / last_step, kFastestRate, kSlowestRate) : kUnknownRate;
  const double left = step * rate / (1 - rate) * std::sqrt(static_cast<double>(steps.dimension()));
  const double least = kAboveError * left;
  return least >= threshold ? threshold : std::min(threshold / kSlowestFall, std::max(least, threshold / kFastestFall));
}

// Whether every atom has more coefficients below the last threshold than choice or chance can explain. By choice a
// direction can be orthogonal to d − 1 samples and all their copies.
bool are_exact(const Vector<double>& zeros, const Steps& steps, const View& view, const View& part) {
  const Index distinct = std::min(view.size(), steps.evidence().samples());
  const double choice = static_cast<double>(2 * steps.dimension() / steps.decisions().coordinates.reals()) /
                            static_cast<double>(distinct) +
                        part.duplicates();
  return (zeros.array() >= choice + kByChance).all();
}

}  // namespace

Zeros lower_threshold(Steps& steps, const View& part) {
  double threshold = kFirstThreshold, threshold_before = 1;
  Vector<double> zeros_before = Vector<double>::Zero(steps.zeros().size());
  for (int i = 0; i < kThresholdSteps && threshold >= kLastThreshold; ++i) {
    const double last_step = steps.leading_steps().maxCoeff();
    steps.follow_threshold(part, threshold);
    threshold = next_threshold(steps, threshold, last_step);
    if (i % kStepsToFindZeros > 0) continue;
    const Vector<double> zeros = steps.zeros();
    const bool gains = (zeros.array() > (1 + kFewMoreZeros) * zeros_before.array()).any();
    const bool moves = steps.leading_steps().maxCoeff() > kSettledStep;
    if (threshold == threshold_before && !gains && !moves) return Zeros::kNone;
    threshold_before = threshold;
    zeros_before = zeros;
  }
  const bool fell = threshold < kLastThreshold;
  return fell && are_exact(steps.zeros(), steps, part, part) ? Zeros::kExact : Zeros::kNone;
}

Zeros finish(Steps& steps, const View& view, const View& part, double threshold) {
  const Decisions& decisions = steps.decisions();
  const double least = view.precision() == Precision::kF64 ? kLeastThreshold : kLastThreshold;
  const double exact = std::max(decisions.exact_step, 2 * rounding_noise(view.precision(), decisions.coordinates));
  std::optional<Vector<double>> zeros_at_first;
  for (int i = 0; i < kFinishSteps; ++i) {
    const double last_step = steps.leading_steps().maxCoeff();
    threshold = std::max(threshold, least);
    steps.follow_threshold(view, threshold);
    if (!zeros_at_first && threshold <= kLastThreshold) zeros_at_first = steps.zeros();
    const bool still = step_length(steps.leading_steps()) <= exact;
    // Without the least threshold, coefficients just below the current one would count as zeros.
    if (still && threshold <= least) {
      const Vector<double> zeros = steps.zeros();
      const bool hold = (zeros.array() >= kStillThere * zeros_at_first->array()).all();
      return hold && are_exact(zeros, steps, view, part) ? Zeros::kExact : Zeros::kNone;
    }
    threshold = still ? least : next_threshold(steps, threshold, last_step);
  }
  return Zeros::kNone;
}

}  // namespace orthodict::solver
