// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/patches.h"
#include "orthodict/types.h"

namespace orthodict::images {

// The orthonormal cosine transform (DCT-II) of grey patches: atoms in rows, row by row of frequencies, so that the
// first is constant.
[[nodiscard]] RowMatrix<double> cosine_transform(const PatchShape& patch);

}  // namespace orthodict::images
