// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "coding/products.h"
#include "orthodict/types.h"

namespace orthodict::coding {

// Least squares on a given support S, for one sample after the other: x = (D_SᵀD_S)⁻¹ D_Sᵀy by Cholesky's method.
class SupportSolver {
 public:
  // `products` must outlive the object.
  explicit SupportSolver(const Products<double>& products) : products_(products) {}

  // `correlations` is D_Sᵀy. An atom that depends linearly on those before it gets 0. The result, like the correlations
  // in the order of the support, is valid until the next call.
  const std::vector<double>& solve(std::span<const Index> support, std::span<const double> correlations);

 private:
  const Products<double>& products_;
  std::vector<double> factor_;  // L of L·Lᵀ = D_SᵀD_S, row after row; a dependent atom has a row of zeros
  std::vector<double> solution_;
};

}  // namespace orthodict::coding
