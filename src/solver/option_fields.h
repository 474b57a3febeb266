// SPDX-License-Identifier: Apache-2.0
// The table of options: one row per field of Options. Validation, a model's JSON, checkpoints, the hash that ranks
// compare, the command's options and those of the Python package are generated from it.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "orthodict/fit.h"
#include "solver/fields.h"

namespace orthodict::solver {

// Where an option must have the same value (on all ranks, in a resumed run), and whether a model's JSON records it.
enum class Identity {
  kNone,     // may differ everywhere; not recorded
  kIfGiven,  // given on all ranks or on none, with any values; not recorded
  kStart,    // equal on all ranks and in a resumed run; not recorded
  kExtent,   // equal on all ranks, may differ in a resumed run; recorded
  kResult,   // equal on all ranks and in a resumed run; recorded
};

// Headings of options in --help and the manual pages.
inline constexpr std::string_view kLearningGroup = "What to learn";
inline constexpr std::string_view kMspGroup = "Method msp";
inline constexpr std::string_view kConsensusGroup = "Several runs";
inline constexpr std::string_view kStoppingGroup = "When to stop";
inline constexpr std::string_view kComputationGroup = "Computation";
inline constexpr std::string_view kCheckpointGroup = "Checkpoints";

// The methods that have an option. For other methods any value but the default is an error.
enum class HeldBy { kAll, kAllThatWhiten, kAutoAndMsp, kMsp };

template <typename Field>
struct OptionField {
  std::string_view name;
  Identity identity;
  HeldBy held_by = HeldBy::kAll;
  std::string_view legal = {};                            // completes "must be …"
  bool (*is_legal)(const Given<Field>& value) = nullptr;  // null: all values, or Options::validate() checks
  std::string_view group = {};                            // heading in the command's --help
  std::string_view help = {};                             // empty: the command doesn't have it, or adds it itself
  Field Options::*member = nullptr;
};

// A row. Its type is that of the member; Clang before 17 doesn't deduce it from an aggregate.
template <typename Field>
constexpr OptionField<Field> option(Field Options::*member, std::type_identity_t<OptionField<Field>> row) {
  row.member = member;
  return row;
}

// In the order of a model's JSON.
inline constexpr std::tuple kOptionFields = {
    option(&Options::method, {.name = "method", .identity = Identity::kResult}),
    option(&Options::stretch,
           {.name = "stretch",
            .identity = Identity::kResult,
            .held_by = HeldBy::kAutoAndMsp,
            .group = kMspGroup,
            .help = "The function that is maximized, of coefficients in units of their rms (default: l4):"}),
    option(&Options::remove_bias,
           {.name = "remove_bias",
            .identity = Identity::kResult,
            .held_by = HeldBy::kMsp,
            .group = kMspGroup,
            .help = "Subtract the component of the step along A, which saves iterations; needs a smooth stretch "
                    "(default: for logcosh only)"}),
    option(&Options::theta,
           {.name = "theta",
            .identity = Identity::kResult,
            .held_by = HeldBy::kMsp,
            .legal = "in (0, 1]",
            .is_legal = [](const double& theta) { return theta > 0 && theta <= 1; },
            .group = kMspGroup,
            .help = "Sparsity of the coefficients, if known: gives the exact bias 12p theta^2 for l4, and the "
                    "scale of whitening"}),
    option(&Options::bias_fraction, {.name = "bias_fraction",
                                     .identity = Identity::kResult,
                                     .held_by = HeldBy::kMsp,
                                     .legal = "in (0, 1]",
                                     .is_legal = [](const double& fraction) { return fraction > 0 && fraction <= 1; },
                                     .group = kMspGroup,
                                     .help = "Fraction of the bias to remove, in (0, 1]"}),
    option(&Options::step, {.name = "step",
                            .identity = Identity::kResult,
                            .held_by = HeldBy::kMsp,
                            .legal = "a number > 0, or inf",
                            .is_legal = [](const double& step) { return step > 0; },
                            .group = kMspGroup,
                            .help = "Step size of projected gradient ascent; inf is match, stretch, project"}),
    option(&Options::accelerate,
           {.name = "accelerate",
            .identity = Identity::kResult,
            .held_by = HeldBy::kMsp,
            .group = kMspGroup,
            .help = "Climb by second order (quasi-Newton), which takes few steps where plain ones creep (default: "
                    "off); logcosh needs a complete dictionary"}),
    option(&Options::dictionary, {.name = "dictionary",
                                  .identity = Identity::kResult,
                                  .held_by = HeldBy::kAllThatWhiten,
                                  .group = kLearningGroup,
                                  .help = "Kind of dictionary:"}),
    option(&Options::whiten, {.name = "whiten",
                              .identity = Identity::kResult,
                              .held_by = HeldBy::kAllThatWhiten,
                              .group = kLearningGroup,
                              .help = "Whitening of the samples (default: as the dictionary requires; none for msp):"}),
    option(&Options::center,
           {.name = "center",
            .identity = Identity::kResult,
            .group = kLearningGroup,
            .help = "Whether to subtract the mean of the samples (default: auto centres if the mean is "
                    "significant, msp only images, of the baselines only fastica and pca)"}),
    option(&Options::normalize, {.name = "normalize",
                                 .identity = Identity::kResult,
                                 .held_by = HeldBy::kAutoAndMsp,
                                 .group = kLearningGroup,
                                 .help = "Scaling of samples, for samples that differ in contrast:"}),
    option(&Options::atoms,
           {.name = "atoms",
            .identity = Identity::kResult,
            .legal = "an integer ≥ 1, or a share of the variance between 0 and 1",
            .is_legal = [](const Atoms& atoms) { return atoms.is_legal(); },
            .group = kLearningGroup,
            .help = "Number of atoms, at most the rank of the data, or the share of the variance to keep, such as "
                    "0.99; with whitening, of that many leading principal components (default: all). More than "
                    "features: at most so many atoms of an overcomplete dictionary"}),
    option(&Options::precision,
           {.name = "precision",
            .identity = Identity::kResult,
            .group = kComputationGroup,
            .help = "Floating-point precision (default: auto ends in f64; msp uses mixed if single precision "
                    "represents the samples exactly):"}),
    option(&Options::max_iterations,
           {.name = "max_iterations",
            .identity = Identity::kExtent,
            .legal = "an integer ≥ 0",
            .is_legal = [](const int& iterations) { return iterations >= 0; },
            .group = kStoppingGroup,
            .help = "Maximum number of iterations (default: 500 for msp and online, 200 for ksvd, per atom 200 for "
                    "fastica_deflation and 1000 for subgradient)"}),
    option(
        &Options::tolerance,
        {.name = "tolerance",
         .identity = Identity::kResult,
         .legal = "a finite number ≥ 0",
         .is_legal = [](const double& tolerance) { return tolerance >= 0 && std::isfinite(tolerance); },
         .group = kStoppingGroup,
         .help = "Stop when the rms change of an atom is at most this (default: 1e-4 for auto, 1e-6 for the others)"}),
    option(&Options::seed, {.name = "seed",
                            .identity = Identity::kResult,
                            .group = kComputationGroup,
                            .help = "Seed of everything random, a 64-bit integer"}),
    option(
        &Options::runs,
        {.name = "runs",
         .identity = Identity::kResult,
         .held_by = HeldBy::kAutoAndMsp,
         .legal = "an integer from 1 to 10000",
         .is_legal = [](const int& runs) { return runs >= 1 && runs <= 10000; },
         .group = kConsensusGroup,
         .help =
             "Number of runs from different starts; with several, each atom gets a stability; methods auto and msp"}),
    option(&Options::resample,
           {.name = "resample",
            .identity = Identity::kResult,
            .held_by = HeldBy::kAutoAndMsp,
            .group = kConsensusGroup,
            .help = "With --runs: also learn from choices of the samples, in as many runs (default: halves):"}),
    option(&Options::stable_only, {.name = "stable_only",
                                   .identity = Identity::kResult,
                                   .held_by = HeldBy::kAutoAndMsp,
                                   .group = kConsensusGroup,
                                   .help = "With --runs: drop atoms that aren't stable"}),
    option(&Options::orient, {.name = "orient",
                              .identity = Identity::kResult,
                              .held_by = HeldBy::kAutoAndMsp,
                              .group = kLearningGroup,
                              .help = "Give atoms the sign that makes the skewness of their codes positive (default: "
                                      "their largest entry is positive)"}),
    option(&Options::init, {.name = "init", .identity = Identity::kResult}),
    // The rows below are not recorded in a model's JSON.
    option(&Options::initial_dictionary, {.name = "initial_dictionary", .identity = Identity::kStart}),
    option(&Options::time_limit, {.name = "time_limit",
                                  .identity = Identity::kIfGiven,
                                  .legal = "a number of seconds > 0",
                                  .is_legal = [](const double& seconds) { return seconds > 0; },
                                  .group = kStoppingGroup,
                                  .help = "Maximum number of seconds"}),
    option(&Options::resume,
           {.name = "resume",
            .identity = Identity::kIfGiven,
            .held_by = HeldBy::kAutoAndMsp,
            .legal = "a file",
            .is_legal = [](const std::string& path) { return path != "-"; },
            .group = kCheckpointGroup,
            .help = "Resume from this checkpoint, with the same samples and options; new checkpoints go to the "
                    "same file unless --checkpoint names another"}),
    option(&Options::checkpoint,
           {.name = "checkpoint",
            .identity = Identity::kNone,
            .held_by = HeldBy::kAutoAndMsp,
            .legal = "a file",
            .is_legal = [](const std::string& path) { return path != "-"; },
            .group = kCheckpointGroup,
            .help = "Write checkpoints to this file, so that a killed run can be resumed; methods auto and msp"}),
    option(&Options::checkpoint_every, {.name = "checkpoint_every",
                                        .identity = Identity::kNone,
                                        .legal = "≥ 0",
                                        .is_legal = [](const double& seconds) { return seconds >= 0; },
                                        .group = kCheckpointGroup,
                                        .help = "Seconds between checkpoints"}),
    option(
        &Options::threads,
        {.name = "threads",
         .identity = Identity::kNone,
         .legal = "an integer from 1 to 4096",
         .is_legal = [](const int& threads) { return threads >= 1 && threads <= 4096; },
         .group = kComputationGroup,
         .help = "Number of threads; the result doesn't depend on it (default: all cores, shared fairly among ranks)"}),
    // Identified by its name, which resolved() stores in `stretch`.
    option(&Options::custom_stretch,
           {.name = "custom_stretch", .identity = Identity::kNone, .held_by = HeldBy::kAutoAndMsp}),
    option(&Options::ranks, {.name = "ranks", .identity = Identity::kNone}),
    option(&Options::callback, {.name = "callback", .identity = Identity::kNone}),
    option(&Options::stop, {.name = "stop", .identity = Identity::kNone}),
};

static_assert(std::tuple_size_v<decltype(kOptionFields)> == count_of_fields<Options>(),
              "each field of Options needs a row of its own in kOptionFields");

// Calls visit(row) for each row of the table.
template <typename Visit>
void for_each_option(const Visit& visit) {
  std::apply([&](const auto&... fields) { (visit(fields), ...); }, kOptionFields);
}

}  // namespace orthodict::solver
