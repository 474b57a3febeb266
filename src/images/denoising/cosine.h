// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/export.h"
#include "orthodict/patches.h"
#include "orthodict/types.h"

namespace orthodict::images {

// The orthonormal cosine transform (DCT-II) of grey patches. Atoms are in rows, ordered by vertical, then horizontal
// frequency, so that the first is constant.
[[nodiscard]] ORTHODICT_EXPORT RowMatrix<double> cosine_transform(const PatchShape& patch);

}  // namespace orthodict::images
