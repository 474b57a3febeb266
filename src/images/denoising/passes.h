// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "engine/workers.h"
#include "images/denoising/filter.h"
#include "orthodict/image.h"

namespace orthodict::images {

struct PassTotals {
  double kept = 0;  // mean number of coefficients that the last threshold kept, per patch, without the constant ones
};

// Runs the passes over an image, strips of about `strip` values one after the other, and replaces the image by the
// result. Passes keep only the rows that following strips need, so memory is that of the image and of a few strips.
// `tick` is called with the share of the work that is done, by the calling thread; check_stop() by all threads.
[[nodiscard]] PassTotals run_passes(const std::vector<Pass>& passes, const Transforms& transforms, Index strip,
                                    Image* image, engine::Workers* workers, const std::function<void(double)>& progress,
                                    const std::function<void()>& check_stop);

}  // namespace orthodict::images
