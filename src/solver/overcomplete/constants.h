// SPDX-License-Identifier: Apache-2.0
// The numbers that docs/overcomplete.md tells of. They were chosen on random Gaussian dictionaries of 20×50 to 256×1024
// with 3 to 10 nonzeros per code.
#pragma once

#include <algorithm>

#include "orthodict/types.h"

namespace orthodict::solver::overcomplete {

// A code has at most a third as many atoms as there are dimensions.
[[nodiscard]] inline Index longest_code(Index dimensions) { return std::max<Index>(3, dimensions / 3); }

// Explore.
inline constexpr Index kSamplesPerAtom = 15;  // in the first part
inline constexpr Index kLeastSamples = 1000;
inline constexpr int kGrowth = 4;          // of the part
inline constexpr int kMostPerStart = 4;    // atoms, in units of those that exploration starts with
inline constexpr double kSettled = 0.95;   // share of energy that is explained when the part needn't grow
inline constexpr double kEnoughUses = 12;  // of all but a tenth of the atoms, when the part needn't grow
inline constexpr int kSharpenings = 6;
inline constexpr float kShrink = 2.5F;  // in units of a product's rms
inline constexpr int kRounds = 20;
inline constexpr double kFirstShare = 0.3;  // of a sample's energy that codes leave
inline constexpr double kLastShare = 0.02;
// Atoms that are better than the threshold by chance. Few keep atoms that fit noise away; but where coefficients are
// equal in size and many, no atom is better than that, and exploration goes astray until it has as many as it may.
inline constexpr double kStrict = 0.1;
inline constexpr double kLiberal = 1;
inline constexpr double kAstray = 0.8;       // of the most atoms allowed
inline constexpr double kFirstRepair = 0.5;  // share of the rounds after which sheared atoms are turned back
inline constexpr double kLate = 0.7;         // and after which no atoms are added
inline constexpr double kIdle = 0.1;         // energy next to the median below which an atom is dropped
inline constexpr double kIdleLate = 0.3;
inline constexpr int kYoung = 2;  // rounds in which an atom isn't dropped for that
inline constexpr Index kLeastUses = 3;
inline constexpr double kDuplicateInExploration = 0.95;  // |cos|
inline constexpr double kMostNew = 0.2;                  // atoms that are added, in units of those there are
inline constexpr Index kResiduals = 4000;                // that they are learned from
inline constexpr int kResidualSteps = 3;
inline constexpr float kKnown = 0.9F;  // |cos| to an atom above which another one isn't new

// Finish.
inline constexpr int kRegressions = 3;  // per round
inline constexpr double kLeastShare = 1e-20;
inline constexpr double kSingle = 1e-9;  // shares above this are coded in single precision
inline constexpr double kExpected = 0.5;
inline constexpr double kExact = 1e-18;  // ‖r‖²/‖y‖² of a sample that is coded exactly
inline constexpr double kIdleInFinish = 0.2;
inline constexpr int kPatience = 3;            // rounds in a row in which an atom may wander
inline constexpr double kExactlySparse = 0.3;  // share of exactly coded samples from which on the data count as sparse
inline constexpr double kNearlyAll = 0.9;      // and from which on there is no noise: greedy codes miss some

}  // namespace orthodict::solver::overcomplete
