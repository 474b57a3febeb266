// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "coding/products.h"
#include "orthodict/types.h"

namespace orthodict::coding {

// Least squares on a set S of atoms that grows and shrinks, for one sample after the other, in terms of inner products
// only (Rubinstein, Zibulevsky, Elad 2008): it is given DᵀD and z = Dᵀy, which becomes Dᵀr for r = y − Dx.
//
// With Q the orthonormal basis that Gram–Schmidt makes of S, the columns w_i = Dᵀq_i are stored. Row s of them, for s
// in S, is a row of the Cholesky factor L of D_SᵀD_S, so an atom costs 2·atoms·|S| operations:
//
//   w_i = (DᵀD e_s − Σ_{j<i} L_ij w_j) / L_ii,     z ← z − h_i w_i
//
// and the code is x = L⁻ᵀh. With h_i = z_s/L_ii it is y's projection to the span; with h_i = (z_s − θ_s)/L_ii it is the
// x with D_Sᵀr = θ. The last w is needed only for z, and is computed only then. An atom is taken out again by plane
// rotations of the columns after it.
template <typename Scalar>
class Basis {
 public:
  // `products` must outlive the basis. Zero atoms depend on everything.
  explicit Basis(const Products<Scalar>& products) : products_(products) {}

  // Starts with a sample and no atom: Dᵀy in a column of products.stride() entries, which become Dᵀr.
  void start(Scalar* correlations);

  [[nodiscard]] Index size() const { return static_cast<Index>(atoms_.size()); }
  [[nodiscard]] const std::vector<Index>& atoms() const { return atoms_; }
  [[nodiscard]] const std::vector<Scalar>& weights() const { return weights_; }  // h
  [[nodiscard]] bool contains(Index atom) const;

  // The first atom with the largest |z|.
  [[nodiscard]] Index largest();
  // z of an atom, after largest().
  [[nodiscard]] Scalar correlation(Index atom) const { return correlations_[atom]; }

  // Adds an atom that isn't in S, so that its z becomes `rest`. Returns false if it depends linearly on S. After
  // largest() or update() only.
  [[nodiscard]] bool add(Index atom, Scalar rest = 0);
  // Takes the atom at this place of atoms() out. z of the others in S stays as it is. Factors for all columns, and
  // their combine(), follow: L·factors stays as it is for the others.
  void drop(Index place, std::vector<Scalar>* factors = nullptr, Scalar* sum = nullptr);

  // x in the order of atoms(). Valid until the next call.
  [[nodiscard]] const std::vector<Scalar>& coefficients();

  // Brings z up to date, as largest() does.
  void update();
  // Sets `solution` to L⁻¹·right, of which the entries before `first` are known.
  void solve_lower(const std::vector<Scalar>& right, std::vector<Scalar>* solution, Index first = 0) const;
  // L⁻ᵀ·one and L⁻ᵀ·other, in place.
  void solve_upper(std::vector<Scalar>* one, std::vector<Scalar>* other) const;
  // sum ← sum + Σ_{i≥first} factors_i·w_i, products.stride() entries. After largest() or update() only.
  void combine(const std::vector<Scalar>& factors, Index first, Scalar* sum) const;

 private:
  [[nodiscard]] Scalar* row(Index i) { return factor_.data() + i * (i + 1) / 2; }
  [[nodiscard]] const Scalar* row(Index i) const { return factor_.data() + i * (i + 1) / 2; }

  const Products<Scalar>& products_;
  Scalar* correlations_ = nullptr;  // z, once all atoms are projected
  std::vector<Scalar> columns_;     // w_0, w_1, …
  std::vector<Scalar> factor_;      // L, row after row
  std::vector<Scalar> weights_;     // h
  std::vector<Scalar> solution_;
  std::vector<Scalar> rotations_;  // cosines and sines
  std::vector<Index> atoms_;
  Index projected_ = 0;  // atoms whose w is computed
  Index largest_ = -1;   // −1: not known
};

extern template class Basis<float>;
extern template class Basis<double>;

}  // namespace orthodict::coding
