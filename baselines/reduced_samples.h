// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <optional>

#include "orthodict/types.h"
#include "solver/coordinates.h"
#include "solver/run.h"

namespace orthodict::baselines {

// In doubles. Samples are padded to whole vectors with finite values, which are multiplied by zeros of q.
inline constexpr Index kLongestVector = 8;

// The samples in an orthonormal basis B of the complement of the atoms found so far: x = Bᵀ·W(y − m)/rms. It is a copy
// that shrinks in place from atom to atom.
class ReducedSamples {
 public:
  // B starts as a basis of the samples' range in the coordinates; outside it every coefficient is zero. Throws Error if
  // the copy doesn't fit in memory. The arguments must outlive the object.
  ReducedSamples(solver::Run& run, const solver::Coordinates& coordinates);

  [[nodiscard]] Index dimension() const { return basis_.cols(); }
  [[nodiscard]] const Matrix<double>& basis() const { return basis_; }  // B, coordinates' dimension × dimension()

  struct Value {
    double objective;         // f(q) = mean |qᵀx|
    Vector<double> gradient;  // (I − qqᵀ)·mean(x·sign(qᵀx)), a Riemannian subgradient of f
  };
  // Evaluates f at a unit vector q, in one pass. Returns nothing if a stop was requested.
  [[nodiscard]] std::optional<Value> evaluate(const Vector<double>& q);

  // Removes the direction of the unit vector q, and so one dimension.
  void leave_out(const Vector<double>& q);

 private:
  static constexpr Index kBlock = 128;  // samples per block, stored contiguously, each padded
  [[nodiscard]] Index blocks() const { return (size_ + kBlock - 1) / kBlock; }
  [[nodiscard]] Index count(Index block) const { return std::min(kBlock, size_ - block * kBlock); }
  [[nodiscard]] Index stride() const { return (dimension() + kLongestVector - 1) / kLongestVector * kLongestVector; }
  [[nodiscard]] double* data(Index block) { return storage_.data() + block * kBlock * storage_.rows(); }
  // Stops early if a stop is requested.
  void for_each_block(double flops_per_entry, const std::function<void(Index)>& work);

  solver::Run& run_;
  Index size_;
  Matrix<double> basis_;
  Matrix<double> storage_;  // keeps its initial size
};

}  // namespace orthodict::baselines
