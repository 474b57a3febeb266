// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/coder.h"
#include "orthodict/types.h"

namespace orthodict::coding {

// Sets the coefficients of a code to zero that options.threshold and options.top don't keep. `size` is their number;
// complex ones are two numbers each. They must be finite.
void keep(const EncodeOptions& options, double* code, Index size, bool is_complex = false);

[[nodiscard]] bool all_finite(const double* values, Index size);

}  // namespace orthodict::coding
