// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "engine/workers.h"
#include "orthodict/patches.h"
#include "orthodict/types.h"

namespace orthodict::images {

struct Filtered {
  Image image;
  double kept = 0;  // mean number of coefficients that a patch kept, the first not counted
};

// Takes every patch of a grey image through an orthogonal transform, atoms in rows, sets coefficients below the
// threshold to zero but for the first, and puts the patches back, weighing 1/(1 + number kept). The same bits for any
// number of threads. Throws Error (Fault::kStopped) when a stop is requested on the way.
[[nodiscard]] Filtered filter(const Image& image, const PatchShape& patch, const RowMatrix<double>& atoms,
                              double threshold, const std::stop_token& stop, engine::Workers* workers);

}  // namespace orthodict::images
