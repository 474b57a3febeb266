// SPDX-License-Identifier: Apache-2.0
// The constants of method auto. None depends on theta, n or p. Thresholds and steps are relative to the root mean
// square of the coefficients; n stands for the dimension.
#pragma once

#include "orthodict/types.h"

namespace orthodict::solver {

// Split: parts to explore, and held-out samples to judge by.
inline constexpr Index kExploredPerDimension = 20;             // size of the first part: 20n samples …
inline constexpr Index kFewestExplored = 1000;                 // … but at least this many
inline constexpr Index kPartsGrowBy = 4;                       // factor from one part to the next
inline constexpr Index kMostEntriesExplored = Index{1} << 26;  // 256 MiB in single precision
inline constexpr Index kFolds = 5;                             // a fifth of the samples is held out at a time
inline constexpr Index kMostGroups = 20;                // held-out segments of a hundredth of the samples each …
inline constexpr Index kLeastGroups = 4;                // … to a twentieth, if samples depend on their neighbours
inline constexpr Index kGroupsOfCrossfit = 3;           // segments per fold when samples are few
inline constexpr double kSegmentPerDependence = 15;     // a segment's length, in units of the dependence
inline constexpr Index kFewestToJudge = 30;             // fewest samples that distinguish structure from chance …
inline constexpr Index kFewestToJudgePerDimension = 3;  // … also per dimension, because whitening fits chance

// Dependence of samples on their neighbours.
inline constexpr Index kShortWindows = 32;     // windows of a first check, which is enough to see that …
inline constexpr Index kShortWindow = 32;      // … there is no dependence: this many neighbours each
inline constexpr Index kMostWindows = 8;       // windows spread over the recording …
inline constexpr Index kLongestWindow = 4096;  // … of at most this many neighbours each
inline constexpr Index kMostEntriesOfWindows = Index{1} << 22;  // entries of all windows
inline constexpr Index kPairsOfDependence = 32;                 // pairs of rows whose products are used
inline constexpr double kLeastCorrelation = 0.03;               // smaller correlations may be chance
inline constexpr double kFewestPlaces = 7;         // independent values that a coefficient must take in a window …
inline constexpr double kUnknownVariance = 1e100;  // … or else its variance counts as this large
inline constexpr double kDependent = 1.5;          // smaller values count as independence

// Judge.
inline constexpr Index kBatches = 64;               // variances are then known to a fifth …
inline constexpr Index kBatchesOfFold = 12;         // … also here, where five folds are pooled
inline constexpr double kBatchPerDependence = 3;    // a batch's length, in units of the dependence
inline constexpr double kGuardPerDependence = 1.5;  // margin to samples that were learned from, in the same units
inline constexpr Index kMostEntriesJudged = Index{1} << 21;   // more coefficients add nothing
inline constexpr Index kMostEntriesOfSigns = Index{1} << 18;  // enough to find the sign of each atom
inline constexpr Index kFewestJudged = 1000;                  // fewest samples, however many coefficients they have
inline constexpr double kDeviationsOfCurvature = 1.25;        // κ must exceed this many standard errors …
inline constexpr double kDeviationsBelowCurvature = 1;        // … and is taken this many below its estimate
inline constexpr double kDeviationsOfResidual = 2;            // residuals count beyond this many standard errors
inline constexpr double kPerturbation = 0.35;  // before finishing without a fold, atoms are turned to a cos² of 0.94
inline constexpr double kUndetermined = 1.5;   // sin² of an undetermined angle: above 1, so that one is enough
                                               // to leave an atom unestablished
inline constexpr double kLeastGain = 1e-3;     // least gain of the contrast, for division
inline constexpr double kSomeStructure = 3;    // the mean curvature, in standard errors
inline constexpr double kDrift = 3;  // moves from the judged model beyond this multiple of the predicted error …
inline constexpr double kMostDrift = 0.5;  // … or beyond this lower the confidence

// Explore.
inline constexpr int kStarts = 3;                  // starts on the last part
inline constexpr int kStepsWithBiasRemoved = 150;  // per part and start
inline constexpr int kPlainSteps = 300;            // plain steps are shorter
inline constexpr double kSettledStep = 0.02;       // exploring ends when no atom moves further
inline constexpr int kStepsToFindAWay = 50;        // after this many steps …
inline constexpr double kWanderingStep = 1.1;      // … atoms that still turn by more, about 67°, show no direction
inline constexpr int kUntangleRounds = 4;          // turning one pair may reveal another

// The mixture.
inline constexpr Index kCoefficientsOfMixture = Index{1} << 19;  // determine its three parameters to about 0.1 %
// Once atoms move less than this, the mixture is fixed: refitting it could keep them moving for ever.
inline constexpr double kStepOfStandingMixture = 1e-4;
inline constexpr double kChangeOfStandingMixture = 0.01;  // largest change of log(noise) at that point
inline constexpr double kRegression = 0.3;  // noise-to-signal ratio below which regression beats projection
inline constexpr double kMaybeClean = 0.1;  // noise-to-signal ratio below which exact zeros are possible

// Establish.
inline constexpr int kFirstMixtureSteps = 3;            // mixture steps before thresholds are tried
inline constexpr int kFirstMixtureStepsOfComplete = 8;  // includes steps that leave the orthogonal group

// Finish.
inline constexpr double kFirstThreshold = 0.3;   // halved …
inline constexpr double kLastThreshold = 1e-4;   // … down to the resolution of single precision
inline constexpr double kLeastThreshold = 1e-7;  // in double precision
inline constexpr int kThresholdSteps = 60;       // from the first to the last threshold; halving alone takes twelve
inline constexpr int kStepsToFindZeros = 10;     // within this many steps the threshold must fall, or …
inline constexpr double kFewMoreZeros = 0.02;    // … the zeros of an atom must grow by this share
inline constexpr int kFinishSteps = 60;          // from kLastThreshold to kLeastThreshold
inline constexpr double kAboveError = 3;   // thresholds stay above the remaining error of coefficients by this factor
inline constexpr double kSlowestFall = 2;  // least factor by which a threshold falls
inline constexpr double kFastestFall = 10;
inline constexpr double kFastestRate = 0.05;  // bounds of the rate at which steps shrink, estimated from two steps
inline constexpr double kSlowestRate = 0.9;
inline constexpr double kUnknownRate = 0.5;
inline constexpr double kByChance = 1e-3;    // share of coefficients that may be below the threshold by chance
inline constexpr double kStillThere = 0.95;  // share of an atom's first zeros that must remain at the least threshold
inline constexpr double kExactStep = 1e-9;   // finishing ends at a step this small
inline constexpr Index kMostEntriesToFinish = Index{1} << 24;  // in double precision

// Refine.
inline constexpr int kCompetingSteps = 100;        // steps of each finish before finishes are compared …
inline constexpr double kCompetingStep = 1e-3;     // … or until atoms move less than this
inline constexpr int kLastResortSteps = 20;        // log-cosh steps if nothing was established
inline constexpr int kFoldSteps = 60;              // steps of a finish without a fold
inline constexpr int kRefinements = 400;           // steps of the best finish, on all samples …
inline constexpr int kLastRefinements = 50;        // … and with only the established atoms leading
inline constexpr double kLeastGainOfError = 2e-3;  // least gain of the mean error to prefer another finish …
inline constexpr double kHardlyAnyNoise = 0.01;    // noise-to-signal ratio; the mixture's error is about its square
inline constexpr double kDeviationsOfGain = 2;     // … and in its standard deviations
inline constexpr double kBestConditioned = 2;      // largest condition number of B; 1 in the orthogonal group

// Repeat: the other runs of a consensus.
inline constexpr int kStepsOfRepeat = 100;  // steps of the finish; atoms that samples don't determine move for ever

// Number of coefficients that are cheap to store, with two matrices derived from them, to look for saddles and nested
// supports.
inline constexpr Index kCoefficientsToHold = Index{1} << 22;

// Steps.
inline constexpr double kSlowestPace = 0.5;    // for an atom whose steps oscillate
inline constexpr double kFastestPace = 4;      // for an atom that moves slowly in one direction
inline constexpr double kTinyShare = 1e-3;     // relative decrease of a step that counts as none
inline constexpr double kLeastPull = 0.05;     // least weight of followers when leaders have few zeros
inline constexpr double kMostCurvature = 0.8;  // regressions are lengthened at most by 1/(1 − this)
inline constexpr double kLeastSlope = 0.05;    // of a location's score: limits Newton's step to 20 times the score

}  // namespace orthodict::solver
