// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "solver/run.h"

namespace orthodict::solver {

// The effective number of distinct samples when some occur more often than others: (Σf)²/Σf² for frequencies f.
// `hashes` are those of the samples, in ascending order.
[[nodiscard]] double effective_number(const std::vector<std::uint64_t>& hashes);

// One representative of each sample, if many are copies of others.
struct Distinct {
  std::vector<Index> samples = {};  // first occurrences, and all zero samples, in the order of the recording
  double effective = 0;             // effective_number() of all samples
};

// `share` is the share of copies among `probed` random samples (View::copies()). Returns nothing if it implies few
// copies in all. Otherwise reads all samples, or 2²⁴ of them, spread evenly.
[[nodiscard]] std::optional<Distinct> distinct_samples(Run& run, double share, Index probed);

}  // namespace orthodict::solver
