// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "engine/workers.h"
#include "images/denoising/rows.h"
#include "images/denoising/similar.h"
#include "orthodict/patches.h"
#include "orthodict/types.h"

namespace orthodict::images {

// The planes' orthogonal transforms of patches, with atoms in rows and the constant one first, and deviations of noise.
struct Transforms {
  PatchShape patch = {};
  std::vector<RowMatrix<float>> atoms = {};
  std::vector<double> sigma = {};

  [[nodiscard]] Index size() const { return patch.height * patch.width; }
};

// One pass over an image. Reference patches lie on a grid. The patches most similar to a reference patch are its group.
// The transform of the patches and a Haar transform along the group give coefficients, which are shrunk; the mean of
// the patches of all groups is the result. The constant atom's mean over a group is kept.
struct Pass {
  enum class Shrinkage {
    kThreshold,  // coefficients below strength·σ are set to zero; weight of a group: 1/(number kept)
    kWiener,     // coefficients are multiplied by q²/(q² + strength·σ²), q of the pass before; weight: 1/Σ gain²
  };
  Shrinkage shrinkage = Shrinkage::kThreshold;
  double strength = 0;
  Index step = 1;      // distance of reference patches
  Search search = {};  // in the first plane of the pass before, or of the noisy image; reach as a multiple of σ²

  // A row of the result depends on no row farther away than this.
  [[nodiscard]] Index margin(const PatchShape& patch) const { return 2 * search.window + patch.height; }
};

struct Filtered {
  std::vector<Plane> planes;
  double kept = 0;     // coefficients kept, but for the constant ones, of all patches of all planes
  double patches = 0;  // number of patches, counted once for each group
};

// Filters rows [first, last) of an image of `height` rows. `before` is the result of the pass before, or null. `noisy`
// and `before` must have all rows within the margin. The result has the same bits for any number of threads. `tick` is
// called for each row of reference patches, by all threads; it may throw.
[[nodiscard]] Filtered filter_rows(const Pass& pass, const Transforms& transforms, Index height, Index first,
                                   Index last, const Rows& noisy, const Rows* before, engine::Workers* workers,
                                   const std::function<void()>& tick);

}  // namespace orthodict::images
