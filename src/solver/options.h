// SPDX-License-Identifier: Apache-2.0
// The values of options that were left open.
#pragma once

#include <memory>

#include "orthodict/fit.h"

namespace orthodict::solver {

// The options as the solver uses them: `method` is the method (msp if a stretch is named), `stretch` is the name of its
// stretch, and `init` is set: given if there is an initial dictionary, else random.
Options resolved(const Options& options);
// The options with an overcomplete dictionary where the samples have fewer features than the atoms asked for, and
// nothing else says what to learn.
Options with_dictionary_for(const Options& options, Index dimension);
// Throws Error unless complex samples can be learned from with these options.
void refuse_for_complex(const Options& options);
Method method_of(const Options& options);        // also for options that aren't resolved
Initialization init_of(const Options& options);  // likewise

Dictionary dictionary_of(const Options& options);                   // auto if the samples decide; resolved options
std::shared_ptr<const Stretch> stretch_of(const Options& options);  // stretch of method msp

// Default tolerances: of msp and the baselines, and of auto, whose last steps must be within reach for real data.
inline constexpr double kTolerance = 1e-6;
inline constexpr double kToleranceOfAuto = 1e-4;

}  // namespace orthodict::solver
