// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "engine/workers.h"
#include "orthodict/patches.h"
#include "orthodict/types.h"

namespace orthodict::images {

struct Filtered {
  Image image;
  double kept = 0;  // mean number of coefficients kept per patch, without the first
};

// Transforms every patch of a grey image by an orthogonal transform (atoms in rows), sets coefficients below the
// threshold, except the first, to zero, and averages the resulting patches with weights 1/(1 + number kept). The result
// has the same bits for any number of threads. Throws Error (Fault::kStopped) if a stop is requested.
[[nodiscard]] Filtered filter(const Image& image, const PatchShape& patch, const RowMatrix<double>& atoms,
                              double threshold, const std::stop_token& stop, engine::Workers* workers);

}  // namespace orthodict::images
