// SPDX-License-Identifier: Apache-2.0
// The atoms of several runs, matched with each other. Atoms are rows of unit length in the coordinates of A; their
// similarity is |cosine|, which for whitened samples is the |correlation| of their codes.
#pragma once

#include <vector>

#include "linalg/tasks.h"
#include "orthodict/types.h"

namespace orthodict::solver {

// Versions of an atom in several runs are at least this similar, on average.
inline constexpr double kSimilar = 0.5;

// |cosine| of the rows of one with those of the other.
[[nodiscard]] Matrix<double> similarities(const Matrix<double>& one, const Matrix<double>& other);

struct Clusters {
  Matrix<double> centres;  // rows of unit length, the best first
  // Icasso's index (Himberg, Hyvärinen and Esposito, NeuroImage 2004): the mean similarity of two versions of the atom,
  // less the mean similarity of a version to all others. 0 for an atom that a single run has.
  Vector<double> stability;
  Vector<double> found;  // the share of runs that have the atom
  // Row a of run r has the number r·k + a, where k is the number of rows of each run.
  std::vector<std::vector<Index>> versions = {};
};

// The `most` clusters with the largest stability times found. Clustering is agglomerative, by the average similarity,
// and no cluster has two atoms of one run. All runs have the same number of rows, at least `most`.
[[nodiscard]] Clusters cluster_atoms(const std::vector<Matrix<double>>& runs, Index most,
                                     const linalg::ForEach& for_each = linalg::for_each_in_turn);

// The centres, as long as their versions in these runs are on average. The clusters are those of the runs' directions.
[[nodiscard]] Matrix<double> with_lengths_of_versions(const Clusters& clusters,
                                                      const std::vector<Matrix<double>>& runs);

}  // namespace orthodict::solver
