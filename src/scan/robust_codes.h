// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "orthodict/model.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict {

// What the codes of some atoms say, from one pass over the samples.
struct RobustCodes {
  Index singles = 0;    // atoms whose largest code is more than twice as large as any other
  Index conserved = 0;  // atoms with a |correlation| of at least 0.7 with an atom of another model
};

// Of these atoms of a model, compared with those atoms of another one, as OptICA does.
[[nodiscard]] RobustCodes look_at_codes(const Model& atoms, const Model& others, const Samples& samples,
                                        std::optional<int> threads);

// A model of some of the atoms, for encoding only.
[[nodiscard]] Model encoder_of(const Model& model, const std::vector<Index>& atoms);

}  // namespace orthodict
