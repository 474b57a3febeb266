// SPDX-License-Identifier: Apache-2.0
// What options that are left open come to.
#pragma once

#include <memory>

#include "orthodict/fit.h"

namespace orthodict::solver {

// Options as the solver takes them: `method` alone says which it is, that is msp where a stretch is named, and
// `stretch` has the name of its stretch.
Options resolved(const Options& options);
Method method_of(const Options& options);  // of options that may not be resolved

Dictionary dictionary_of(const Options& options);                   // auto where the samples decide; resolved options
std::shared_ptr<const Stretch> stretch_of(const Options& options);  // of msp

// Unset tolerances: of msp and the baselines, and of auto, whose last steps real data must be able to reach.
inline constexpr double kTolerance = 1e-6;
inline constexpr double kToleranceOfAuto = 1e-4;

}  // namespace orthodict::solver
