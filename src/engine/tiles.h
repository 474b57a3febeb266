// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "orthodict/types.h"

namespace orthodict::engine {

// The innermost loops of the fused kernel, compiled for several instruction sets and selected at run time.
//
// A tile is `vectors` vectors of atoms by `columns` samples (match) or features (accumulate). It is held in registers
// throughout. Samples are read in place. Atoms are packed into panels: the rows of one tile, contiguous for each
// column.
template <typename Scalar>
struct Tiles {
  static constexpr Index kMaxVectors = 3;
  static constexpr Index kMaxColumns = 8;

  // codes (rows×columns, contiguous) ← panel (rows×n)·y − offset, for `columns` samples y of n features. Prefetches
  // n·columns scalars from `ahead` on into the second-level cache; that address need not be valid.
  using Match = void (*)(const Scalar* panel, Index n, const Scalar* y, Index stride, const Scalar* offset,
                         std::uintptr_t ahead, Scalar* codes);
  // correlation (rows×columns) ← correlation + codes (rows×count)·yᵀ, for `columns` features from y on. The sum over
  // the block is computed in Scalar, then added in double.
  using Accumulate = void (*)(const Scalar* codes, Index count, const Scalar* y, Index stride, double* correlation,
                              Index correlation_stride);

  Index lanes = 0;    // scalars in a vector
  Index columns = 0;  // of the widest tile that fits the registers, at most kMaxColumns
  // Indexed by vectors − 1 and columns − 1.
  std::array<std::array<Match, kMaxColumns>, kMaxVectors> match{};
  std::array<std::array<Accumulate, kMaxColumns>, kMaxVectors> accumulate{};
};

template <typename Scalar>
Tiles<Scalar> tiles();

}  // namespace orthodict::engine
