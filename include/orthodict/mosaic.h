// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "orthodict/export.h"
#include "orthodict/image.h"
#include "orthodict/model.h"
#include "orthodict/names.h"
#include "orthodict/types.h"

namespace orthodict {

// How the largest entry of an atom is shown.
enum class Contrast { kEach, kCommon };
template <>
ORTHODICT_EXPORT std::span<const Named<Contrast>> names_of();

struct ORTHODICT_EXPORT MosaicOptions {
  // Of an atom, {height, width} or {height, width, channels}; the model's sample_shape when empty.
  std::vector<Index> shape = {};
  Index columns = 16;  // atoms side by side, ≥ 1
  Contrast contrast = Contrast::kEach;
  std::optional<Index> scale = {};  // pixels per entry, 1 … 1000; when unset a tile has at least 64 on its longer side

  // Throws Error that names the option that isn't legal.
  void validate() const;
};

// The atoms of a model as pictures, in its order (by energy) row by row, on black: zero is grey, the largest entry
// black or white; atoms in colour deviate from grey channel by channel. Throws Error when atoms aren't pictures.
[[nodiscard]] ORTHODICT_EXPORT Image atom_mosaic(const Model& model, const MosaicOptions& options = {});

}  // namespace orthodict
