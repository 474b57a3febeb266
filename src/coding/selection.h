// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/coder.h"
#include "orthodict/types.h"

namespace orthodict::coding {

// Sets the coefficients of a code to zero that options.threshold and options.top don't keep.
void keep(const EncodeOptions& options, double* code, Index size);

}  // namespace orthodict::coding
