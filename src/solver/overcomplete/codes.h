// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "coding/code_block.h"
#include "engine/workers.h"
#include "orthodict/types.h"

namespace orthodict::solver::overcomplete {

// Sparse codes of p samples.
struct Codes {
  static constexpr Index kBlock = 256;    // samples per block
  std::vector<coding::CodeBlock> blocks;  // of consecutive samples
  Vector<double> squared_residual;        // p
  [[nodiscard]] Index samples() const { return squared_residual.size(); }

  // The code of a sample: its first entry, the end, and the block that has them.
  struct Place {
    const coding::CodeBlock* block;
    std::size_t begin, end;
    [[nodiscard]] Index size() const { return static_cast<Index>(end - begin); }
    [[nodiscard]] Index atom(std::size_t e) const { return block->atoms[e]; }
    [[nodiscard]] double value(std::size_t e) const { return block->values[e]; }
  };
  [[nodiscard]] Place of(Index sample) const;
};

// The same entries, atom by atom: samples in rising order.
struct ByAtom {
  ByAtom(const Codes& codes, Index atoms);
  [[nodiscard]] Index atoms() const { return static_cast<Index>(begin.size()) - 1; }
  [[nodiscard]] Index uses(Index atom) const { return begin[atom + 1] - begin[atom]; }
  std::vector<Index> begin;  // of each atom, and the end of the last
  std::vector<Index> samples;
  std::vector<double> values;
  [[nodiscard]] Vector<double> energies() const;  // Σx² of each atom
};

// When a greedy code ends, besides at the level of rounding.
struct Rule {
  Index most = 0;              // with so many atoms
  double share = 0;            // or when ‖r‖² ≤ share·‖z‖²
  std::vector<double> chance;  // or when the best atom is no better than chance; see coding::PursuitEnd
};

// Greedy codes of the columns of z with the columns of `atoms`, of unit norm.
template <typename Scalar>
[[nodiscard]] Codes greedy_codes(const Matrix<Scalar>& z, const Matrix<Scalar>& atoms, const Rule& rule,
                                 engine::Workers& workers);

// Replaces values by least squares on the same supports, for samples y and atoms of any norm, and residuals likewise.
void refit(const Matrix<double>& y, const Matrix<double>& atoms, engine::Workers& workers, Codes* codes);

// The residual z − Σ x_j d_j of one sample.
template <typename Scalar>
[[nodiscard]] Vector<Scalar> residual(const Matrix<Scalar>& z, const Matrix<Scalar>& atoms, const Codes& codes,
                                      Index sample);

// The dictionary that fits the codes best, D = (Σ w y xᵀ)(Σ w x xᵀ)⁻¹, with columns of unit norm.
struct Regression {
  Matrix<double> atoms;
  std::vector<bool> unused;  // atoms without energy, which stay as they were
};
template <typename Scalar>
[[nodiscard]] Regression regress(const Matrix<Scalar>& y, const Codes& codes, const ByAtom& by_atom,
                                 const std::optional<Vector<double>>& weights, const Matrix<double>& before,
                                 engine::Workers& workers);

}  // namespace orthodict::solver::overcomplete
