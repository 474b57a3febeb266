// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orthodict/types.h"

namespace orthodict::coding {

// Rounds a size up to whole SIMD vectors of the widest kind.
template <typename Scalar>
[[nodiscard]] constexpr Index padded(Index size) {
  constexpr Index kLanes = 64 / static_cast<Index>(sizeof(Scalar));
  return (size + kLanes - 1) / kLanes * kLanes;
}

// The inner products that codes are computed from: of the atoms with each other, and with samples.
template <typename Scalar>
class Products {
 public:
  // Atoms in columns; the matrix must outlive the object.
  explicit Products(const Matrix<Scalar>& dictionary);

  [[nodiscard]] Index dimension() const { return dictionary_.rows(); }
  [[nodiscard]] Index atoms() const { return gram_.cols(); }
  [[nodiscard]] Index stride() const { return gram_.rows(); }  // padded(atoms): vectors are padded with zeros
  // DᵀD, atoms × atoms, in columns of that stride.
  [[nodiscard]] const Scalar* gram(Index atom) const { return gram_.data() + atom * gram_.rows(); }

  // DᵀY for `count` samples, in columns of stride(): correlations has stride()·count entries.
  void correlate(const Scalar* samples, Index count, Scalar* correlations) const;

  // residual ← correlations − DᵀD_S x, all of stride() entries, for a code of these atoms. Returns the largest
  // magnitude.
  double residual(const Scalar* correlations, const std::vector<Index>& atoms, const std::vector<Scalar>& values,
                  Scalar* residual) const;

 private:
  const Matrix<Scalar>& dictionary_;
  Matrix<Scalar> gram_;
};

extern template class Products<float>;
extern template class Products<double>;

}  // namespace orthodict::coding
