// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "orthodict/export.h"
#include "orthodict/model.h"
#include "orthodict/types.h"

namespace orthodict {

// Closeness of a learned dictionary to the true one, up to order and signs of the atoms.
struct ORTHODICT_EXPORT Recovery {
  // The paper's |1 − ‖A·D_o‖₄⁴/k|, with atoms of unit norm on both sides. Of a model without analysis: 1 − mean cos⁴.
  double error = 0;
  double worst_cosine = 0;      // smallest of the cosines
  double mean_cosine = 0;       // their mean
  std::vector<double> cosines;  // |cos| between each learned atom and the true atom matched to it
  std::vector<Index> matches;   // index of that true atom
  std::vector<int> signs;       // +1 or −1: the sign that aligns it; empty for complex models
  // Of complex models, the number of modulus 1 that aligns it.
  std::vector<std::complex<double>> phases = {};
  Index hits = 0;  // true atoms that are matched with |cos| > 0.99
};

// Throws Error that names `name` unless `truth` has at least `atoms` rows of `dimension` entries, all finite and no row
// zero.
ORTHODICT_EXPORT void validate_truth(const RowMatrix<double>& truth, Index atoms, Index dimension,
                                     const std::string& name);

// The number of true atoms there are at least, if that model is what it says: as many as it has, or one if they exceed
// the dimension.
[[nodiscard]] ORTHODICT_EXPORT Index atoms_needed(const Model& model);

// `truth` has the true atoms, or some of them, in its rows; for a complex model it is complex too, with interleaved
// parts as in the model, and |cos| is |⟨·,·⟩| of unit atoms. Atoms are matched by the assignment that maximizes the sum
// of |cos|. Learned atoms that are left over get the closest true atom, and don't count in the error, the hits, the
// worst and the mean cosine. Throws Error as validate_truth() and Model::require_shapes() do.
[[nodiscard]] ORTHODICT_EXPORT Recovery compare(const Model& model, const RowMatrix<double>& truth);

// |1 − ‖W‖₄⁴/rows| for W = A·D_o, with the rows of W scaled to unit norm, which removes the scale of codes, since it
// can't be recovered. (For orthogonal A and D_o rows have unit norm anyway.) Between 0, for a signed permutation,
// and 1.
[[nodiscard]] ORTHODICT_EXPORT double recovery_error(const Matrix<double>& w);

// Assigns a different column to each row of `score` (rows ≤ columns) so that the sum of scores is maximal. Throws Error
// if there are more rows than columns or a score isn't finite.
[[nodiscard]] ORTHODICT_EXPORT std::vector<Index> best_assignment(const Matrix<double>& score);

// ‖AY‖₄⁴/3npθ, which is near 1 at the true orthogonal dictionary; of complex samples ‖AY‖₄⁴/2npθ. `l4_objective` is
// ‖AY‖₄⁴, `dimension` the number of rows of A.
[[nodiscard]] ORTHODICT_EXPORT double normalized_objective(double l4_objective, Index dimension, Index samples,
                                                           double theta, bool is_complex = false);

}  // namespace orthodict
