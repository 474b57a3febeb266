// SPDX-License-Identifier: Apache-2.0
#include "scan/recommend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace orthodict {
namespace {

constexpr double kNearlyAll = 0.95;  // of the largest number of stable atoms

void recommend_by_likelihood(Scan* scan) {
  const auto best = std::max_element(scan->numbers.begin(), scan->numbers.end(), [](const auto& a, const auto& b) {
    return a.held_out.value_or(-HUGE_VAL) < b.held_out.value_or(-HUGE_VAL);
  });
  scan->recommended = best->atoms;
  scan->reason = best->held_out ? "no number of atoms gives a stable one; samples that weren't used are likeliest by "
                                  "this number of principal components"
                                : "no number of atoms gives a stable one";
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
  if (best == scan->numbers.end()) {
    const bool has_robust = std::any_of(scan->numbers.begin(), scan->numbers.end(),
                                        [](const ScannedNumber& number) { return number.robust > 0; });
    scan->optica = scan->numbers.back().atoms;
    scan->optica_reason = has_robust
                              ? "the largest number of atoms has no robust one, so it conserves none of the others'"
                              : "no number of atoms gives a robust one";
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
  most_stable(scan->numbers) > 0 ? recommend_by_stability(scan) : recommend_by_likelihood(scan);
  recommend_as_optica(scan);
}

}  // namespace orthodict
