// SPDX-License-Identifier: Apache-2.0
// Every field of Options, a row each. Validation, a model's JSON, checkpoints, the hash that ranks compare, the
// command's options and those of the Python package are made from these rows.
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

// What depends on an option.
enum class Identity {
  kNone,     // nothing: equal runs may differ in it
  kIfGiven,  // ranks must all have it or all leave it out; their values may differ
  kStart,    // ranks, and a run that starts from it and one that resumes that, must have the same
  kExtent,   // a model's JSON says it, and ranks must have the same; a run that is resumed may have another
  kResult,   // a model's JSON says it, and ranks and a run that is resumed must have the same
};

// Which methods have the option; for the others any value but the default is an error.
enum class HeldBy { kAll, kAllThatWhiten, kAutoAndMsp, kMsp };

template <typename Field>
struct OptionField {
  std::string_view name;
  Identity identity;
  HeldBy held_by = HeldBy::kAll;
  std::string_view legal = {};                            // "must be …"
  bool (*is_legal)(const Given<Field>& value) = nullptr;  // null: all values are, or validate() looks at more than one
  std::string_view help = {};  // of the command; empty: not an option of it by this row alone
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
    option(&Options::stretch, {.name = "stretch",
                               .identity = Identity::kResult,
                               .held_by = HeldBy::kAutoAndMsp,
                               .help = "Of msp, in units of the coefficients' rms; l4 when left out:"}),
    option(&Options::remove_bias,
           {.name = "remove_bias",
            .identity = Identity::kResult,
            .held_by = HeldBy::kMsp,
            .help = "Of msp: subtract the part of the step along A: fewer iterations (smooth stretches; default for "
                    "logcosh)"}),
    option(&Options::theta,
           {.name = "theta",
            .identity = Identity::kResult,
            .held_by = HeldBy::kMsp,
            .legal = "in (0, 1]",
            .is_legal = [](const double& theta) { return theta > 0 && theta <= 1; },
            .help = "Of msp: sparsity, if known: exact bias 12p theta^2 for l4, and the scale of whitening"}),
    option(&Options::bias_fraction, {.name = "bias_fraction",
                                     .identity = Identity::kResult,
                                     .held_by = HeldBy::kMsp,
                                     .legal = "in (0, 1]",
                                     .is_legal = [](const double& fraction) { return fraction > 0 && fraction <= 1; },
                                     .help = "Of msp: how much of the bias to remove, in (0, 1]"}),
    option(&Options::step, {.name = "step",
                            .identity = Identity::kResult,
                            .held_by = HeldBy::kMsp,
                            .legal = "a number > 0, or inf",
                            .is_legal = [](const double& step) { return step > 0; },
                            .help = "Of msp: step of projected gradient ascent; inf is match, stretch, project"}),
    option(&Options::dictionary, {.name = "dictionary",
                                  .identity = Identity::kResult,
                                  .held_by = HeldBy::kAllThatWhiten,
                                  .help = "What to learn:"}),
    option(&Options::whiten, {.name = "whiten",
                              .identity = Identity::kResult,
                              .held_by = HeldBy::kAllThatWhiten,
                              .help = "When left out as the dictionary demands, none for msp:"}),
    option(&Options::center,
           {.name = "center",
            .identity = Identity::kResult,
            .help = "Subtract the mean of the samples, or don't; when left out msp doesn't but for images, auto "
                    "does if it matters, and of the baselines\nfastica and pca do"}),
    option(&Options::normalize, {.name = "normalize",
                                 .identity = Identity::kResult,
                                 .held_by = HeldBy::kAutoAndMsp,
                                 .help = "For samples that differ in contrast:"}),
    option(&Options::atoms,
           {.name = "atoms",
            .identity = Identity::kResult,
            .legal = "an integer ≥ 1, or a share of the variance between 0 and 1",
            .is_legal = [](const Atoms& atoms) { return atoms.is_legal(); },
            .help = "Atoms to learn, at most the rank of the data, or a share of the variance that they hold, as "
                    "0.99;\nwith whitening in as many leading principal components; all when left out"}),
    option(&Options::precision,
           {.name = "precision",
            .identity = Identity::kResult,
            .help = "Arithmetic; when left out auto ends in f64, and msp takes mixed where single precision holds "
                    "the samples:"}),
    option(&Options::max_iterations,
           {.name = "max_iterations",
            .identity = Identity::kExtent,
            .legal = "an integer ≥ 0",
            .is_legal = [](const int& iterations) { return iterations >= 0; },
            .help = "Iterations allowed; when left out 500 for msp and online, 200 for ksvd, and for each atom 200 "
                    "for\nfastica_deflation and 1000 for subgradient"}),
    option(&Options::tolerance,
           {.name = "tolerance",
            .identity = Identity::kResult,
            .legal = "a finite number ≥ 0",
            .is_legal = [](const double& tolerance) { return tolerance >= 0 && std::isfinite(tolerance); },
            .help = "Stop when the root mean square change of an atom is at most this; when left out 1e-4 for auto "
                    "and 1e-6\nfor the others"}),
    option(&Options::seed,
           {.name = "seed", .identity = Identity::kResult, .help = "64-bit seed of all that is random"}),
    option(&Options::runs,
           {.name = "runs",
            .identity = Identity::kResult,
            .held_by = HeldBy::kAutoAndMsp,
            .legal = "an integer from 1 to 10000",
            .is_legal = [](const int& runs) { return runs >= 1 && runs <= 10000; },
            .help = "Learn from so many starts, and say of each atom how stable it is; of auto and msp"}),
    option(&Options::resample,
           {.name = "resample",
            .identity = Identity::kResult,
            .held_by = HeldBy::kAutoAndMsp,
            .help = "With --runs: learn as often from halves of the samples, or don't; when left out it does"}),
    option(&Options::stable_only, {.name = "stable_only",
                                   .identity = Identity::kResult,
                                   .held_by = HeldBy::kAutoAndMsp,
                                   .help = "With --runs: drop the atoms that aren't stable"}),
    option(&Options::init, {.name = "init", .identity = Identity::kResult}),
    // From here on not in a model's JSON.
    option(&Options::initial_dictionary, {.name = "initial_dictionary", .identity = Identity::kStart}),
    option(&Options::time_limit, {.name = "time_limit",
                                  .identity = Identity::kIfGiven,
                                  .legal = "a number of seconds > 0",
                                  .is_legal = [](const double& seconds) { return seconds > 0; },
                                  .help = "Seconds allowed"}),
    option(&Options::resume,
           {.name = "resume",
            .identity = Identity::kIfGiven,
            .held_by = HeldBy::kAutoAndMsp,
            .legal = "a file",
            .is_legal = [](const std::string& path) { return path != "-"; },
            .help = "Go on from this checkpoint, with the same samples and options, and keep it up to date"}),
    option(&Options::checkpoint,
           {.name = "checkpoint",
            .identity = Identity::kNone,
            .held_by = HeldBy::kAutoAndMsp,
            .legal = "a file",
            .is_legal = [](const std::string& path) { return path != "-"; },
            .help = "Keep what was reached in this file, to go on from if the run is killed; of auto and msp"}),
    option(&Options::checkpoint_every, {.name = "checkpoint_every",
                                        .identity = Identity::kNone,
                                        .legal = "≥ 0",
                                        .is_legal = [](const double& seconds) { return seconds >= 0; },
                                        .help = "Seconds from one checkpoint to the next"}),
    option(&Options::threads,
           {.name = "threads",
            .identity = Identity::kNone,
            .legal = "an integer from 1 to 4096",
            .is_legal = [](const int& threads) { return threads >= 1 && threads <= 4096; },
            .help = "Threads to use; all cores when left out, shared fairly by ranks. The result doesn't depend on "
                    "it"}),
    // By its name, which resolved() makes that of `stretch`, it is told from others.
    option(&Options::custom_stretch,
           {.name = "custom_stretch", .identity = Identity::kNone, .held_by = HeldBy::kAutoAndMsp}),
    option(&Options::ranks, {.name = "ranks", .identity = Identity::kNone}),
    option(&Options::callback, {.name = "callback", .identity = Identity::kNone}),
    option(&Options::stop, {.name = "stop", .identity = Identity::kNone}),
};

static_assert(std::tuple_size_v<decltype(kOptionFields)> == count_of_fields<Options>(),
              "each field of Options needs a row of its own in kOptionFields");

// Calls visit(field) for each row.
template <typename Visit>
void for_each_option(const Visit& visit) {
  std::apply([&](const auto&... fields) { (visit(fields), ...); }, kOptionFields);
}

}  // namespace orthodict::solver
