// SPDX-License-Identifier: Apache-2.0
// What options that are left open come to.
#pragma once

#include <memory>

#include "orthodict/fit.h"

namespace orthodict::solver {

Method method_of(const Options& options);                           // auto is msp when a stretch is named
Dictionary dictionary_of(const Options& options);                   // auto where the samples decide
std::shared_ptr<const Stretch> stretch_of(const Options& options);  // of msp
Options with_init(const Options& options);                          // set, as Options says

// Unset tolerances: of msp and the baselines, and of auto, whose last steps real data must be able to reach.
inline constexpr double kTolerance = 1e-6;
inline constexpr double kToleranceOfAuto = 1e-4;

}  // namespace orthodict::solver
