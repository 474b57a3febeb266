// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "solver/run.h"

namespace orthodict::solver {

// How many samples that differ tell as much as samples of which some come more often than others: (Σf)²/Σf² for
// frequencies f. `hashes` are those of the samples, in rising order.
[[nodiscard]] double effective_number(const std::vector<std::uint64_t>& hashes);

// One sample of each, where many are copies of others.
struct Distinct {
  std::vector<Index> samples = {};  // the first of each and all zeros, in the order of the recording
  double effective = 0;             // effective_number() of all samples
};

// `share` is the share of copies among `probed` random samples (View::copies()). Nothing where it says that there are
// few in all. Otherwise all samples are looked at, or 2²⁴ of them spread evenly where there are more.
[[nodiscard]] std::optional<Distinct> distinct_samples(Run& run, double share, Index probed);

}  // namespace orthodict::solver
