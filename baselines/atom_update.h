// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "coding/code_block.h"
#include "engine/workers.h"
#include "orthodict/types.h"

namespace orthodict::baselines {

using coding::CodeBlock;

// K-SVD's update of one atom: given the samples that use the atom, its coefficients g, and the residual of all codes R
// = Y − DX, takes one power step towards the best rank-one fit of E = R + d·gᵀ,
//
//   d ← Eg/‖Eg‖,   g ← Eᵀd,   R ← E − d·gᵀ.
class AtomUpdate {
 public:
  // `workers` must outlive the object.
  AtomUpdate(Index dimension, Index samples, engine::Workers& workers);

  // R, which the caller fills in: coding::padded(dimension) × samples. Rows beyond the dimension must stay zero.
  [[nodiscard]] Matrix<double>& residual() { return residual_; }

  // Takes the codes. All blocks but the last must hold `block_size` samples.
  void gather(const std::vector<CodeBlock>& blocks, Index block_size, Index atoms);

  // Updates the atom, which must have unit norm, its coefficients and R. An atom with Eg = 0 is left unchanged.
  void update(Index atom, double* d);

  // The number of samples that use the atom with a coefficient above 1e-7.
  [[nodiscard]] Index uses(Index atom) const;

 private:
  template <typename Task>
  void for_each_block(Index atom, const Task& task);

  Index dimension_;
  engine::Workers& workers_;
  Matrix<double> residual_;
  std::vector<Index> begin_;    // start of each atom's entries, and the end of the last
  std::vector<Index> samples_;  // samples that use an atom, in ascending order
  std::vector<double> values_;  // their coefficients
  Matrix<double> sums_;         // Eg, block by block
};

}  // namespace orthodict::baselines
