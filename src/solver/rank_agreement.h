// SPDX-License-Identifier: Apache-2.0
// What ranks must have in common. All of what isn't summed over them is computed on each, decisions too.
#pragma once

#include <cstdint>

#include "engine/collective.h"
#include "orthodict/fit.h"

namespace orthodict::solver {

// Of all that decides what a run does, and of some of the samples where all ranks have them.
[[nodiscard]] std::uint64_t hash_of_question(const Options& options, const Samples& samples);

// Throws Error on all ranks unless they have the same question, and round alike: what they send each other depends on
// it.
void require_same_question(engine::Collective& collective, const Options& options, const Samples& samples);

// Of what this version, this processor and its libraries make of the same numbers.
[[nodiscard]] std::uint64_t hash_of_rounding();

}  // namespace orthodict::solver
