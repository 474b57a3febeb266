// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orthodict/scan.h"

namespace orthodict {

// The largest number of stable atoms.
[[nodiscard]] Index most_stable(const std::vector<ScannedNumber>& numbers);
// The least number of atoms that has nearly as many.
[[nodiscard]] std::vector<ScannedNumber>::const_iterator least_with_nearly_all(
    const std::vector<ScannedNumber>& numbers);

// Fills in what the numbers recommend, if anything, and why, by our rule and by OptICA's.
void recommend(Scan* scan);

}  // namespace orthodict
