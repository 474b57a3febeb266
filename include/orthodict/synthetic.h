// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "orthodict/export.h"
#include "orthodict/types.h"

namespace orthodict {

// Samples Y = D·X with Bernoulli–Gaussian X: each coefficient is N(0, 1) with probability theta, otherwise 0. With
// `nonzeros`, each code has that many coefficients instead.
struct ORTHODICT_EXPORT SyntheticOptions {
  Index dimension = 50;   // n ≥ 1
  Index samples = 20000;  // p ≥ 1
  double theta = 0.3;     // in (0, 1]
  double condition = 1;   // of D, 1 … 1e12. 1: orthogonal; else singular values from 1 down to 1/condition
  double noise = 0;       // standard deviation ≥ 0 of Gaussian noise on every entry of Y
  double outliers = 0;    // share of samples in [0, 1] that are replaced by N(0, I)
  double corruption = 0;  // share of entries of Y in [0, 1] to which ±1 is added
  std::uint64_t seed = 0;
  std::optional<RowMatrix<double>> dictionary = {};  // use this D, atoms in rows, instead of a random one
  // Atoms, ≥ 1: the rows of `dictionary`, or n, unless set. A random D of more or fewer than n has Gaussian atoms at
  // unit norm.
  std::optional<Index> atoms = {};
  std::optional<Index> nonzeros = {};  // of every code, 1 … atoms; without replacement, in place of theta
  // With nonzeros: atom i = 1, 2, … is drawn in proportion to i^(−frequencies); 0, ½, 1 … 4.
  double frequencies = 0;
  bool signs = false;  // coefficients are ±1 instead of normal
  // Complex samples, each number as real and imaginary part in neighbouring columns (orthodict/complex.h): D is
  // unitary, or has these singular values, and coefficients, noise and outliers are circular normal with E|z|² = 1,
  // noise² and 1. A given `dictionary` is complex likewise. Without signs and corruption.
  bool is_complex = false;

  // Throws Error that names the first invalid option.
  void validate() const;
};

// A reproducible data set: each sample is a pure function of the options, the same on every platform. Samples can be
// generated in any order and by any thread.
class ORTHODICT_EXPORT Synthetic {
 public:
  explicit Synthetic(SyntheticOptions options);

  [[nodiscard]] const SyntheticOptions& options() const { return options_; }
  // Numbers in a row of samples() and of dictionary(): the dimension, or twice that.
  [[nodiscard]] Index columns() const { return options_.is_complex ? 2 * options_.dimension : options_.dimension; }
  [[nodiscard]] const RowMatrix<double>& dictionary() const { return dictionary_; }  // an atom is a row
  // Samples [first, first + count) in rows.
  [[nodiscard]] RowMatrix<double> samples(Index first, Index count) const;
  [[nodiscard]] RowMatrix<double> samples() const { return samples(0, options_.samples); }

 private:
  void fill(Index sample, double* y) const;
  void add_nonzeros(Index sample, double* y) const;
  void add_atom(Index sample, Index atom, double* y) const;

  SyntheticOptions options_;
  RowMatrix<double> dictionary_;
  std::vector<double> frequencies_;  // with nonzeros: a tree of the atoms' frequencies, to draw from
};

}  // namespace orthodict
