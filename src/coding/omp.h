// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "coding/products.h"
#include "orthodict/types.h"

namespace orthodict::coding {

// When a pursuit ends, besides where it can't go on.
struct PursuitEnd {
  static constexpr double kNoError = -std::numeric_limits<double>::infinity();
  Index nonzeros = 0;               // with so many atoms
  double squared_error = kNoError;  // or when ‖r‖² ≤ squared_error
  // or when the best atom is no better than chance: with s atoms picked, (dᵀr)² ≤ chance[s]·‖r‖². Empty: whatever it
  // is.
  std::span<const double> chance = {};
};

// Orthogonal matching pursuit for one sample after the other, in terms of inner products only (Rubinstein, Zibulevsky,
// Elad 2008): given DᵀD, Dᵀy and ‖y‖², each step picks the atom with the largest correlation to the residual, and
// projects y to the span of the picked atoms.
//
// With Q the orthonormal basis that Gram–Schmidt makes of the picked atoms S, the columns w_i = Dᵀq_i are stored. Row s
// of them, for s in S, is a row of the Cholesky factor L of D_SᵀD_S, so a step costs 2·atoms·(picked so far)
// operations:
//
//   w_i = (DᵀD e_s − Σ_{j<i} L_ij w_j) / L_ii,   c_i = q_iᵀy,   Dᵀr ← Dᵀr − c_i w_i,   ‖r‖² ← ‖r‖² − c_i²
//
// The last of these vectors is needed only for picking another atom, and is computed only then.
template <typename Scalar>
class Pursuit {
 public:
  // The atoms must have unit norm, or be zero. `products` must outlive the pursuit.
  explicit Pursuit(const Products<Scalar>& products);

  // Starts with a sample: Dᵀy in a column of products.stride() entries, which the pursuit overwrites, and ‖y‖².
  void start(Scalar* correlations, double squared_norm);

  // Picks atoms until `end`, or until the residual is at the level of rounding, or the next atom depends linearly on
  // those picked. Another call continues.
  void extend(const PursuitEnd& end);

  [[nodiscard]] Index size() const { return static_cast<Index>(picked_.size()); }
  [[nodiscard]] const std::vector<Index>& picked() const { return picked_; }
  [[nodiscard]] double squared_residual() const { return squared_residual_; }

  // The coefficients of the picked atoms, in the order of picked(): x = L⁻ᵀc, the least squares solution. Valid until
  // the next call.
  [[nodiscard]] const std::vector<Scalar>& coefficients();

 private:
  [[nodiscard]] const Scalar* row(Index i) const { return factor_.data() + i * (i + 1) / 2; }
  bool pick(Index atom);
  void project();

  const Products<Scalar>& products_;
  Scalar* correlations_ = nullptr;  // Dᵀr, once every picked atom is projected
  std::vector<Scalar> basis_;       // w_0, w_1, …
  std::vector<Scalar> factor_;      // L, row after row
  std::vector<Scalar> weights_;     // c
  std::vector<Scalar> coefficients_;
  std::vector<Index> picked_;
  Index projected_ = 0;  // picked atoms whose w is computed
  double squared_residual_ = 0;
  double smallest_ = 0;  // smaller correlations are rounding
};

extern template class Pursuit<float>;
extern template class Pursuit<double>;

}  // namespace orthodict::coding
