// SPDX-License-Identifier: Apache-2.0
#include "scan/recommend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace orthodict {
namespace {

constexpr double kNearlyAll = 0.95;  // of the largest number of stable atoms

// Without stable atoms there is no recommendation, but the number of components that carry more than noise may be
// known.
void say_that_nothing_is_stable(Scan* scan) {
  const auto best = std::max_element(scan->numbers.begin(), scan->numbers.end(), [](const auto& a, const auto& b) {
    return a.held_out.value_or(-HUGE_VAL) < b.held_out.value_or(-HUGE_VAL);
  });
  scan->reason = "no number of atoms gives a stable one";
  if (best->held_out) {
    scan->reason += fmt::format("; samples that weren't used are likeliest by {} principal components", best->atoms);
  }
}

void recommend_by_stability(Scan* scan) {
  const auto best = least_with_nearly_all(scan->numbers);
  scan->recommended = best->atoms;
  scan->reason = fmt::format(
      "the least number of atoms with {} stable ones, of at most {}: fewer lose some of them, and more add hardly any",
      best->stable, most_stable(scan->numbers));
}

void recommend_as_optica(Scan* scan) {
  const auto best = std::find_if(scan->numbers.begin(), scan->numbers.end(), [](const ScannedNumber& number) {
    return number.robust > 0 && number.conserved >= number.robust - number.singles;
  });
  const bool has_robust = std::any_of(scan->numbers.begin(), scan->numbers.end(),
                                      [](const ScannedNumber& number) { return number.robust > 0; });
  if (!has_robust) {
    scan->optica_reason = "no number of atoms gives a robust one";
    return;
  }
  if (best == scan->numbers.end()) {
    scan->optica = scan->numbers.back().atoms;
    scan->optica_reason = "the largest number of atoms has no robust one, so it conserves none of the others'";
    return;
  }
  scan->optica = best->atoms;
  scan->optica_reason = fmt::format(
      "the least number of atoms that has no more robust ones beyond singles, {}, than the largest number conserves, "
      "{}",
      best->robust - best->singles, best->conserved);
}

}  // namespace

Index most_stable(const std::vector<ScannedNumber>& numbers) {
  return std::max_element(numbers.begin(), numbers.end(),
                          [](const auto& a, const auto& b) { return a.stable < b.stable; })
      ->stable;
}

std::vector<ScannedNumber>::const_iterator least_with_nearly_all(const std::vector<ScannedNumber>& numbers) {
  const double enough = kNearlyAll * static_cast<double>(most_stable(numbers));
  return std::find_if(numbers.begin(), numbers.end(),
                      [&](const auto& number) { return static_cast<double>(number.stable) >= enough; });
}

void recommend(Scan* scan) {
  most_stable(scan->numbers) > 0 ? recommend_by_stability(scan) : say_that_nothing_is_stable(scan);
  recommend_as_optica(scan);
}

}  // namespace orthodict
