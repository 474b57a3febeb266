// SPDX-License-Identifier: Apache-2.0
// The numbers that decide, stage by stage. Those without a derivation were chosen on random Gaussian dictionaries of
// 20×50 to 256×1024 with 3 to 10 nonzeros per code; docs/overcomplete.md has figures of other seeds and kinds.
#pragma once

#include <algorithm>

#include "orthodict/types.h"

namespace orthodict::solver::overcomplete {

// Codes, in all stages.
//
// A code has at most a third as many atoms as there are dimensions: greedy codes of more aren't the sparsest.
[[nodiscard]] inline Index longest_code(Index dimensions) { return std::max<Index>(3, dimensions / 3); }
inline constexpr Index kSettledFor = 16;   // thresholds of chance hold until the atoms are a 16th more or fewer
inline constexpr double kNoEnergy = 1e-9;  // Σx² next to the largest: regression leaves such an atom as it is

// Axes.
inline constexpr double kFarApart = 1e3;          // standard deviations of features, for which all are scaled
inline constexpr double kRoundingOfMean = 1e-13;  // a standard deviation next to the mean that is no more than rounding

// The part of the samples that is explored.
inline constexpr Index kSamplesPerAtom = 15;  // 6 to 10 suffice for most dictionaries; noise and rare atoms need more
inline constexpr Index kLeastSamples = 1000;
inline constexpr int kGrowth = 4;         // of the part
inline constexpr double kManyMore = 1.2;  // found, in units of those started with: the part is too small for so many
inline constexpr int kMostPerStart = 4;   // atoms, in units of those that exploration starts with
inline constexpr double kMostPerAsked = 1.5;  // and of those asked for: some are dropped again
inline constexpr double kSettled = 0.95;      // share of energy that is explained when the part needn't grow
inline constexpr double kEnoughUses = 12;     // of all but a tenth of the atoms, when the part needn't grow

// Explore.
inline constexpr int kSharpenings = 6;
inline constexpr float kShrink =
    2.5F;  // in units of a product's rms: above it the few samples with that atom stand out
inline constexpr int kRounds = 20;
inline constexpr double kFirstShare = 0.3;  // of a sample's energy that codes leave; less would fit wrong atoms exactly
inline constexpr double kLastShare = 0.02;
// Atoms that are better than the threshold by chance. Few keep atoms that fit noise away; but where coefficients are
// equal in size and many, no atom is better than that, and exploration goes astray until it has as many as it may.
inline constexpr double kStrict = 0.1;
inline constexpr double kLiberal = 1;
inline constexpr double kAstray = 0.8;       // of the most atoms allowed
inline constexpr double kFirstRepair = 0.5;  // share of the rounds after which sheared atoms are turned back
inline constexpr double kLate = 0.7;         // and after which no atoms are added: new ones need rounds to settle
inline constexpr double kIdle = 0.1;         // energy next to the median below which an atom is dropped
inline constexpr double kIdleLate = 0.3;
inline constexpr int kYoung = 2;  // rounds in which an atom isn't dropped for that
inline constexpr Index kLeastUses = 3;
inline constexpr double kDuplicateInExploration = 0.95;  // |cos|
inline constexpr double kMostNew = 0.2;                  // atoms that are added, in units of those there are
inline constexpr Index kResiduals = 4000;                // that they are learned from
inline constexpr int kResidualSteps = 3;
inline constexpr float kKnown = 0.9F;  // |cos| to an atom above which another one isn't new

// Repair. A companion is told by the densest part of the ratios of coefficients: either so large a share of the atom's
// samples whose ratios are nearly the same, or a smaller one whose ratios are the same next to how far all of them are
// apart.
struct Sameness {
  double share;     // of the atom's samples
  double to_ratio;  // largest spread, relative to the ratio itself
  double to_all;    // and relative to the interquartile range of all ratios
};
inline constexpr Sameness kSame[] = {{0.3, 0.2, 1e300}, {0.1, 1, 1e-3}};
inline constexpr Index kLeastShared = 6;          // samples
inline constexpr double kLeastShareOfUses = 0.1;  // of the atom's, that have a companion
inline constexpr Index kCompanions = 8;           // that are looked at, the most frequent first
inline constexpr double kNoRatio = 1e-11;         // smaller ones are rounding
inline constexpr double kMadeUp = 1e-16;          // ‖r‖² of an atom that others make up exactly

// Finish.
inline constexpr int kRegressions = 3;  // per round
inline constexpr double kLeastShare = 1e-20;
inline constexpr double kSingle = 1e-9;  // shares above this are coded in single precision
inline constexpr double kExpected = 0.5;
inline constexpr double kExact = 1e-18;  // ‖r‖²/‖y‖² of a sample that is coded exactly
inline constexpr double kIdleInFinish = 0.2;
// A sample counts in full while its ‖r‖² is at most so many times that of the better quarter with one of its atoms:
// four standard deviations.
inline constexpr double kTolerated = 16;
// An atom wanders in a round in which it moves by more than kMoves, kFurther times the median atom, and hardly less
// than in the round before; and is dropped after kPatience such rounds in a row.
inline constexpr double kMoves = 1e-4;
inline constexpr double kFurther = 30;
inline constexpr double kHardlyLess = 0.8;
inline constexpr int kPatience = 3;
// The share of energy at which codes end follows the square of the moves: an atom that moves by ε leaves ε² of a
// sample. From 1e3 times that of the upper moves it falls to 1e4 times that of the largest, at most tenfold per round.
inline constexpr double kSharePerUpperMove = 1e3;
inline constexpr double kSharePerLargestMove = 1e4;
inline constexpr double kFall = 10;
inline constexpr double kSharePerMove = 100;  // of a sample, next to the squares of its own atoms' moves
inline constexpr double kNoisy = 50;  // ‖r‖²/‖y‖² of the median sample, in units of the share, that noise explains
inline constexpr double kRestInNoise = 1e-3;  // of nine of ten atoms' moves, far less than noise leaves undetermined
inline constexpr double kRest = 1e-11;        // the largest move, next to rounding: half its square is the error
// Some samples keep changing their supports: moves fall no further. Rest if these are small, and no round halved them.
inline constexpr double kSmallMoves = 1e-6;
inline constexpr int kStalled = 3;  // rounds
// In noise: rest if the energy that is left doesn't fall below that share of the least.
inline constexpr double kFallOfLeft = 0.99;
inline constexpr double kExactlySparse = 0.3;  // share of exactly coded samples from which on the data count as sparse
inline constexpr double kNearlyAll = 0.9;      // and from which on there is no noise: greedy codes miss some
inline constexpr double kLeastExactUses = 5;   // of an exact atom,
inline constexpr double kExactUses = 0.3;      // and next to the median of all atoms

// Completion.
inline constexpr int kAttempts = 4;
inline constexpr double kAll = 0.995;          // share of samples coded exactly at which nothing is missing
inline constexpr double kCodedShare = 1e-16;   // ‖r‖²/‖z‖² at which a code ends, and
inline constexpr double kCodedSquare = 1e-12;  // ‖r‖² per whitened dimension up to which a sample isn't unexplained
inline constexpr double kGain = 1e-3;          // in the share of samples coded exactly, that is worth another attempt
inline constexpr double kLoss = 1e-2;          // and that is allowed for
inline constexpr double kMoreNonzeros = 1.05;  // next to those before, that are no worse

// The judge.
inline constexpr double kHas = 0.5;                 // cos² from which on a half has an atom
inline constexpr double kLeastIndependentUses = 6;  // of an atom that can be judged

// When method auto learns a complete dictionary too: where codes have so many nonzeros, next to the dimensions, or
// where atoms have no more than that confidence in the mean.
inline constexpr double kMany = 0.125;
inline constexpr double kDoubtful = 0.9;
inline constexpr double kSure = 0.99;  // mean confidence of a complete dictionary for which no other needs to be judged

inline constexpr Index kCopies = 5;  // of the samples in memory

}  // namespace orthodict::solver::overcomplete
