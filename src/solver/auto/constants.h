// SPDX-License-Identifier: Apache-2.0
// The constants of method auto. None depends on theta, n or p. Thresholds and steps are in units of the coefficients'
// root mean square; n stands for the dimension.
#pragma once

#include "orthodict/types.h"

namespace orthodict::solver {

// The split: parts that are explored, and samples to judge by.
inline constexpr Index kExploredPerDimension = 20;             // samples of the first part: 20n …
inline constexpr Index kFewestExplored = 1000;                 // … or so many
inline constexpr Index kPartsGrowBy = 4;                       // from one to the next
inline constexpr Index kMostEntriesExplored = Index{1} << 26;  // 256 MiB in single precision
inline constexpr Index kFolds = 5;                             // a fifth of the samples is held out at a time
inline constexpr Index kMostGroups = 20;                // of segments held out: a hundredth of the samples each …
inline constexpr Index kLeastGroups = 4;                // … to a twentieth, where samples depend on neighbours
inline constexpr Index kGroupsOfCrossfit = 3;           // of few samples
inline constexpr double kSegmentPerDependence = 15;     // a segment's length, in units of the dependence
inline constexpr Index kFewestToJudge = 30;             // samples to tell structure from chance …
inline constexpr Index kFewestToJudgePerDimension = 3;  // … beyond what whitening alone makes of them
inline constexpr Index kFewestProbed = 1024;            // random samples to look for copies in …
inline constexpr double kProbedPerRoot = 8;             // … to 8√p: six of them if a tenth of all have a copy

// The dependence of samples on their neighbours.
inline constexpr Index kShortWindows = 32;                      // for a first look, which is enough to see that …
inline constexpr Index kShortWindow = 32;                       // … there is none
inline constexpr Index kMostWindows = 8;                        // spread over the recording …
inline constexpr Index kLongestWindow = 4096;                   // … of so many neighbours
inline constexpr Index kMostEntriesOfWindows = Index{1} << 22;  // in all
inline constexpr Index kPairsOfDependence = 32;                 // of rows whose products tell
inline constexpr double kLeastCorrelation = 0.03;               // what is below may be chance
inline constexpr double kFewestPlaces = 7;                      // that coefficients have to go to in a window
inline constexpr double kUnknownVariance = 1e100;               // … to have a variance that is known
inline constexpr double kDependent = 1.5;                       // less dependence than this is none

// The judge.
inline constexpr Index kBatches = 64;                         // enough for variances to be known to a fifth …
inline constexpr Index kBatchesOfFold = 12;                   // … five times as many where folds are pooled
inline constexpr double kBatchPerDependence = 3;              // a batch's length, in units of the dependence
inline constexpr double kGuardPerDependence = 1.5;            // away from samples that were learned from
inline constexpr Index kMostEntriesJudged = Index{1} << 21;   // more coefficients tell no more
inline constexpr Index kMostEntriesOfSigns = Index{1} << 18;  // enough for a sign of each atom
inline constexpr Index kFewestJudged = 1000;                  // samples, however many coefficients they have
inline constexpr double kDeviationsOfCurvature = 1.25;        // κ has to show by so much …
inline constexpr double kDeviationsBelowCurvature = 1;        // … and is taken so far below its estimate
inline constexpr double kDeviationsOfResidual = 2;            // an error has to show by so much
inline constexpr double kShaken = 0.35;       // a finish goes on without a fold from atoms turned to a cos² of 0.94
inline constexpr double kUndetermined = 1.5;  // sin² of an angle that isn't determined: above 1, so that one is enough
                                              // for an atom not to be established
inline constexpr double kLeastGain = 1e-3;    // of a contrast that tells nothing
inline constexpr double kSomeStructure = 3;   // standard errors
inline constexpr double kDrift =
    3;  // a model that moves further from what was judged, in units of the error predicted …
inline constexpr double kMostDrift = 0.5;  // … or by so much in any case, isn't what was judged

// Explore.
inline constexpr int kStarts = 3;                  // on the last part
inline constexpr int kStepsWithBiasRemoved = 150;  // on one part, from one start
inline constexpr int kPlainSteps = 300;            // which are shorter
inline constexpr double kSettledStep = 0.02;       // until no atom moves further
inline constexpr int kStepsToFindAWay = 50;        // after which …
inline constexpr double kWanderingStep = 1.1;      // … atoms that still turn by more, about 67°, follow nothing
inline constexpr int kUntangleRounds = 4;          // a turned pair may show another

// The mixture.
inline constexpr Index kCoefficientsOfMixture = Index{1} << 19;  // tell three numbers to about a thousandth
// Once atoms hardly move, a mixture that goes on moving with them would be all that keeps them from standing still.
inline constexpr double kStepOfStandingMixture = 1e-4;
inline constexpr double kChangeOfStandingMixture = 0.01;  // of log(noise)
inline constexpr double kRegression = 0.3;  // noise to signal below which regression beats the orthogonal group
inline constexpr double kMaybeClean = 0.1;  // noise to signal below which exact zeros may be behind it

// Establish.
inline constexpr int kFirstMixtureSteps = 3;            // before thresholds are tried
inline constexpr int kFirstMixtureStepsOfComplete = 8;  // which leave the orthogonal group on the way

// Finish.
inline constexpr double kFirstThreshold = 0.3;   // falling by half …
inline constexpr double kLastThreshold = 1e-4;   // … to what single precision can still tell from zero
inline constexpr double kLeastThreshold = 1e-7;  // in double precision
inline constexpr int kThresholdSteps = 60;       // from the first to the last; halving takes twelve
inline constexpr int kStepsToFindZeros = 10;     // in which the threshold has to fall, or …
inline constexpr double kFewMoreZeros = 0.02;    // … so many more coefficients of an atom to fall below it
inline constexpr int kFinishSteps = 60;          // from the last to the least
inline constexpr double kAboveError = 3;   // thresholds stay this far above what is left of the error in coefficients
inline constexpr double kSlowestFall = 2;  // of a threshold that falls
inline constexpr double kFastestFall = 10;
inline constexpr double kFastestRate = 0.05;  // by which steps shrink, as far as two of them can tell
inline constexpr double kSlowestRate = 0.9;
inline constexpr double kUnknownRate = 0.5;
inline constexpr double kByChance = 1e-3;    // share of coefficients that may be below it without being zeros
inline constexpr double kStillThere = 0.95;  // share of an atom's first zeros that must hold at the least threshold
inline constexpr double kExactStep = 1e-9;   // a step that is this small is the last
inline constexpr Index kMostEntriesToFinish = Index{1} << 24;  // in double precision half of what is explored

// Refine.
inline constexpr int kCompetingSteps = 100;        // of each finish, before they are compared
inline constexpr double kCompetingStep = 1e-3;     // … unless atoms hardly move
inline constexpr int kLastResortSteps = 20;        // by log-cosh, where nothing was established
inline constexpr int kFoldSteps = 60;              // of a finish that goes on without a fold
inline constexpr int kRefinements = 400;           // of the best, on all samples …
inline constexpr int kLastRefinements = 50;        // … with only the established atoms leading
inline constexpr double kLeastGainOfError = 2e-3;  // of the mean over atoms, to take another finish
inline constexpr double kHardlyAnyNoise = 0.01;    // to signal: what it does to the mixture's atoms is its square
inline constexpr double kDeviationsOfGain = 2;     // … of that mean
inline constexpr double kBestConditioned = 2;      // of B: dictionaries of the orthogonal group have 1

// Coefficients that are cheap to hold, with two matrices that are made of them: for saddles and nested supports.
inline constexpr Index kCoefficientsToHold = Index{1} << 22;

// Steps.
inline constexpr double kSlowestPace = 0.5;    // of an atom whose steps go back and forth
inline constexpr double kFastestPace = 4;      // of one that creeps
inline constexpr double kTinyShare = 1e-3;     // of a step, by which it is less than the last
inline constexpr double kLeastPull = 0.05;     // on atoms that follow, where the leaders' zeros are few
inline constexpr double kMostCurvature = 0.8;  // a longer regression than by 1/(1 − this) is more than a line promises
inline constexpr double kLeastSlope = 0.05;    // of a location's score: Newton's step is no longer than 20 times that

}  // namespace orthodict::solver
