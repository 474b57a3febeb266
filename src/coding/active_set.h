// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "coding/basis.h"
#include "coding/products.h"
#include "orthodict/types.h"

namespace orthodict::coding {

// The lasso, x = argmin P(x) with P(x) = ½‖y − Dx‖² + λ‖x‖₁, by active sets, for one sample after the other. x is
// optimal when, with r = Dᵀ(y − Dx),
//
//   r_j = λ·sign(x_j)  where x_j ≠ 0,      |r_j| ≤ λ  elsewhere.
//
// What is sparse is found directly: the atom that violates this most joins the set S, with the sign θ of its r, and x
// solves D_Sᵀ(y − D_S x) = λθ, until no atom violates it. If x has the signs θ it is the answer. Otherwise, for a few
// steps, x goes from what has the right signs towards that solution, and an atom whose coefficient becomes zero on the
// way leaves S, as in Lawson and Hanson's method for nonnegative least squares (Solving Least Squares Problems, 1974,
// chapter 23).
//
// What takes more steps is found along the path of the minima for all λ, which is piecewise linear (Osborne, Presnell,
// Turlach 2000): with p = L⁻¹D_Sᵀy and v = L⁻¹θ in the basis of S,
//
//   x(λ) = L⁻ᵀ(p − λv),   r(λ) = e + λa,   e = Dᵀy − Wp,   a = Wv,
//
// so atom j joins at λ = |e_j|/(1 − sign(e_j)·a_j), and one leaves where its x becomes zero.
template <typename Scalar>
class ActiveSet {
 public:
  // Atoms may have any norm. `products` must outlive the object.
  explicit ActiveSet(const Products<Scalar>& products);

  // Computes the code of a sample from Dᵀy, products.stride() entries, and ‖y‖, which must be about 1 or 0. λ > 0.
  // Returns whether it meets the conditions up to δλ, by an r that is computed anew; otherwise it is the code that
  // rounding allows with atoms so close to dependent. δ is kLassoAccuracy, or, where λ is very small, what rounding
  // leaves. y − Dx shrunk by 1 + δ is feasible for the dual problem, so the duality gap is at most (2δ + δ²)·P(x).
  [[nodiscard]] bool solve(const Scalar* correlations, double norm, double penalty);

  // The atoms that are used, and their coefficients; valid until the next call.
  [[nodiscard]] const std::vector<Index>& atoms() const { return basis_.atoms(); }
  [[nodiscard]] const std::vector<Scalar>& values() const { return values_; }

 private:
  enum class Step { kDone, kGoesOn, kFails };

  void start(const Scalar* correlations);
  [[nodiscard]] bool meets_conditions(const Scalar* correlations);
  [[nodiscard]] bool solve_directly(const Scalar* correlations);
  [[nodiscard]] bool has_many_wrong_signs();
  Step step();
  void follow_path(const Scalar* correlations);
  void extend_direction();
  [[nodiscard]] std::pair<Index, double> next_to_leave();
  [[nodiscard]] std::pair<Index, double> next_to_join();
  [[nodiscard]] bool violates(Index atom) const;
  [[nodiscard]] bool add(Index atom);

  const Products<Scalar>& products_;
  Basis<Scalar> basis_;
  std::vector<Scalar> residual_;      // r, or e
  std::vector<Scalar> values_;        // x; on the path, L⁻ᵀp
  std::vector<Scalar> signs_;         // θ
  std::vector<Scalar> directions_;    // a
  std::vector<Scalar> slopes_;        // v
  std::vector<Scalar> value_slopes_;  // L⁻ᵀv
  std::vector<Index> dependent_;      // atoms that can't join S as it is
  double penalty_ = 0;
  double slack_ = 0;  // by which conditions may be violated
};

extern template class ActiveSet<float>;
extern template class ActiveSet<double>;

}  // namespace orthodict::coding
