// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "solver/coordinates.h"
#include "solver/run.h"

namespace orthodict::solver {

// The effective number of distinct samples when some occur more often than others: (Σf)²/Σf² for frequencies f.
// `hashes` are those of the samples, in ascending order.
[[nodiscard]] double effective_number(const std::vector<std::uint64_t>& hashes);

// Removes the hashes of at most four samples that are more than three times as frequent as the fifth most frequent one:
// silence, blank patches, the replacement of outliers. Like zeros they carry no information, in any number. `hashes`
// are in rising order. Returns the removed hashes.
[[nodiscard]] std::vector<std::uint64_t> take_frequent(std::vector<std::uint64_t>* hashes);

// For each column the index of the first column that equals it bit by bit.
[[nodiscard]] std::vector<Index> first_equal(const Matrix<double>& columns);

// Whether columns have discrete values: differences between them recur, up to rounding. Differences between samples of
// a continuous distribution never do, if there are two rows or more. The columns must have about unit variance in all
// rows.
[[nodiscard]] bool are_discrete(const Matrix<double>& columns);

// One representative of each sample, if many are copies of others. Zeros and frequent samples are all kept.
struct Distinct {
  std::vector<Index> samples = {};  // in the order of the recording
  double effective = 0;             // effective_number() of all samples
};

// Looks for copies in random samples first. Reads all samples, or 2²⁴ of them, spread evenly, only if there are many.
// Returns nothing if there are few, or if samples are discrete: they are then equal by chance, and as frequent as they
// are probable.
[[nodiscard]] std::optional<Distinct> find_distinct(Run& run, const Coordinates& coordinates);

}  // namespace orthodict::solver
