// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "coding/basis.h"
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

// Orthogonal matching pursuit for one sample after the other: each step picks the atom with the largest correlation to
// the residual, and projects the sample to the span of the picked atoms. Of the sample it needs Dᵀy and ‖y‖² alone,
// which must be within the range of squares.
template <typename Scalar>
class Pursuit {
 public:
  // The atoms must have unit norm, or be zero. `products` must outlive the pursuit.
  explicit Pursuit(const Products<Scalar>& products) : basis_(products) {}

  // Starts with a sample: Dᵀy in a column of products.stride() entries, which the pursuit overwrites, and ‖y‖².
  void start(Scalar* correlations, double squared_norm);

  // Picks atoms until `end`, or until the residual is at the level of rounding, or the next atom depends linearly on
  // those picked. Another call continues.
  void extend(const PursuitEnd& end);

  [[nodiscard]] Index size() const { return basis_.size(); }
  [[nodiscard]] const std::vector<Index>& picked() const { return basis_.atoms(); }
  [[nodiscard]] double squared_residual() const { return squared_residual_; }

  // The coefficients of the picked atoms, in the order of picked(): the least squares solution. Valid until the next
  // call.
  [[nodiscard]] const std::vector<Scalar>& coefficients() { return basis_.coefficients(); }

 private:
  Basis<Scalar> basis_;
  double squared_residual_ = 0;
  double smallest_ = 0;  // smaller correlations are rounding
};

extern template class Pursuit<float>;
extern template class Pursuit<double>;

}  // namespace orthodict::coding
