// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/workers.h"
#include "orthodict/types.h"

namespace orthodict::baselines {

// Codes of consecutive samples, one after the other.
struct CodeBlock {
  std::vector<Index> begin;  // of each sample's code, and the end of the last
  std::vector<Index> atoms;
  std::vector<double> values;

  void clear();
  // The code of one more sample.
  void append(const std::vector<Index>& code_atoms, const std::vector<double>& code_values);
  // x(atom, sample) = value for all nonzeros.
  void scatter(Matrix<double>* x) const;
};

// K-SVD's step for one atom at a time: with the samples that use it, their coefficients g, and what all codes leave of
// them, R = Y − DX, it is one power step towards the best rank-one fit of E = R + d·gᵀ,
//
//   d ← Eg/‖Eg‖,   g ← Eᵀd,   R ← E − d·gᵀ.
class AtomUpdate {
 public:
  // `workers` outlive it.
  AtomUpdate(Index dimension, Index samples, engine::Workers& workers);

  // R, to be filled in by the caller: padded(dimension) × samples, and rows beyond the dimension stay zero.
  [[nodiscard]] Matrix<double>& residual() { return residual_; }

  // Takes over the codes. All blocks but the last hold `block_size` samples.
  void gather(const std::vector<CodeBlock>& blocks, Index block_size, Index atoms);

  // Changes the atom, of unit norm, its coefficients and R. An atom that nothing speaks for stays as it is.
  void update(Index atom, double* d);

  // How many samples use the atom with a coefficient above 1e-7.
  [[nodiscard]] Index uses(Index atom) const;

 private:
  template <typename Task>
  void for_each_block(Index atom, const Task& task);

  Index dimension_;
  engine::Workers& workers_;
  Matrix<double> residual_;
  std::vector<Index> begin_;    // of each atom's entries, and the end of the last
  std::vector<Index> samples_;  // that use an atom, in rising order
  std::vector<double> values_;  // with these coefficients
  Matrix<double> sums_;         // Eg, block by block
};

}  // namespace orthodict::baselines
