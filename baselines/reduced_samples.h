// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <optional>

#include "orthodict/types.h"
#include "solver/coordinates.h"
#include "solver/run.h"

namespace orthodict::baselines {

// Doubles: a sample is padded to whole vectors, with finite values that meet zeros of q.
inline constexpr Index kLongestVector = 8;

// The samples in an orthonormal basis B of what the atoms found so far leave over: x = Bᵀ·W(y − m)/rms, a copy that
// shrinks in place from atom to atom.
class ReducedSamples {
 public:
  // B starts as a basis of the samples' range in the coordinates: outside of it every coefficient is zero. Throws Error
  // when the copy doesn't fit into memory. What is given outlives this.
  ReducedSamples(solver::Run& run, const solver::Coordinates& coordinates);

  [[nodiscard]] Index dimension() const { return basis_.cols(); }
  [[nodiscard]] const Matrix<double>& basis() const { return basis_; }  // B, coordinates' dimension × dimension()

  struct Value {
    double objective;         // f(q) = mean |qᵀx|
    Vector<double> gradient;  // (I − qqᵀ)·mean(x·sign(qᵀx)), a Riemannian subgradient of f
  };
  // At a unit vector q, in one pass. Nothing when a stop was requested on the way.
  [[nodiscard]] std::optional<Value> evaluate(const Vector<double>& q);

  // Leaves out the direction of the unit vector q: one dimension less.
  void leave_out(const Vector<double>& q);

 private:
  static constexpr Index kBlock = 128;  // samples; within a block they are contiguous, each padded
  [[nodiscard]] Index blocks() const { return (size_ + kBlock - 1) / kBlock; }
  [[nodiscard]] Index count(Index block) const { return std::min(kBlock, size_ - block * kBlock); }
  [[nodiscard]] Index stride() const { return (dimension() + kLongestVector - 1) / kLongestVector * kLongestVector; }
  [[nodiscard]] double* data(Index block) { return storage_.data() + block * kBlock * storage_.rows(); }
  // Until a stop is requested.
  void for_each_block(double flops_per_entry, const std::function<void(Index)>& work);

  solver::Run& run_;
  Index size_;
  Matrix<double> basis_;
  Matrix<double> storage_;  // as wide as at the start
};

}  // namespace orthodict::baselines
