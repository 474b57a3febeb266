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

// The scale of grey values.
enum class Contrast { kEach, kCommon };
template <>
ORTHODICT_EXPORT std::span<const Named<Contrast>> names_of();

struct ORTHODICT_EXPORT MosaicOptions {
  // Shape of an atom: {height, width} or {height, width, channels}. Default: the model's sample_shape.
  std::vector<Index> shape = {};
  Index columns = 16;  // atoms per row, ≥ 1
  Contrast contrast = Contrast::kEach;
  std::optional<Index> scale = {};  // pixels per entry, 1 … 1000; default: 64 or more per atom on its longer side

  // Throws Error that names the first invalid option.
  void validate() const;
};

// Draws the atoms of a model as small pictures on black, row by row in their order (by energy). Zero is grey, and the
// largest entry is black or white. In colour, each channel deviates from grey. Throws Error if atoms aren't pictures.
[[nodiscard]] ORTHODICT_EXPORT Image atom_mosaic(const Model& model, const MosaicOptions& options = {});

}  // namespace orthodict
