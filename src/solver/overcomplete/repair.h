// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "solver/overcomplete/codes.h"

namespace orthodict::solver::overcomplete {

// Atoms (columns, of unit norm) with |cos| > cosine to one that has more energy, or as much and comes before.
[[nodiscard]] std::vector<bool> duplicates(const Matrix<double>& atoms, const Vector<double>& energy, double cosine);

// An atom d_j + Σc_i·d_i codes as exactly as d_j does, with the d_i as constant companions: x_i/x_j = −c_i. Turns such
// atoms back, those that are used least first; no companion is turned itself. Tells which ones it turned.
[[nodiscard]] std::vector<bool> turn_back(const Codes& codes, const ByAtom& by_atom, const Means& means,
                                          Matrix<double>* atoms);

// Atoms (columns, of unit norm) that at most `most` others make up exactly, those of least energy first: of what
// depends on each other so, some stay. Once ended() is true it looks for no more.
[[nodiscard]] std::vector<bool> mixtures(
    const Matrix<double>& atoms, const Vector<double>& energy, Index most,
    const std::function<bool()>& ended = [] { return false; });

// The columns for which `keep` holds.
template <typename Scalar>
[[nodiscard]] Matrix<Scalar> columns_of(const Matrix<Scalar>& matrix, const std::vector<bool>& keep) {
  std::vector<Index> kept;
  for (Index j = 0; j < matrix.cols(); ++j) {
    if (keep[static_cast<std::size_t>(j)]) kept.push_back(j);
  }
  return matrix(Eigen::all, kept);
}

}  // namespace orthodict::solver::overcomplete
