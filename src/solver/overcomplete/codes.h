// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "coding/code_block.h"
#include "orthodict/types.h"
#include "solver/overcomplete/means.h"

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
    [[nodiscard]] std::span<const Index> atoms() const { return std::span(block->atoms).subspan(begin, end - begin); }
    [[nodiscard]] std::span<const double> values() const {
      return std::span(block->values).subspan(begin, end - begin);
    }
  };
  [[nodiscard]] Place of(Index sample) const;
};

// The same entries, atom by atom: samples in rising order.
struct ByAtom {
  ByAtom(const Codes& codes, Index atoms);
  [[nodiscard]] Index atoms() const { return static_cast<Index>(begin.size()) - 1; }
  [[nodiscard]] Index uses(Index atom) const { return begin[atom + 1] - begin[atom]; }
  [[nodiscard]] std::span<const Index> samples_of(Index atom) const {
    return std::span(samples).subspan(begin[atom], uses(atom));
  }
  [[nodiscard]] std::span<const double> values_of(Index atom) const {
    return std::span(values).subspan(begin[atom], uses(atom));
  }
  std::vector<Index> begin;  // of each atom, and the end of the last
  std::vector<Index> samples;
  std::vector<double> values;
  [[nodiscard]] Vector<double> energies() const;  // Σx² of each atom
};

// When a greedy code ends, besides at the level of rounding.
struct Rule {
  Index most = 0;              // with so many atoms
  double share = 0;            // or when ‖r‖² ≤ share·‖z‖²,
  Vector<double> shares = {};  // which may be more for some samples; empty: it's the same for all
  [[nodiscard]] double share_of(Index sample) const { return shares.size() > 0 ? shares[sample] : share; }
  std::vector<double> chance;  // or when the best atom is no better than chance; see coding::PursuitEnd
};

// Those thresholds for any number of atoms. They hardly change with it, and take long to compute.
class Chance {
 public:
  // As many atoms as `expected` are better by chance.
  Chance(Index dimensions, double expected) : dimensions_(dimensions), expected_(expected) {}
  [[nodiscard]] const std::vector<double>& among(Index atoms);

 private:
  Index dimensions_;
  double expected_;
  Index atoms_ = 0;
  std::vector<double> cosines_;
};

// What follows is incomplete, and of no use, where means.ended() is true after it.

// Greedy codes of the columns of z with the columns of `atoms`, of unit norm.
template <typename Scalar>
[[nodiscard]] Codes greedy_codes(const Matrix<Scalar>& z, const Matrix<Scalar>& atoms, const Rule& rule,
                                 const Means& means);

// Replaces values by least squares on the same supports, for samples y and atoms of any norm, and residuals likewise.
void refit(const Matrix<double>& y, const Matrix<double>& atoms, const Means& means, Codes* codes);

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
                                 const Means& means);

}  // namespace orthodict::solver::overcomplete
