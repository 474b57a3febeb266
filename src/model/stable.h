// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace orthodict {

// stable_atoms() are those that reach both, in runs from other starts and on choices of the samples.
inline constexpr double kStable = 0.8;  // stability
inline constexpr double kFound = 0.5;   // share of runs

}  // namespace orthodict
