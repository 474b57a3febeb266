// SPDX-License-Identifier: Apache-2.0
// The values that a model has for each of its atoms, beside their rows. Whatever reorders or drops atoms goes through
// this table.
#pragma once

#include <array>
#include <string_view>

#include "orthodict/model.h"

namespace orthodict {

struct PerAtom {
  std::string_view name;  // in a model's file, in JSON and in Python
  Vector<double> Model::*values;
};

// Each is empty, or has one entry per atom.
inline constexpr std::array<PerAtom, 5> kPerAtom = {{
    {"confidence", &Model::confidence},
    {"stability", &Model::stability},
    {"found", &Model::found},
    {"resampled_stability", &Model::resampled_stability},
    {"resampled_found", &Model::resampled_found},
}};

}  // namespace orthodict
