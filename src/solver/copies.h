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

// Takes out the hashes of at most four samples that come more than three times as often as the fifth most frequent one:
// silence, blank patches, what outliers are replaced by. Like zeros they tell nothing, in any number. `hashes` rise.
[[nodiscard]] std::vector<std::uint64_t> take_frequent(std::vector<std::uint64_t>* hashes);

// For each column the first one that equals it to the bit.
[[nodiscard]] std::vector<Index> first_equal(const Matrix<double>& columns);

// One sample of each, where many are copies of others. Zeros and frequent samples all stay.
struct Distinct {
  std::vector<Index> samples = {};  // in the order of the recording
  double effective = 0;             // effective_number() of all samples
};

// `share` is the share of copies among `probed` random samples (View::copies()). Nothing where it says that there are
// few in all. Otherwise all samples are looked at, or 2²⁴ of them spread evenly where there are more.
[[nodiscard]] std::optional<Distinct> distinct_samples(Run& run, double share, Index probed);

}  // namespace orthodict::solver
