// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/error.h"
#include "orthodict/types.h"

namespace orthodict::solver {

// More atoms are asked for than the rank of the samples.
struct BeyondRank : Error {
  BeyondRank(const Error& error, Index most) : Error(error), rank(most) {}
  Index rank;
};

}  // namespace orthodict::solver
