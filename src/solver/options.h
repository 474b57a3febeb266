// SPDX-License-Identifier: Apache-2.0
// What options that are left open come to.
#pragma once

#include <memory>

#include "orthodict/fit.h"

namespace orthodict::solver {

Method method_of(const Options& options);                           // auto is msp when a stretch is named
std::shared_ptr<const Stretch> stretch_of(const Options& options);  // of msp

}  // namespace orthodict::solver
