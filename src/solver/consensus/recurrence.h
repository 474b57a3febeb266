// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orthodict/types.h"

namespace orthodict::solver {

// Per atom.
struct Recurrence {
  Vector<double> stability;
  Vector<double> found;
};

// How well given atoms come again in other runs, each of whose atoms is matched with at most one. Stability is the mean
// similarity of an atom to its matches, less that to all other atoms of these runs; `found` is the share of runs whose
// match is at least kSimilar. All rows have unit length.
[[nodiscard]] Recurrence recurrence(const Matrix<double>& atoms, const std::vector<Matrix<double>>& runs);

// The same for runs on parts of the samples, less what chance may do: of each run the similarities of the atoms, in
// rows, to those of the run.
//
// Vectors of random bases of a plane that are matched have a mean similarity of 0.9, and those of halves of the samples
// are nearer to those of all samples than that. So an atom which is undetermined within few dimensions would seem to
// come again. A similarity s to an atom that wavers within few dimensions counts as 1 − (1 − s)·0.2/(1 − c), or as 0,
// where c is what makes a mean of 0.8 as rare for such atoms as in many dimensions, or rarer. All atoms lie in so many
// `dimensions`.
//
// Where groups of runs are given, each number is the least one of the groups.
[[nodiscard]] Recurrence recurrence_beyond_chance(const std::vector<Matrix<double>>& similarities, Index dimensions,
                                                  const std::vector<std::vector<Index>>& groups = {});

// Matches rows and columns one to one, greedily by the largest score. Returns the column of each row, or −1 where there
// are more rows than columns.
[[nodiscard]] std::vector<Index> match_greedily(const Matrix<double>& score);

}  // namespace orthodict::solver
